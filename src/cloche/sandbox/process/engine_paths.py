"""The engine's files and program, and how it gets its paths."""

import functools
import sysconfig
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import deno

from cloche.errors import ConfigError

ENGINE = Path(__file__).parent.parent.parent / "engine"
"""The engine's own files."""

_lock = threading.Lock()

_WAIT = 5.0
"""Seconds for a thread to read what Python knows of itself: it takes milliseconds."""


def find_deno() -> str:
    """The path of Deno; many sandboxes may start at once, each in a thread of its own."""
    with _lock:
        return _find_program()


@functools.cache
def _find_program() -> str:
    # Before Python 3.12, sysconfig, which is asked for it, gives nonsense while another thread is in it for the first
    # time: one that imports a library, perhaps.
    deadline = time.monotonic() + _WAIT
    while None in sysconfig.get_config_vars("EXE", "userbase", "srcdir") and time.monotonic() < deadline:
        time.sleep(0.001)
    return deno.find_deno_bin()


def join_paths(paths: Iterable[str | Path]) -> str:
    """A list for one of Deno's flags, which has no way to write a comma."""
    words = [str(path) for path in dict.fromkeys(paths)]
    if wrong := next((word for word in words if "," in word), None):
        raise ConfigError(f"a sandbox cannot use {wrong}: its path has a comma in it. Use a folder without one.")
    return ",".join(words)
