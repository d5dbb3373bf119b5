"""Statistics, and the memory of processes: shared by `cloche bench` and the benchmarks."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
KB_PER_MB = 1024


def p95(values: Sequence[float], *, rate: bool = False) -> float:
    """The 95th percentile by nearest rank: the worst of few values. A rate is worse the smaller it is."""
    ordered = sorted(values, reverse=rate)
    return ordered[-(-len(ordered) * 95 // 100) - 1]


def in_ms(seconds: Iterable[float]) -> list[float]:
    return [value * 1000 for value in seconds]


def format_number(value: float, unit: str) -> str:
    """A number with its significant digits and its unit."""
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f} {unit}".strip()


def process_family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for parent in found:
        for children in PROC.glob(f"{parent}/task/*/children"):
            with suppress(OSError):
                found += [int(child) for child in children.read_text().split()]
    return found


def find_descendants() -> set[int]:
    """All processes below this one."""
    return set(process_family(os.getpid())[1:])


def pss_mb(pids: Iterable[int]) -> float:
    """The memory of these processes, with shared pages divided among them; 0 if it is unknown."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            lines = (PROC / f"{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / KB_PER_MB
