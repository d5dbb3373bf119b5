"""Confines its own process and becomes the sandbox: run as `python -I -S confined_exec.py FD`, imports little."""

import ctypes
import marshal
import os
import resource
import sys

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 24, 38, 22
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_RESTRICT_SELF = 446
_CAPABILITY_VERSION = 0x20080522
_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
_DEFAULT, _IGNORE = 0, 1

_libc = ctypes.CDLL(None, use_errno=True)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def main(plan_fd: int) -> None:
    """Read the plan that `confine_command` wrote, apply it to this process, and start the program."""
    with open(plan_fd, "rb") as file:
        plan = marshal.load(file)
    _die_with(plan["parent"])
    _leave_terminal()
    for limit, value in plan["limits"]:
        _set_limit(limit, value)
    # Writing beyond the limit of a file is then an error and does not end the process.
    _libc.signal(_SIGXFSZ, ctypes.c_void_p(_IGNORE))
    _libc.signal(_SIGPIPE, ctypes.c_void_p(_DEFAULT))
    os.chdir(plan["cwd"])
    _drop_capabilities()
    _call_prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _check_call(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ctypes.c_int(plan["ruleset"]), ctypes.c_uint(0)), "Landlock")
    os.close(plan["ruleset"])
    filter_program = _FilterProgram(len(plan["filter"]) // 8, plan["filter"])
    _check_call(
        _libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(filter_program)), "seccomp"
    )
    os.execve(plan["argv"][0], plan["argv"], plan["env"])


def _die_with(parent: int) -> None:
    _call_prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        sys.exit("the process that started this sandbox is gone")


def _leave_terminal() -> None:
    # The leader of a group cannot leave its terminal; the filter keeps it from typing into it anyway.
    if os.getpgrp() != os.getpid():
        os.setsid()


def _set_limit(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def _drop_capabilities() -> None:
    """Root keeps its user id, for its files, and nothing else."""
    capability = 0
    while _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    _check_call(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def _call_prctl(option: int, value: int) -> None:
    _check_call(
        _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)), "prctl"
    )


def _check_call(answer: int, what: str) -> None:
    if answer != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
