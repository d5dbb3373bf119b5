"""How much of the disk the sessions of each user take, and whether there is room for more."""

import time

from cloche.limits import MB
from cloche.server.problems import Problem
from cloche.session import SessionManager

REMEMBERED = 10.0
"""Seconds for which a measurement holds; what was brought in since is added to it."""


class DiskUse:
    """Measures the files of users, and refuses what would be too much."""

    def __init__(self, manager: SessionManager, most_mb: float) -> None:
        self._manager = manager
        self._most = int(most_mb * MB)
        self._known: dict[str, tuple[float, int]] = {}

    async def find_room(self, owner: str) -> int:
        """How many bytes this user may still bring in; raises Problem if there is no room at all."""
        since, used = self._known.get(owner, (-REMEMBERED, 0))
        now = time.monotonic()
        if now - since >= REMEMBERED:
            used = await self._manager.measure_files(owner)
            self._known[owner] = (now, used)
        if used >= self._most:
            raise Problem(
                507,
                "quota",
                f"the files of your sessions take {used // MB} MB of {self._most // MB} MB",
                fix="Delete sessions or files, or ask the owner of the server for more ([server] disk_mb).",
            )
        return self._most - used

    def add(self, owner: str, size: int) -> None:
        """Count what was brought in."""
        if owner in self._known:
            since, used = self._known[owner]
            self._known[owner] = (since, used + size)
