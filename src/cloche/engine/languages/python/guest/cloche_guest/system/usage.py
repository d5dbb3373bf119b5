"""The module resource: what a program has used, and limits, which are kept and not enforced, like those of `ulimit`."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from cloche_guest import engine_calls

_INFINITY = -1
_KB = 1024
_LIMITS = {
    "RLIMIT_CPU": (0, _INFINITY),
    "RLIMIT_FSIZE": (1, _INFINITY),
    "RLIMIT_DATA": (2, _INFINITY),
    "RLIMIT_STACK": (3, 8192 * _KB),
    "RLIMIT_CORE": (4, 0),
    "RLIMIT_RSS": (5, _INFINITY),
    "RLIMIT_NPROC": (6, 512),
    "RLIMIT_NOFILE": (7, 1024),
    "RLIMIT_MEMLOCK": (8, 8192 * _KB),
    "RLIMIT_AS": (9, _INFINITY),
}
"""The number and the value of each, on Linux."""
_SELF, _CHILDREN, _THREAD = 0, -1, 1
_values = {number: (value, _INFINITY if value else 0) for number, value in _LIMITS.values()}


class struct_rusage(NamedTuple):
    """What was used."""

    ru_utime: float = 0.0
    ru_stime: float = 0.0
    ru_maxrss: int = 0
    ru_ixrss: int = 0
    ru_idrss: int = 0
    ru_isrss: int = 0
    ru_minflt: int = 0
    ru_majflt: int = 0
    ru_nswap: int = 0
    ru_inblock: int = 0
    ru_oublock: int = 0
    ru_msgsnd: int = 0
    ru_msgrcv: int = 0
    ru_nsignals: int = 0
    ru_nvcsw: int = 0
    ru_nivcsw: int = 0


def getrusage(who: int, /) -> struct_rusage:
    """Return what this process has used; of its children nothing is known."""
    if who not in (_SELF, _CHILDREN, _THREAD):
        raise ValueError("invalid who parameter")
    if who == _CHILDREN:
        return struct_rusage()
    return struct_rusage(time.process_time(), 0.0, int(engine_calls.call_engine("heap")) // _KB)


def getrlimit(resource: int, /) -> tuple[int, int]:
    """Return the limit that holds, and how far it may be raised."""
    if resource not in _values:
        raise ValueError("invalid resource specified")
    return _values[resource]


def setrlimit(resource: int, limits: tuple[int, int], /) -> None:
    """Keep a limit."""
    soft, hard = limits
    _, most = getrlimit(resource)
    if most != _INFINITY and (hard == _INFINITY or hard > most):
        raise ValueError("not allowed to raise maximum limit")
    if hard != _INFINITY and (soft == _INFINITY or soft > hard):
        raise ValueError("current limit exceeds maximum limit")
    _values[resource] = (soft, hard)


def prlimit(pid: int, resource: int, limits: tuple[int, int] | None = None, /) -> tuple[int, int]:
    """Return a limit, and set it if a new one is given."""
    before = getrlimit(resource)
    if limits is not None:
        setrlimit(resource, limits)
    return before


def names() -> dict[str, Any]:
    """The names of the module."""
    return {
        **{name: number for name, (number, _) in _LIMITS.items()},
        "RLIM_INFINITY": _INFINITY,
        "RUSAGE_SELF": _SELF,
        "RUSAGE_CHILDREN": _CHILDREN,
        "RUSAGE_THREAD": _THREAD,
        "error": OSError,
        "struct_rusage": struct_rusage,
        "getrusage": getrusage,
        "getrlimit": getrlimit,
        "setrlimit": setrlimit,
        "prlimit": prlimit,
        "getpagesize": lambda: 4096,
    }
