"""Where the engine's program is."""

import functools
import threading

import deno

_lock = threading.Lock()


def find_deno() -> str:
    """The path of Deno; many sandboxes may start at once, each in a thread of its own."""
    # Python's sysconfig, which is asked for it, gives nonsense to a second thread while the first is in it.
    with _lock:
        return _find()


@functools.cache
def _find() -> str:
    return deno.find_deno_bin()
