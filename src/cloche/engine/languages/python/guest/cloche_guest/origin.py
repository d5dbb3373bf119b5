"""For which call code runs: the one that began it, which may be over."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any

_origin: ContextVar[int] = ContextVar("cloche_origin", default=0)
_live = 0
_marked = 0
_stopped = 0
_tell: Callable[[int], Any] = lambda _run: None  # noqa: E731 - replaced when the sandbox is connected


def connect(tell: Callable[[int], Any]) -> None:
    """Take the function that notes for which call the interpreter computes, 0 when it waits."""
    global _tell
    _tell = tell


def begin(run: int) -> None:
    """A cell begins: what it starts is its own."""
    global _live
    _live = run
    _origin.set(run)


def end() -> None:
    """The cell is over: what it has started goes on for nobody."""
    global _live
    _live = 0


def is_live() -> bool:
    """Whether a cell is running."""
    return _live != 0


def enter(run: int) -> int:
    """A program of another call begins on this stack; gives whose it was."""
    before = _origin.get()
    _origin.set(run)
    _mark(run)
    return before


def leave(before: int) -> None:
    """It is over."""
    _origin.set(before)
    _mark(0)


def suspend() -> tuple[int, int]:
    """This stack waits, and others may run."""
    state = (_origin.get(), _marked)
    _mark(0)
    return state


def resume(state: tuple[int, int]) -> None:
    """It goes on."""
    _origin.set(state[0])
    _mark(state[1])


def keep_stop() -> None:
    """What computes is of a call that is over and is to be stopped, where it can be."""
    global _stopped
    _stopped = _marked


def check_stop() -> None:
    """Raise KeyboardInterrupt in what was to be stopped."""
    global _stopped
    if _stopped and _stopped == _origin.get() != _live:
        _stopped = 0
        raise KeyboardInterrupt


def is_left(context: Context | None) -> bool:
    """Whether a call that is over has started what runs in this context."""
    # Between cells all of it is left, also what was started in a context of its own.
    return context is not None and (_live == 0 or context.get(_origin, 0) != _live)


def runs_left() -> bool:
    """Whether the interpreter computes for a call that is over."""
    return _marked not in (0, _live)


def run_marked(callback: Callable[..., Any], *args: Any) -> Any:
    """Call what the event loop has to call, and note if it belongs to a call that is over."""
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
        _tell(run)
