"""Looks at processes through /proc."""

import os
from contextlib import suppress

from cloche.cli.bench.figures import KB_PER_MB, PROC, find_descendants, process_family, pss_mb

__all__ = ["find_descendants", "mentioning", "open_files", "process_family", "pss_mb", "rss_mb"]


def mentioning(text: str) -> list[int]:
    """Processes, wherever they hang, with this in their command line."""
    found: list[int] = []
    for path in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def rss_mb() -> float:
    """Resident memory of this process."""
    return int((PROC / "self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / KB_PER_MB**2


def open_files() -> list[str]:
    """What each file descriptor of this process leads to."""
    found: list[str] = []
    for path in (PROC / "self/fd").iterdir():
        # The one that lists the folder is gone by now.
        with suppress(OSError):
            found.append(str(path.readlink()))
    return found
