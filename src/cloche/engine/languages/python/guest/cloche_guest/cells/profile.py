"""Time and memory of one cell, by function and by line."""

from __future__ import annotations

import cProfile
import glob
import sys
import time
import tracemalloc
from types import CodeType
from typing import Any

_TOOL = 4
_TOP = 50
_OWN = ("/cloche_guest/", "/IPython/", "/traitlets/")
_clock = time.perf_counter


class Profile:
    """Measures the code that runs between start and stop."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._calls = cProfile.Profile()
        self._hits: dict[int, int] = {}
        self._times: dict[int, float] = {}
        self._line, self._since = 0, 0.0
        self._began = 0.0

    def start(self) -> None:
        """Start measuring."""
        tracemalloc.start()
        sys.monitoring.use_tool_id(_TOOL, "cloche")
        sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, self._on_line)
        sys.monitoring.set_events(_TOOL, sys.monitoring.events.LINE)
        self._began = _clock()
        self._calls.enable()

    def _on_line(self, code: CodeType, line: int) -> Any:
        if code.co_filename != self._source:
            return sys.monitoring.DISABLE
        now = _clock()
        self._count(now)
        self._hits[line] = self._hits.get(line, 0) + 1
        self._line, self._since = line, now
        return None

    def _count(self, now: float) -> None:
        if self._line:
            self._times[self._line] = self._times.get(self._line, 0.0) + now - self._since

    def stop(self) -> dict[str, Any]:
        """Stop, and return what was measured."""
        now = _clock()
        self._calls.disable()
        self._count(now)
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.free_tool_id(_TOOL)
        sys.monitoring.restart_events()
        memory = self._memory()
        return {
            "functions": self._functions(),
            "lines": self._lines(memory["lines"]),
            "memory_peak_kb": memory["peak_kb"],
            "duration_ms": round((now - self._began) * 1e3, 3),
        }

    def _memory(self) -> dict[str, Any]:
        if not tracemalloc.is_tracing():
            return {"peak_kb": 0, "lines": {}}
        peak = tracemalloc.get_traced_memory()[1]
        snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, glob.escape(self._source))])
        tracemalloc.stop()
        lines = {entry.traceback[0].lineno: entry.size / 1024 for entry in snapshot.statistics("lineno")}
        return {"peak_kb": round(peak / 1024, 1), "lines": lines}

    def _lines(self, memory: dict[int, float]) -> list[dict[str, Any]]:
        lines = sorted(self._hits, key=lambda line: -self._times.get(line, 0.0))[:_TOP]
        return [
            {
                "line": line,
                "hits": self._hits[line],
                "ms": round(self._times.get(line, 0.0) * 1e3, 3),
                "kb": round(memory.get(line, 0.0), 1),
            }
            for line in sorted(lines)
        ]

    def _functions(self) -> list[dict[str, Any]]:
        entries = self._reached()
        found = [_function(entry) for entry in entries if not isinstance(entry.code, str)]
        found += _builtins(entries)
        found.sort(key=lambda function: -function["total_ms"])
        return found[:_TOP]

    def _reached(self) -> list[Any]:
        """What the cell called, directly or indirectly, without IPython's own preparations."""
        entries = {entry.code: entry for entry in self._calls.getstats() if not isinstance(entry.code, str)}
        waiting = [entry for code, entry in entries.items() if code.co_filename == self._source]
        found: dict[CodeType | str, Any] = {}
        while waiting:
            entry = waiting.pop()
            if entry.code not in found:
                found[entry.code] = entry
                waiting += [entries[call.code] for call in entry.calls or () if call.code in entries]
        return [entry for entry in found.values() if not _is_own(entry.code)]


def _is_own(code: CodeType | str) -> bool:
    return not isinstance(code, str) and any(part in code.co_filename for part in _OWN)


def _function(entry: Any) -> dict[str, Any]:
    code = entry.code
    return {
        "name": code.co_qualname,
        "file": code.co_filename,
        "line": code.co_firstlineno,
        "calls": entry.callcount,
        "total_ms": round(entry.totaltime * 1e3, 3),
        "own_ms": round(entry.inlinetime * 1e3, 3),
    }


def _builtins(entries: list[Any]) -> list[dict[str, Any]]:
    """Built-in functions that the user's own code called."""
    found: dict[str, dict[str, Any]] = {}
    calls = (call for entry in entries if not isinstance(entry.code, str) for call in entry.calls or ())
    for call in calls:
        if isinstance(call.code, str) and "_lsprof" not in call.code:
            blank = {"name": call.code, "file": None, "line": None, "calls": 0, "total_ms": 0.0, "own_ms": 0.0}
            entry = found.setdefault(call.code, blank)
            entry["calls"] += call.callcount
            entry["total_ms"] = round(entry["total_ms"] + call.totaltime * 1e3, 3)
            entry["own_ms"] = round(entry["own_ms"] + call.inlinetime * 1e3, 3)
    return list(found.values())
