"""Calls of the system in os that Pyodide has not, and one that it has and that does nothing."""

from __future__ import annotations

import errno
import os
import posix
import socket
from typing import Any

from cloche_guest import engine_calls
from cloche_guest.subprocesses import processes

_USER = 1000
_OPTIONS = {"SO_REUSEADDR": 2, "SO_REUSEPORT": 15}
_O_NONBLOCK, _O_CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC


def sched_getaffinity(pid: int, /) -> set[int]:
    """Return the processors that this process may use."""
    return set(range(os.cpu_count() or 1))


def _own_id() -> int:
    """Return the user or the group of this process."""
    return _USER


def getgroups() -> list[int]:
    """Return the groups of this process."""
    return [_USER]


def getresuid() -> tuple[int, int, int]:
    """Return the real, effective and saved user."""
    return (_USER, _USER, _USER)


def nice(increment: int, /) -> int:
    """Add to the priority, which is not changed here, and return it."""
    return max(0, min(19, int(increment)))


def pipe2(flags: int, /) -> tuple[int, int]:
    """Create a pipe with flags."""
    ends = processes.pipe()
    for end in ends:
        os.set_blocking(end, not flags & _O_NONBLOCK)
    return ends


def getrandom(size: int, flags: int = 0) -> bytes:
    """Return random bytes."""
    return os.urandom(size)


def link(
    src: Any,
    dst: Any,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """Create a hard link to a file."""
    if src_dir_fd is not None or dst_dir_fd is not None:
        raise NotImplementedError("link: src_dir_fd and dst_dir_fd are not available here")
    source = os.path.realpath(src) if follow_symlinks else os.path.abspath(src)  # noqa: PTH100
    number = errno.EPERM if os.path.isdir(source) else 0  # noqa: PTH112
    if not number:
        number = int(engine_calls.call_engine("link", os.fsdecode(source), os.path.abspath(os.fsdecode(dst))))  # noqa: PTH100
    if number:
        raise OSError(number, os.strerror(number), src, None, dst)


def install() -> None:
    """Add what is missing."""
    for function in (sched_getaffinity, getgroups, getresuid, nice, pipe2, getrandom, link):
        for module in (os, posix):
            if not hasattr(module, function.__name__):
                setattr(module, function.__name__, function)
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        for module in (os, posix):
            setattr(module, name, _own_id)
    for name, number in _OPTIONS.items():
        if not hasattr(socket, name):
            setattr(socket, name, number)
