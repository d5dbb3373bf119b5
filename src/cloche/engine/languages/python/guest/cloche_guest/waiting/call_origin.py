"""Tracks which call the running code belongs to: the call that started it, even if that call has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any

_origin: ContextVar[int] = ContextVar("cloche_origin", default=0)
_live = 0
_marked = 0
_stopped = 0
_report: Callable[[int], Any] = lambda _run: None  # noqa: E731 - replaced when the sandbox is connected


def connect(report: Callable[[int], Any]) -> None:
    """Set the function that notes which call the interpreter computes for, 0 while it waits."""
    global _report
    _report = report


def begin_cell(run: int) -> None:
    """A cell starts; whatever it starts belongs to it."""
    global _live
    _live = run
    _origin.set(run)


def end_cell() -> None:
    """The cell has ended; what it started is background work from now on."""
    global _live
    _live = 0


def enter_program(run: int) -> None:
    """A program that a call has started begins."""
    _origin.set(run)
    _mark(run)


def leave_program() -> None:
    """The program has ended."""
    _origin.set(0)
    _mark(0)


def suspend_stack() -> tuple[int, int, Any]:
    """This stack waits, and others may run."""
    state = (_origin.get(), _marked, asyncio._get_running_loop())
    _mark(0)
    return state


def resume_stack(state: tuple[int, int, Any]) -> None:
    """This stack continues, with the event loop that was running on it."""
    _origin.set(state[0])
    _mark(state[1])
    asyncio._set_running_loop(state[2])


def keep_stop() -> None:
    """The running code belongs to a call that has ended: stop it at the next check."""
    global _stopped
    _stopped = _marked


def check_stop() -> None:
    """Raise KeyboardInterrupt in code that keep_stop() was called for."""
    global _stopped
    if _stopped and _stopped == _origin.get() != _live:
        _stopped = 0
        raise KeyboardInterrupt


def is_leftover(context: Context | None) -> bool:
    """Whether a call that has ended started what runs in this context."""
    # Between cells everything is background work, even in a separate context.
    return context is not None and (_live == 0 or context.get(_origin, 0) != _live)


def runs_leftover() -> bool:
    """Whether the running code belongs to a call that has ended."""
    return _marked not in (0, _live)


def run_marked(callback: Callable[..., Any], *args: Any) -> Any:
    """Call a callback of the event loop, and report if it belongs to a call that has ended."""
    run = _origin.get()
    if run == _live:
        return callback(*args)
    _mark(run)
    try:
        return callback(*args)
    finally:
        _mark(0)


def _mark(run: int) -> None:
    global _marked
    if run != _marked:
        _marked = run
        _report(run)
