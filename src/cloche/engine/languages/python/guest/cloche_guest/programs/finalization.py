"""The end of a program: the interpreter lets go of all objects, so that files are written and closed."""

from __future__ import annotations

import contextlib
import gc
import io
import sys

_own_modules: frozenset[str] = frozenset()


def begin_program() -> None:
    """Note what is not the program's own, so that its end does not look at it."""
    global _own_modules
    _own_modules = frozenset(sys.modules)
    gc.freeze()


def finish_program() -> int:
    """Write what is in the buffers of open files, and call the finalizers of the program's objects."""
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        vars(sys).pop(name, None)
    sys.modules.pop("__main__", None)
    for name in sys.modules.keys() - _own_modules:
        sys.modules.pop(name, None)
    # First, because the collector may close a file before the buffer above it has been written.
    _flush_files()
    gc.collect()
    _flush_files()
    return 0


def _flush_files() -> None:
    for each in gc.get_objects():
        if isinstance(each, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            with contextlib.suppress(Exception):
                each.flush()
