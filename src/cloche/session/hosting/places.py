"""How many sessions run at once, and which of them makes room for another."""

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import anyio

from cloche.config import AppConfig
from cloche.errors import SessionLimit
from cloche.limits import MB, POOL_LEAST, SESSION_MEMORY

log = logging.getLogger(__name__)

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""The memory of a container."""


class Placed(Protocol):
    """A session that runs, starts, or ends."""

    @property
    def sid(self) -> str: ...
    @property
    def owner(self) -> str: ...

    def measure_idle(self) -> float | None:
        """For how many seconds nobody has needed it; None while somebody does."""
        ...

    async def stop(self) -> None: ...


class Places:
    """The places for sessions that run."""

    def __init__(self, most: int, most_per_user: int) -> None:
        self.most = most
        self._most_per_user = most_per_user
        self._held: dict[str, Placed] = {}
        self._turn = anyio.Lock()

    def __len__(self) -> int:
        return len(self._held)

    def check(self, owner: str) -> None:
        """Raise SessionLimit if there is no place for another session of this user, and none can be made."""
        for why, those in self._shortages(owner):
            if _longest_idle(those) is None:
                raise SessionLimit(why)

    async def take(self, session: Placed) -> None:
        """Take a place; for that, the session that nobody has needed for the longest time may be closed."""
        if session.sid in self._held:
            return
        async with self._turn:
            while shortages := self._shortages(session.owner):
                why, those = shortages[0]
                unneeded = _longest_idle(those)
                if unneeded is None:
                    raise SessionLimit(why)
                log.info("the session %s is closed to make room for %s", unneeded.sid, session.sid)
                await unneeded.stop()
                # Also if it did not end as it should: it must not be chosen again.
                self.give_back(unneeded.sid)
            self._held[session.sid] = session

    def hold(self, session: Placed) -> None:
        """Take a place if there is one, so that those who ask later find it taken."""
        if not self._shortages(session.owner):
            self._held[session.sid] = session

    def give_back(self, sid: str) -> None:
        """Make a place free."""
        self._held.pop(sid, None)

    def _shortages(self, owner: str) -> list[tuple[str, list[Placed]]]:
        """Which limits are reached, and who could make room."""
        own = [each for each in self._held.values() if each.owner == owner]
        found: list[tuple[str, list[Placed]]] = []
        if len(own) >= self._most_per_user:
            found.append((_explain(len(own), "of one user", "max_sessions_per_user"), own))
        if len(self._held) >= self.most:
            found.append((_explain(len(self._held), "of this server", "max_running"), [*self._held.values()]))
        return found


def default_places(config: AppConfig) -> int:
    """How many sessions may run: what the configuration says, else as many as the memory allows."""
    chosen = config.server.max_running
    return chosen if chosen is not None else max(POOL_LEAST, _find_memory() // SESSION_MEMORY)


def _find_memory() -> int:
    """Bytes that this machine, or this container, has."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 8192 * MB
    with suppress(OSError, ValueError):
        total = min(total, int(CGROUP.read_text()))
    return total


def _longest_idle(sessions: Iterable[Placed]) -> Placed | None:
    measured = [(each.measure_idle(), each) for each in sessions]
    idle = [(seconds, each) for seconds, each in measured if seconds is not None]
    return max(idle, key=lambda pair: pair[0])[1] if idle else None


def _explain(count: int, whose: str, key: str) -> str:
    return (
        f"{count} sessions {whose} run already, as many as may, and each is in use: stop one of them, or try again "
        f"later. `[server] {key}` sets how many may run"
    )
