"""Time and memory of one cell, by function and by line."""

from __future__ import annotations

import cProfile
import sys
import time
import tracemalloc
from types import CodeType
from typing import Any

_TOOL = 4
_TOP = 50
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
        """Begin to measure."""
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
        """End, and tell what was measured."""
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
        snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, self._source)])
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
        entries = [entry for entry in self._calls.getstats() if not _is_own(entry.code)]
        entries.sort(key=lambda entry: -entry.totaltime)
        return [_function(entry) for entry in entries[:_TOP]]


def _is_own(code: CodeType | str) -> bool:
    if isinstance(code, str):
        return "_lsprof" in code or "built-in method builtins.exec" in code
    return any(part in code.co_filename for part in ("/cloche_guest/", "/IPython/", "/traitlets/"))


def _function(entry: Any) -> dict[str, Any]:
    code = entry.code
    named = not isinstance(code, str)
    return {
        "name": code.co_qualname if named else code,
        "file": code.co_filename if named else None,
        "line": code.co_firstlineno if named else None,
        "calls": entry.callcount,
        "total_ms": round(entry.totaltime * 1e3, 3),
        "own_ms": round(entry.inlinetime * 1e3, 3),
    }
