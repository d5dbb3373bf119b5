"""A lock between processes, held on a file."""

import os
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from io import BufferedWriter
from pathlib import Path

import anyio

POLL = 0.1
"""Seconds between two attempts to get a lock that another process holds."""

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: BufferedWriter) -> bool:
        """Lock the file unless another process has; returns whether it did."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: BufferedWriter) -> bool:
        """Lock the file unless another process has; returns whether it did."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@asynccontextmanager
async def lock_file(path: Path) -> AsyncGenerator[None]:
    """Holds the lock on `path`, waiting for it as long as it takes; the system frees it when its holder dies."""
    while True:
        with path.open("ab") as file:
            # Polled, because a thread that waits inside the system call could not be cancelled.
            while not try_lock(file):  # noqa: ASYNC110  # no event crosses processes
                await anyio.sleep(POLL)
            if _has_name(file):
                yield
                return


@contextmanager
def hold_lock(path: Path) -> Generator[None]:
    """Like `lock_file`, but blocks its thread."""
    while True:
        with path.open("ab") as file:
            while not try_lock(file):
                time.sleep(POLL)
            if _has_name(file):
                yield
                return


def _has_name(file: BufferedWriter) -> bool:
    """Whether a file still has its name: the previous holder of its lock may have removed it."""
    return os.fstat(file.fileno()).st_nlink > 0
