"""The paths of the engine and of Deno, and how paths are passed to Deno."""

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
"""Seconds to wait until another thread has filled sysconfig, which takes milliseconds."""


def find_deno() -> str:
    """The path of Deno; many sandboxes may start at once, each in a thread of its own."""
    with _lock:
        return _find_program()


@functools.cache
def _find_program() -> str:
    # `find_deno_bin` uses sysconfig. Before Python 3.12 it returns wrong values while another thread fills it, for
    # instance by importing a library.
    deadline = time.monotonic() + _WAIT
    while None in sysconfig.get_config_vars("EXE", "userbase", "srcdir") and time.monotonic() < deadline:
        time.sleep(0.001)
    return deno.find_deno_bin()


def join_paths(paths: Iterable[str | Path]) -> str:
    """A list for one of Deno's flags; these cannot express a path with a comma."""
    words = [str(path) for path in dict.fromkeys(paths)]
    if wrong := next((word for word in words if "," in word), None):
        raise ConfigError(f"a sandbox cannot use {wrong}: its path has a comma in it. Use a folder without one.")
    return ",".join(words)
