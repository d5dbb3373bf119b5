"""What cells show: display data, results and cleared output, sent out as Jupyter's MIME bundles."""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter

from cloche_guest import engine_calls
from cloche_guest.cells.errors import clip
from cloche_guest.cells.plain_data import as_data

_PLAIN_TYPES = frozenset((int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, range, type(None)))
_SHORT_TYPES = frozenset((int, bool, str))


class DisplayLimits(NamedTuple):
    """How much is shown: bytes and depth of a display, characters of a value."""

    length: int
    depth: int
    value: int


_limits = DisplayLimits(0, 0, 0)


def set_limits(length: int, depth: int, value: int) -> None:
    """Set the engine's limits, when the interpreter is prepared."""
    global _limits
    _limits = DisplayLimits(length, depth, value)


def send_display(kind: str, data: dict[str, Any], metadata: dict[str, Any], **more: Any) -> None:
    """Send one display message, with its data converted to JSON."""
    if _is_deep(data) or _is_deep(metadata):
        note = f"<a display of more than {_limits.depth} lists and objects in each other was left out>"
        data, metadata = {"text/plain": note}, {}
    message = {"kind": kind, "data": _encode(data), "metadata": _encode(metadata), **more}
    size = sum(len(value) for value in message["data"].values() if isinstance(value, str))
    if size > _limits.length:
        types = ", ".join(data)
        message["data"] = {"text/plain": f"<a display of {size} bytes ({types}) was left out: too large>"}
    engine_calls.display(message)


def _encode(bundle: Any) -> dict[str, Any]:
    result = {}
    for name, value in dict(bundle or {}).items():
        if isinstance(value, (bytes, bytearray, memoryview)):
            result[str(name)] = base64.b64encode(value).decode("ascii")
        elif isinstance(value, (str, int, float, bool)) or value is None:
            result[str(name)] = value
        else:
            result[str(name)] = json.loads(json.dumps(value, default=repr, skipkeys=True))
    return result


def _is_deep(bundle: Any) -> bool:
    """Whether it is nested too deeply, or contains itself. Writing it as JSON would recurse too often."""
    level = [bundle]
    for _ in range(_limits.depth):
        level = list({id(inner): inner for each in level for inner in _inside(each)}.values())
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    """The lists and dicts in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [each for each in inner if isinstance(each, (dict, list, tuple))]


class GuestPublisher(DisplayPublisher):
    """Sends what display() shows."""

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        kind = "update" if update else "display"
        send_display(kind, data, metadata or {}, transient=_encode(transient))

    def clear_output(self, wait: bool = False) -> None:
        engine_calls.clear(wait)


class GuestDisplayHook(DisplayHook):
    """Keeps the value of a cell's last expression, and also sends it if it is more than plain text."""

    shell: Any
    value: str | None = None
    data: str | None = None

    def compute_format_data(self, result: Any) -> Any:
        self.data = as_data(result)
        return super().compute_format_data(result)

    def write_output_prompt(self) -> None:
        pass

    def quiet(self) -> bool:
        cells = self.shell.history_manager.input_hist_parsed
        # Nearly always the text itself shows it, and the tokenizer is slow.
        return bool(cells) and ";" in cells[-1] and bool(self.semicolon_at_end_of_expression(cells[-1]))

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        if self.value is not None:
            send_display("display", {"text/plain": self.value}, {}, transient={})
        text = format_dict.get("text/plain", "")
        if text is None:
            # Formatting failed, which is the cell's error.
            return
        self.value = clip(text, _limits.value)
        if len(format_dict) > 1:
            data = {**format_dict, "text/plain": self.value}
            send_display("result", data, md_dict or {}, transient={}, execution_count=self.prompt_count)

    def log_output(self, format_dict: dict[str, Any]) -> None:
        if "text/plain" in format_dict:
            self.shell.history_manager.output_hist_reprs[self.prompt_count] = format_dict["text/plain"]

    def finish_displayhook(self) -> None:
        self._is_active = False


class GuestFormatter(DisplayFormatter):
    """Formats plain built-in values without trying every formatter."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        plain = self.formatters["text/plain"]
        self._plain_printers = plain.type_printers
        self._known_printers = {kind: plain.type_printers.get(kind) for kind in _SHORT_TYPES}
        self._rich_printers = [one.type_printers for one in self.formatters.values() if one is not plain]

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        kind = type(obj)
        if kind not in _PLAIN_TYPES or include or exclude or any(kind in known for known in self._rich_printers):
            return super().format(obj, include=include, exclude=exclude)
        if kind in _SHORT_TYPES and self._plain_printers.get(kind) is self._known_printers[kind]:
            return {"text/plain": repr(obj)}, {}
        return {"text/plain": self.formatters["text/plain"](obj)}, {}
