"""Errors as the caller sees them: the user's own line, and a plain traceback of the user's own frames."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

_INTERNAL = ("/cloche_guest/", "/IPython/", "/traitlets/", "/pyodide/", "/_pyodide/", "<frozen runpy>")
_MAGIC_SOURCES = {"<timed exec>", "<timed eval>", "<magic-timeit>"}
_MESSAGE_LIMIT = 20_000
_TRACEBACK_LIMIT = 200_000
_DEEP, _FRAMES = 3000, 100

# Kept apart from the module, where a cell may replace it.
_Details = traceback.TracebackException


_advisers: list[Callable[[BaseException], str | None]] = []


def add_adviser(adviser: Callable[[BaseException], str | None]) -> None:
    """Register a function whose hint for an error, if any, is shown below the traceback."""
    _advisers.append(adviser)


def is_cell(filename: str) -> bool:
    """Whether a file name is that of a cell."""
    return filename.startswith("Cell In[")


def _is_internal(filename: str) -> bool:
    return any(part in filename for part in _INTERNAL)


def describe(error: BaseException, *, mode: str = "Context") -> dict[str, Any]:
    """An error as plain data; never raises, whatever the error's own methods do."""
    name, message = type(error).__name__, _message(error)
    try:
        line, column = locate(error)
    except BaseException:  # noqa: BLE001 - the error belongs to the guest
        line, column = None, None
    try:
        text = render(error, mode)
    except BaseException:  # noqa: BLE001 - the error belongs to the guest
        text = f"{name}: {message}\n"
    return {"type": name, "message": message, "line": line, "column": column, "traceback": clip(text, _TRACEBACK_LIMIT)}


def _message(error: BaseException) -> str:
    try:
        text = str(error)
        if isinstance(error, SyntaxError) and error.msg:
            text = str(error.msg)
        return clip(str(text), _MESSAGE_LIMIT)
    except BaseException:  # noqa: BLE001 - the error belongs to the guest
        return "<exception str() failed>"


def clip(text: str, limit: int) -> str:
    """A text of at most about this many characters, without its middle."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def locate(error: BaseException) -> tuple[int | None, int | None]:
    """Line and column (from 1) of the user's own code that raised the error."""
    if isinstance(error, SyntaxError) and is_cell(str(error.filename)):
        return error.lineno, None if error.offset is None else max(error.offset, 1)
    found = outside = None
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if is_cell(name) or name in _MAGIC_SOURCES:
            found = step
        elif not _is_internal(name) and not name.startswith(("/lib/", "<frozen")):
            outside = step
        step = step.tb_next
    step = found or outside
    if step is None:
        return None, None
    if step.tb_frame.f_code.co_filename in _MAGIC_SOURCES:
        # The body of a cell magic starts on the second line of the cell.
        return step.tb_lineno + 1, None
    return step.tb_lineno, _column(step)


def _column(step: TracebackType) -> int | None:
    positions = itertools.islice(step.tb_frame.f_code.co_positions(), step.tb_lasti // 2, None)
    column = next(positions, (None, None, None, None))[2]
    return None if column is None else column + 1


def render(error: BaseException, mode: str = "Context") -> str:
    """The traceback as Python prints it, with only the frames that concern the user."""
    limit = -_FRAMES if _depth(error.__traceback__) > _DEEP else None
    for adviser in _advisers:
        if not getattr(error, "__notes__", None) and (advice := adviser(error)):
            error.add_note(advice)
    details = _Details.from_exception(error, limit=limit, capture_locals=mode == "Verbose", compact=True)
    if mode == "Minimal":
        return "".join(details.format_exception_only())
    _strip(details, set())
    if isinstance(error, SyntaxError) and is_cell(str(error.filename)):
        details.stack.clear()
    return "".join(details.format())


def _depth(step: TracebackType | None) -> int:
    depth = 0
    while step is not None and depth <= _DEEP:
        depth, step = depth + 1, step.tb_next
    return depth


def _strip(details: traceback.TracebackException, seen: set[int]) -> None:
    if id(details) in seen:
        return
    seen.add(id(details))
    details.stack[:] = [frame for frame in details.stack if not _is_internal(frame.filename)]
    for other in (details.__cause__, details.__context__, *(details.exceptions or ())):
        if other is not None:
            _strip(other, seen)


def exit_status(error: SystemExit) -> tuple[int, str | None]:
    """The exit status of a SystemExit, and its message for standard error."""
    code = error.code
    if code is None:
        return 0, None
    if isinstance(code, int):
        return int(code) & 0xFF, None
    try:
        return 1, str(code)
    except BaseException:  # noqa: BLE001 - the object belongs to the guest
        return 1, None
