"""Lowers the priority of a sandbox that computes for a while, until somebody waits for it again."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from cloche.limits import NICENESS, SESSION_NICENESS

BUSY = 0.05
"""Share of a processor above which a sandbox counts as computing; low, because many sandboxes share few processors."""

LOOKS = 2
"""Consecutive checks that must find it computing before it yields."""

_CAP_SYS_NICE = 1 << 23


class Priority:
    """The priority of one process and its descendants.

    Code that computes or prints must not hold up the watchdog and the other calls of its program. Short calls, and the
    end of a long one, keep normal priority.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._when = 0.0
        self._busy = 0
        self._yielding: Sequence[int] = ()

    def look(self, pids: Sequence[int], spent: float, when: float) -> None:
        """Lower the priority if the processor time that they have used shows that they compute."""
        used, self._spent = spent - self._spent, spent
        passed, self._when = when - self._when, when
        self._busy = self._busy + 1 if used > BUSY * passed else 0
        if self._busy >= LOOKS and not self._yielding:
            self._yielding = pids
            _set_priority(pids, NICENESS, SESSION_NICENESS)

    def restore(self) -> None:
        """Give them normal priority again."""
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
            # Linux may divide processors among sessions first, and a sandbox has its own session.
            Path(f"/proc/{pid}/autogroup").write_text(str(session))


@cache
def _may_raise() -> bool:
    """Whether this user may lower a niceness again."""
    if sys.platform != "linux":
        return False
    with suppress(OSError, ValueError, IndexError):
        capabilities = Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0]
        return bool(int(capabilities, 16) & _CAP_SYS_NICE)
    return False
