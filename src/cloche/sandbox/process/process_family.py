"""A process and its descendants, according to /proc: what they use, and whether they are gone."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cloche.sandbox.process.spawn import ChildProcess


def wait_gone(process: ChildProcess, others: Sequence[int], seconds: float) -> None:
    """Block until a killed process and its descendants have ended, at most this many seconds."""
    deadline = time.monotonic() + seconds
    while (process.poll() is None or not _is_reaped(others)) and time.monotonic() < deadline:
        time.sleep(0.002)


def _is_reaped(pids: Sequence[int]) -> bool:
    """Whether these have ended; if we are the first process of a container, we inherit them and have to reap them."""
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return not any(_is_running(pid) for pid in pids)


def _is_running(pid: int) -> bool:
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def find_family(pid: int) -> list[int]:
    """A process and its descendants, from /proc; without /proc, only the process itself."""
    found = [pid]
    for parent in found:
        with suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                with suppress(OSError):
                    found += [int(child) for child in (task / "children").read_text().split()]
    return found


def read_resident(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def read_processor_time(pid: int) -> float:
    """Processor time of a process in seconds; not from /proc, which is too slow to read at each call."""
    if sys.platform == "linux":
        with suppress(OSError):
            # The id of another process's clock, as clock_getcpuclockid(3) computes it.
            return time.clock_gettime(~pid << 3 | 2)
    return 0.0
