"""A lock between processes, held on a file."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import BufferedWriter
from pathlib import Path

import anyio

POLL = 0.1
"""Seconds between two attempts to get a lock that another process holds."""

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: BufferedWriter) -> bool:
        """Locks the file if nobody else has."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: BufferedWriter) -> bool:
        """Locks the file if nobody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@asynccontextmanager
async def lock_file(path: Path) -> AsyncGenerator[None]:
    """Holds the lock on `path`, waiting for it as long as it takes; the system frees it when its holder dies."""
    with path.open("ab") as file:
        # Polled, because a thread that waits inside the system call could not be cancelled.
        while not try_lock(file):  # noqa: ASYNC110  # no event crosses processes
            await anyio.sleep(POLL)
        yield
