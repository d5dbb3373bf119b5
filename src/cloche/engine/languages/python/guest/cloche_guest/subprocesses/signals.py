"""Signals that a program handles: the sandbox sends it those, and the others end it."""

from __future__ import annotations

import signal
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.cells import kernel
from cloche_guest.protection import refusals

_set, _get = signal.signal, signal.getsignal
_handled: set[int] = set()
_handlers: dict[int, Any] = {}
_WORD = 32


def _deliver(number: int, frame: Any) -> None:
    """Call a handler, but not in code of ours: what it raises would be lost, or break that."""
    if kernel.is_ours(frame):
        engine_calls.call_later(lambda: _call(number, frame))
    else:
        _call(number, frame)


def _call(number: int, frame: Any) -> None:
    handler = _handlers.get(number)
    if handler is not None:
        handler(number, frame)


def get_handler(signalnum: Any, /) -> Any:
    """Return the current action for the given signal."""
    known = _get(signalnum)
    if known is not _deliver:
        return known
    handler = _handlers.get(int(signalnum))
    return signal.SIG_DFL if handler is _end else handler


def set_handler(signalnum: Any, handler: Any) -> Any:
    """Set the action for the given signal."""
    before = get_handler(signalnum)
    if callable(handler) and signalnum != signal.SIGINT:
        _set(signalnum, _deliver)
        _handlers[int(signalnum)] = handler
    else:
        _set(signalnum, handler)
    if handler == signal.SIG_DFL:
        _handled.discard(int(signalnum))
    else:
        _handled.add(int(signalnum))
    tell_handled()
    return before


def _end(number: int, _frame: Any) -> None:
    refusals.end_by(number)


def end_by_default(signalnum: int) -> None:
    """Let a signal end the program, if it has no handler; for one that arrives where Python looks for handled ones."""
    if _get(signalnum) == signal.SIG_DFL:
        _handlers[int(signalnum)] = _end
        _set(signalnum, _deliver)


def begin_program() -> None:
    """A program begins: it has the actions that every program has."""
    _handled.clear()
    _handled.add(signal.SIGINT)
    _set(signal.SIGUSR1, signal.SIG_DFL)
    tell_handled()


def tell_handled() -> None:
    """Say which signals are handled here."""
    bits = sum(1 << number for number in _handled)
    low, high = bits & 0xFFFFFFFF, bits >> _WORD
    engine_calls.call_engine("handle_signals", low, high)


def install() -> None:
    """Note who handles what."""
    signal.signal, signal.getsignal = set_handler, get_handler
