"""Landlock rulesets: which paths a process and its children may touch, enforced by the kernel without privileges."""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE = 444, 445
_VERSION_FLAG = 1
_PATH_BENEATH = 1

EXECUTE = 1 << 0
READ = 1 << 2 | 1 << 3
"""Files and directories."""
WRITE = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 14
"""Write and truncate; make and remove files, directories and links; move between directories. No devices, no pipes."""
CONNECT = 1 << 16
"""Connect to UNIX sockets by path."""

_FILE_RIGHTS = EXECUTE | 1 << 1 | 1 << 2 | 1 << 14
"""The rights that a rule may name for something other than a directory."""

_HANDLED = ((1, 0x1FFF), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15), (9, CONNECT))
"""The file rights that the kernel knows, by the ABI that introduced them."""

_TCP = 0b11
"""Bind and connect, from ABI 4 on."""
_SCOPES = 0b11
"""Abstract UNIX sockets and signals, from ABI 6 on."""

NEEDED = 3
"""The first ABI under which files outside the rules cannot be truncated."""


def landlock_version() -> int:
    """The Landlock ABI of the running kernel, 0 if there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION_FLAG)))


def open_ruleset(rules: Iterable[tuple[str, int]]) -> int:
    """The descriptor of a ruleset that refuses all the kernel can refuse, except for the (path, rights) in `rules`."""
    abi = landlock_version()
    files = sum(rights for since, rights in _HANDLED if abi >= since)
    attributes = struct.pack("=QQQ", files, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _call_kernel(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0))
    try:
        for path, rights in rules:
            _add_rule(ruleset, path, rights & files)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, beneath)
        _call_kernel(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint(0))
    finally:
        os.close(beneath)


def _call_kernel(number: int, *arguments: object) -> int:
    answer: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return answer
