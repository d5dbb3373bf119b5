"""What many sandboxes leave behind: run as `python -m benchmarks.groups.leaks COUNT`, prints JSON."""

import gc
import os
import sys
import tempfile
import time
from pathlib import Path

import anyio
import msgspec

import cloche
from benchmarks.measure import Row, Scale, Target, in_ms
from benchmarks.processes import find_descendants, mentioning, open_files, rss_mb

SETTLED = 20
"""Sandboxes before the first look, so that what is made once is made."""

SLACK_MB = 2.0
"""Growth of the client that is not a leak: its table of interned strings alone takes 0.9 MB more when it is doubled."""

LIMIT = 600.0


class Count(msgspec.Struct):
    """What there is at one moment."""

    processes: int
    sockets: int
    descriptors: int
    files: int
    memory_mb: float


class Report(msgspec.Struct):
    """Before and after, and how long each sandbox took to open, run a cell and close."""

    before: Count
    after: Count
    seconds: list[float]


async def rows(scale: Scale) -> list[Row]:
    """In a process and a temporary folder of their own, so that everything can be counted."""
    with tempfile.TemporaryDirectory(prefix="bench-leaks-") as folder:
        command = [sys.executable, "-m", "benchmarks.groups.leaks", str(scale.sandboxes)]
        with anyio.fail_after(LIMIT):
            done = await anyio.run_process(command, env={**os.environ, "TMPDIR": folder}, stderr=None)
        report = msgspec.json.decode(done.stdout, type=Report)
        orphans, files = mentioning(folder), _files(folder)
    before, after = report.before, report.after
    left = {
        "processes left": after.processes - before.processes + len(orphans),
        "sockets left": after.sockets - before.sockets,
        "temporary files left": after.files - before.files + files,
        "open files left": after.descriptors - before.descriptors,
    }
    name = f"{scale.sandboxes} sandboxes"
    found = [
        Row(name=f"{name}: {what}", unit="", ours=[count], target=Target("p95", 0)) for what, count in left.items()
    ]
    grown = after.memory_mb - before.memory_mb
    note = f"client {before.memory_mb:.1f} MB before, {after.memory_mb:.1f} MB after"
    found.append(Row(name=f"{name}: memory grown", unit="MB", ours=[grown], target=Target("p95", SLACK_MB), note=note))
    found.append(Row(name="open, one cell, close", unit="ms", ours=in_ms(report.seconds)))
    return found


async def _measure(count: int) -> Report:
    for _ in range(min(SETTLED, count)):
        await _once()
    before = _count()
    seconds = [await _once() for _ in range(count)]
    return Report(before, _count(), seconds)


async def _once() -> float:
    start = time.perf_counter()
    async with cloche.Sandbox(confinement="require") as box:
        await box.run("1+1", check=True)
    return time.perf_counter() - start


def _count() -> Count:
    gc.collect()
    opened = open_files()
    folder = tempfile.gettempdir()
    listening = Path("/proc/net/unix").read_text().count(folder)
    return Count(
        processes=len(find_descendants() | set(mentioning(folder))),
        sockets=sum(name.startswith("socket:") for name in opened) + listening,
        descriptors=len(opened),
        files=_files(folder),
        memory_mb=rss_mb(),
    )


def _files(folder: str) -> int:
    return sum(1 for _ in Path(folder).rglob("*"))


def main() -> None:
    """Print the report."""
    report = anyio.run(_measure, int(sys.argv[1]))
    sys.stdout.buffer.write(msgspec.json.encode(report))


if __name__ == "__main__":
    main()
