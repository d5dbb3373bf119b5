"""Looks at processes through /proc."""

import os
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
KB_PER_MB = 1024


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for parent in found:
        for children in PROC.glob(f"{parent}/task/*/children"):
            with suppress(OSError):
                found += [int(child) for child in children.read_text().split()]
    return found


def descendants() -> set[int]:
    """All processes below this one."""
    return set(family(os.getpid())[1:])


def mentioning(text: str) -> list[int]:
    """Processes, wherever they hang, with this in their command line."""
    found: list[int] = []
    for path in PROC.glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def pss_mb(pids: set[int] | list[int]) -> float:
    """Memory of these processes, what they share with others counted in parts."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            lines = (PROC / f"{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / KB_PER_MB


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
