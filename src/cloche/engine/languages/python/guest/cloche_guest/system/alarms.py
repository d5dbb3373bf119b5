"""signal.alarm and signal.setitimer: the engine counts the time, also while the program computes."""

from __future__ import annotations

import signal
import time
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.programs import program_state
from cloche_guest.subprocesses import signals

_TIMERS = {"ITIMER_REAL": 0, "ITIMER_VIRTUAL": 1, "ITIMER_PROF": 2}
_SHORTEST = 0.001
_due = 0.0
_every = 0.0


def setitimer(which: int, seconds: float, interval: float = 0.0, /) -> tuple[float, float]:
    """Set the timer to fire after so many seconds, and then at every interval; return what was set before."""
    global _due, _every
    _check(which)
    if seconds < 0 or interval < 0:
        raise signal.ItimerError(22, "Invalid argument")
    before = getitimer(which)
    first, then = (each and max(float(each), _SHORTEST) for each in (seconds, interval))
    if first:
        signals.end_by_default(signal.SIGALRM)
    _due, _every = (time.monotonic() + first if first else 0.0), (then if first else 0.0)
    program_state.expect_signals(first > 0)
    engine_calls.call_engine("alarm", first * 1000, _every * 1000)
    return before


def getitimer(which: int, /) -> tuple[float, float]:
    """Return the seconds until the timer fires, and its interval."""
    _check(which)
    left = _due - time.monotonic() if _due else 0.0
    if left <= 0 and _every:
        left = _every - -left % _every
    return max(left, 0.0), _every


def _check(which: int) -> None:
    if which != _TIMERS["ITIMER_REAL"]:
        reason = "only ITIMER_REAL is there" if which in _TIMERS.values() else "Invalid argument"
        raise signal.ItimerError(22, reason)


def alarm(seconds: int, /) -> int:
    """Arrange for SIGALRM to arrive after so many seconds; return what was left of the alarm before."""
    left, _ = setitimer(0, int(seconds))
    return -int(-left // 1)


def install() -> None:
    """Add what is missing; the program that begins has no alarm."""
    names: dict[str, Any] = {**_TIMERS, "alarm": alarm, "setitimer": setitimer, "getitimer": getitimer}
    vars(signal).update(names)
    if not hasattr(signal, "ItimerError"):
        signal.ItimerError = OSError
