"""The signal handlers of an event loop."""

from __future__ import annotations

import asyncio
import inspect
import signal
from collections.abc import Callable
from typing import Any


class SignalLoop:
    """The part of an event loop that is about signals."""

    call_soon: Callable[..., Any]
    _signals: dict[int, Any] | None = None
    """What handled a signal before."""

    def add_signal_handler(self, sig: int, callback: Callable[..., Any], *args: Any) -> None:
        """Call this in the loop when the signal comes."""
        if inspect.iscoroutinefunction(callback) or asyncio.iscoroutine(callback):
            raise TypeError("coroutines cannot be used with add_signal_handler()")
        number = _check(sig)
        if number in (signal.SIGKILL, signal.SIGSTOP):
            raise RuntimeError(f"sig {number} cannot be caught")
        known = self._signals = self._signals or {}
        before = signal.signal(number, lambda *_: self.call_soon(callback, *args))
        known.setdefault(number, before)

    def remove_signal_handler(self, sig: int) -> bool:
        """Remove a handler; whether there was one."""
        number = _check(sig)
        if number not in (self._signals or {}):
            return False
        signal.signal(number, (self._signals or {}).pop(number))
        return True


def _check(sig: int) -> int:
    if not isinstance(sig, int):
        raise TypeError(f"sig must be an int, not {sig!r}")
    if sig not in signal.valid_signals():
        raise ValueError(f"invalid signal number {sig}")
    return int(sig)
