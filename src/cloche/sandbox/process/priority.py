"""Lets a sandbox that computes for a while yield to the program that opened it, until it is needed at once again."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from cloche.limits import NICENESS, SESSION_NICENESS

BUSY = 0.05
"""Part of a processor that a sandbox uses when it counts as computing: many of them share few processors."""

LOOKS = 2
"""How often it must be found computing, one time after another, before it yields."""

_CAP_SYS_NICE = 1 << 23


class Priority:
    """That of one process and its descendants.

    Code that computes or prints must not keep its own watchdog and the other calls of its program
    waiting. But a short call, and the end of a long one, are as urgent as anything on a busy machine.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._when = 0.0
        self._busy = 0
        self._yielding: Sequence[int] = ()

    def look(self, pids: Sequence[int], spent: float, when: float) -> None:
        """Judge by the seconds of a processor that they have used until now."""
        used, self._spent = spent - self._spent, spent
        passed, self._when = when - self._when, when
        self._busy = self._busy + 1 if used > BUSY * passed else 0
        if self._busy >= LOOKS and not self._yielding:
            self._yielding = pids
            _set_priority(pids, NICENESS, SESSION_NICENESS)

    def restore(self) -> None:
        """Let them compute as other programs do; for who rests they stay as they are, or two would take turns."""
        self._busy = 0
        if self._yielding:
            _set_priority(self._yielding, 0, 0)
            self._yielding = ()


def _set_priority(pids: Sequence[int], niceness: int, session: int) -> None:
    if _may_raise():
        with suppress(OSError):
            niceness = min(os.getpriority(os.PRIO_PROCESS, 0) + niceness, 19)
            for group in {os.getpgid(pid) for pid in pids} - {os.getpgrp()}:
                os.setpriority(os.PRIO_PGRP, group, niceness)
    for pid in pids:
        with suppress(OSError):
            # Linux may share processors among sessions first, and a sandbox has its own.
            Path(f"/proc/{pid}/autogroup").write_text(str(session))


@cache
def _may_raise() -> bool:
    """Whether a niceness that was added can be taken back; not everybody may."""
    if sys.platform != "linux":
        return False
    with suppress(OSError, ValueError, IndexError):
        capabilities = Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0]
        return bool(int(capabilities, 16) & _CAP_SYS_NICE)
    return False
