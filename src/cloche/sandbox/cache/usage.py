"""Records what is used in the cache, and when: a process holds a shared lock on what it uses.

A lock ends with its process, however that ends. Entries without a lock and without recent use may be pruned.
"""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

DAY = 86400.0
"""Seconds after which the time of use is noted again."""

PREFIX = ".used-"
_WAIT = 2.0
"""Seconds to wait for a process that prunes, which takes milliseconds."""

_held: dict[Path, int] = {}
"""File descriptors, open until the process ends."""

if sys.platform == "win32":

    def _lock(_fd: int, *, shared: bool) -> bool:
        # On such a system a file that is open cannot be removed anyway.
        return True
else:
    import fcntl

    def _lock(fd: int, *, shared: bool) -> bool:
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def hold_in_use(path: Path) -> None:
    """Note that this process uses an entry of the cache, which need not exist yet; never fails."""
    stamp = _stamp_path(path)
    with suppress(OSError):
        if path not in _held and (fd := _hold_lock(stamp)) is not None:
            _held[path] = fd
        touch_used(stamp)


def touch_used(path: Path) -> None:
    """Note that a file was used, at most once a day; never fails."""
    with suppress(OSError):
        if abs(time.time() - path.stat().st_mtime) > DAY:
            os.utime(path)


def last_used(path: Path) -> float:
    """When an entry was last used or made, in seconds since 1970."""
    times = [0.0]
    for each in (path, _stamp_path(path)):
        with suppress(OSError):
            times.append(each.stat().st_mtime)
    return max(times)


def in_use(path: Path) -> bool:
    """Whether a process uses an entry."""
    with reserve_unused(path, forget=False) as free:
        return not free


@contextmanager
def reserve_unused(path: Path, *, forget: bool = True) -> Generator[bool]:
    """Whether no process uses an entry; if so, none starts to before the end of the block."""
    stamp = _stamp_path(path)
    try:
        fd = os.open(stamp, os.O_RDONLY)
    except OSError:
        yield True
        return
    try:
        free = _lock(fd, shared=False)
        yield free
        if free and forget and not path.exists():
            stamp.unlink(missing_ok=True)
    finally:
        os.close(fd)


def _stamp_path(path: Path) -> Path:
    return path.with_name(PREFIX + path.name)


def _hold_lock(stamp: Path) -> int | None:
    deadline = time.monotonic() + _WAIT
    while time.monotonic() < deadline:
        fd = _open_stamp(stamp)
        # The file that was opened may have been pruned meanwhile.
        if _lock(fd, shared=True) and _is_same_file(fd, stamp):
            return fd
        os.close(fd)
        time.sleep(0.01)
    return None


def _open_stamp(stamp: Path) -> int:
    try:
        return os.open(stamp, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        # A read-only cache can be locked all the same.
        return os.open(stamp, os.O_RDONLY)


def _is_same_file(fd: int, stamp: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), stamp.stat())
    except OSError:
        return False
