"""Removes what other versions left in the cache and was not used for 30 days: once a day, in the background."""

import logging
import os
import threading
import time
from contextlib import suppress

from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.file_lock import try_lock
from cloche.sandbox.cache.usage import DAY

log = logging.getLogger(__name__)

VARIABLE = "CLOCHE_PRUNE"
"""Set to 0, it keeps everything until `cloche cache prune`."""

UNUSED_DAYS = 30
LEFTOVER_DAYS = 2
"""Days after which an unfinished entry cannot be in the making any more."""

STAMP = ".pruned"
"""A file in the cache whose time says when it was last pruned."""

_begun: dict[int, float] = {}
"""When each process, by its id, has last begun: a child that was forked has to look for itself."""


def prune_in_background() -> None:
    """Prune if that was not done for a day, in a thread that delays neither a start nor the end of the program."""
    now, pid = time.monotonic(), os.getpid()
    if os.environ.get(VARIABLE) == "0" or now - _begun.get(pid, -DAY) < DAY:
        return
    _begun[pid] = now
    # If no thread can be started, the next program does it.
    with suppress(RuntimeError):
        # If the program ends meanwhile, all entries are still whole or gone; what is half removed counts as a leftover.
        threading.Thread(target=prune_daily, name="cloche cache", daemon=True).start()


def prune_daily() -> None:
    """Prune unless another process is doing so, or has done so within a day; blocks, never fails."""
    stamp = cache_dir() / STAMP
    # A cache that may only be read stays as it is.
    with suppress(OSError), stamp.open("ab") as file:
        ended = file.tell() > 0
        if not try_lock(file) or (ended and 0 <= time.time() - stamp.stat().st_mtime < DAY):
            return
        _prune_other_versions()
        file.truncate(0)
        file.write(b"done\n")


def _prune_other_versions() -> None:
    # Not needed to start a sandbox, and slow to import.
    from cloche.sandbox.cache import inventory  # noqa: PLC0415

    old = inventory.list_entries(unused_for=LEFTOVER_DAYS * DAY)
    chosen = [each for each in inventory.find_prunable(old, older_than=UNUSED_DAYS * DAY) if not each.current]
    gone = [each for each in chosen if inventory.remove_if_free(each)]
    if gone:
        size = sum(each.size for each in gone) / 1e6
        log.info("removed from the cache, unused for %d days: %d entries, %.1f MB", UNUSED_DAYS, len(gone), size)
