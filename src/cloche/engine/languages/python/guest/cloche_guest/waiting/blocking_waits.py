"""Makes time.sleep and the waits of threading, queue and select yield to other work, and be interruptible."""

from __future__ import annotations

import queue
import select
import threading
import time
from typing import Any

from cloche_guest import engine_calls

_SLICE = 0.01
_clock = time.monotonic
_select = select.select


def sleep(seconds: float, /) -> None:
    """Delay execution for a given number of seconds.  The argument may be
    a floating-point number for subsecond precision."""
    if not isinstance(seconds, (int, float)):
        if not hasattr(seconds, "__float__") and not hasattr(seconds, "__index__"):
            raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer or float")
        seconds = float(seconds)
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if engine_calls.can_wait():
        engine_calls.sleep(seconds)
        return
    end = _clock() + seconds
    while _clock() < end:
        engine_calls.check_interrupt()


def _wait_condition(self: Any, timeout: float | None = None) -> bool:
    """Wait until notified or until a timeout occurs."""
    if not self._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    waiter = threading.Lock()
    waiter.acquire()
    self._waiters.append(waiter)
    state = self._release_save()
    notified = False
    try:
        notified = _poll(waiter, timeout)
        return notified
    finally:
        self._acquire_restore(state)
        if not notified and waiter in self._waiters:
            self._waiters.remove(waiter)


def _poll(waiter: Any, timeout: float | None) -> bool:
    end = None if timeout is None else _clock() + max(timeout, 0)
    while not waiter.acquire(blocking=False):
        left = _SLICE if end is None else end - _clock()
        if left <= 0:
            return False
        sleep(min(left, _SLICE))
    return True


def _select_or_sleep(rlist: Any, wlist: Any, xlist: Any, timeout: float | None = None, /) -> Any:
    if not rlist and not wlist and not xlist:
        if timeout is None:
            raise ValueError("select() on no files without a timeout would wait for ever")
        sleep(timeout)
        return [], [], []
    return _select(rlist, wlist, xlist, timeout)


def install() -> None:
    """Install the waits."""
    time.sleep = sleep
    threading.Condition.wait = _wait_condition
    queue.SimpleQueue = queue._PySimpleQueue
    select.select = _select_or_sleep
