"""Linux's openat2: opens a whole path in one call, and refuses it if any step is a link."""

import os
import sys
from collections.abc import Callable
from functools import cache

_NUMBER = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_AT_FDCWD = -100

Call = Callable[[int, bytes, int, int], int]


def open_plain(path: str, flags: int, *, beneath: int | None = None) -> int | None:
    """Open `path`, below the directory `beneath` if given; None if that failed or the system cannot."""
    call = _load_syscall()
    if call is None:
        return None
    resolve = _NO_MAGICLINKS | _NO_SYMLINKS
    if beneath is not None:
        resolve |= _BENEATH
    fd = call(_AT_FDCWD if beneath is None else beneath, os.fsencode(path), flags, resolve)
    return fd if fd >= 0 else None


@cache
def _load_syscall() -> Call | None:
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - loaded when the first file is opened, not with the package

    class How(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    syscall = ctypes.CDLL(None).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(How), ctypes.c_size_t)

    def call(directory: int, path: bytes, flags: int, resolve: int) -> int:
        how = How(flags, 0, resolve)
        return int(syscall(_NUMBER, directory, path, ctypes.byref(how), ctypes.sizeof(how)))

    known = call(_AT_FDCWD, b"/", os.O_PATH | os.O_CLOEXEC, _NO_SYMLINKS)
    if known < 0:
        return None
    os.close(known)
    return call
