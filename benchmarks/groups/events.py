"""Events: the codec, and a stream in SQLite. `python -m benchmarks.groups.events COUNT` prints how memory grows."""

import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
from msgspec.structs import replace

from benchmarks.measure import Row, Scale, Target, in_ms
from benchmarks.processes import rss_mb
from cloche.events import (
    CmdOutputObservation,
    Event,
    EventStream,
    SQLiteStore,
    decode_event,
    encode_event,
    event_to_dict,
    new_event,
)

CODEC_US, BATCHED, SINGLE, P99_MS, LAST_MS, GROWTH_MB = 8.0, 20_000.0, 5_000.0, 5.0, 5.0, 8.0
STORED = 100_000
"""Events of the session whose last ones are read."""

BATCH = 500
BODY = CmdOutputObservation("x" * 700, "make test")
FILES = "a file for each event, json.dumps"

_Step = Callable[[], Awaitable[object]]


async def rows(scale: Scale) -> list[Row]:
    """All that is promised of events."""
    with tempfile.TemporaryDirectory(prefix="bench-events-") as folder:
        async with SQLiteStore(Path(folder, "events.db")) as store:
            stream = EventStream("bench", store)
            found = [_codec(scale), *await _appends(stream, Path(folder), scale), await _last(stream, scale)]
    return [*found, await _memory(scale)]


def _event() -> Event:
    return replace(new_event(BODY, "agent"), cause=3)


def _codec(scale: Scale) -> Row:
    """In turns with the standard library on the same dictionary."""
    event = _event()
    wire = event_to_dict(event)
    size = len(encode_event(event))
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(scale.warm):
        ours.append(_per_call(lambda: decode_event(encode_event(event))))
        theirs.append(_per_call(lambda: json.loads(json.dumps(wire))))
    return Row(
        name=f"an event of {size} bytes written and read",
        unit="us",
        ours=ours,
        peer="json, dictionary to dictionary",
        theirs=theirs,
        target=Target("median", CODEC_US),
    )


def _per_call(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(200):
        act()
    return (time.perf_counter() - start) / 200 * 1e6


async def _appends(stream: EventStream, folder: Path, scale: Scale) -> list[Row]:
    count = 0

    async def plain() -> None:
        nonlocal count
        _write_plain(folder / f"{count}.json", _event(), count)
        count += 1

    rounds = max(scale.bulk * 2, 4)
    batched: list[float] = []
    single: list[float] = []
    worst: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        times = [await _clock(lambda: stream.add_events([BODY] * BATCH)) for _ in range(10)]
        batched += [BATCH / each for each in times]
        times = [await _clock(lambda: stream.add_event(BODY)) for _ in range(1000)]
        single.append(len(times) / sum(times))
        worst.append(sorted(in_ms(times))[989])
        times = [await _clock(plain) for _ in range(1000)]
        theirs.append(len(times) / sum(times))
    return [
        Row(
            name=f"durable appends, {BATCH} at once",
            unit="/s",
            ours=batched,
            peer=FILES,
            theirs=theirs,
            target=Target("median", BATCHED, at_least=True),
        ),
        Row(
            name="durable appends, one by one",
            unit="/s",
            ours=single,
            peer=FILES,
            theirs=theirs,
            target=Target("median", SINGLE, at_least=True),
            note="neither waits for the disk; files are written in the thread that asks, and hold it up",
        ),
        Row(name="one append, 99th percentile", unit="ms", ours=worst, target=Target("median", P99_MS)),
    ]


def _write_plain(path: Path, event: Event, number: int) -> None:
    path.write_text(json.dumps({"id": number, **event_to_dict(event)}))


async def _last(stream: EventStream, scale: Scale) -> Row:
    while (missing := STORED - 1 - await stream.get_latest_event_id()) > 0:
        await stream.add_events([BODY] * min(missing, 5000))
    broken: set[str] = set()
    times: list[float] = []
    for _ in range(scale.warm):
        start = time.perf_counter()
        found = [event.id async for event in stream.get_events(reverse=True, limit=50)]
        times.append(time.perf_counter() - start)
        if len(found) != 50:
            broken.add(f"{len(found)} events")
    return Row(
        name=f"the last 50 of {STORED:,} events",
        unit="ms",
        ours=in_ms(times),
        target=Target("median", LAST_MS),
        broken=sorted(broken),
    )


async def _memory(scale: Scale) -> Row:
    command = [sys.executable, "-m", "benchmarks.groups.events", str(scale.lines)]
    done = await anyio.run_process(command, stderr=None)
    grown, seen = msgspec.json.decode(done.stdout, type=tuple[float, int])
    return Row(
        name=f"memory grown while {scale.lines:,} events pass",
        unit="MB",
        ours=[grown],
        target=Target("median", GROWTH_MB),
        broken=[] if seen == scale.lines else [f"the follower saw {seen}"],
        note="with a follower, from a tenth of them on",
    )


async def _pass(count: int) -> tuple[float, int]:
    """How much memory grows after the first tenth, and how many events a follower saw."""
    seen = 0
    before = 0.0
    with tempfile.TemporaryDirectory(prefix="bench-events-") as folder:
        async with SQLiteStore(Path(folder, "events.db")) as store, anyio.create_task_group() as tasks:
            stream = EventStream("bench", store)

            async def follow() -> None:
                nonlocal seen
                async for event in stream.follow():
                    seen += 1
                    if event.id == count - 1:
                        return

            tasks.start_soon(follow)
            for number in range(count // 100):
                await stream.add_events([BODY] * 100)
                if number == count // 1000:
                    before = rss_mb()
    return rss_mb() - before, seen


async def _clock(act: _Step) -> float:
    start = time.perf_counter()
    await act()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(anyio.run(_pass, int(sys.argv[1]))))
