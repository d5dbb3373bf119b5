"""Much output, and large files."""

import tempfile
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, Timed, alternate, clock
from benchmarks.peers import PEERS, Driver, PeerFailed, drive, prepare

SIZE_MB = 100
FILE = "big.bin"
GUEST_READ = f"with open('{FILE}', 'rb') as f: size = len(f.read())"
GUEST_WRITE = f"with open('{FILE}', 'wb') as f: f.write(bytes({SIZE_MB} * 10**6))"


async def rows(scale: Scale) -> list[Row]:
    async with cloche.Sandbox(confinement="require", timeout=None) as box:
        return [await _lines(scale), *await _files(box, scale)]


async def _lines(scale: Scale) -> Row:
    """Every line delivered to the caller, on both sides."""
    code = f"for i in range({scale.lines}): print(i)"
    expected = sum(len(str(i)) + 1 for i in range(scale.lines))
    ready = [prepare(peer) for peer in PEERS if peer.module in ("box", "kernel")]
    ours: list[float] = []
    theirs: list[float] = []
    async with AsyncExitStack() as stack:
        drivers = [await stack.enter_async_context(drive(each)) for each in ready if not isinstance(each, str)]
        for _ in range(scale.bulk):
            for driver, values in zip(drivers, (ours, theirs), strict=False):
                values.append(await _printed(driver, code, expected))
    missing = next((each for each in ready if isinstance(each, str)), None)
    return Row(
        name=f"{scale.lines:,} printed lines",
        unit="s",
        ours=ours,
        peer="ipykernel",
        theirs=theirs,
        target=Target("ratio", 0.3) if theirs else None,
        note=missing or "every line delivered to the caller",
    )


async def _printed(driver: Driver, code: str, expected: int) -> float:
    answer = await driver.ask("repeat", kind="printed", code=code, count=1, expect=str(expected), budget=1.0)
    if not answer["seconds"]:
        raise PeerFailed("nothing was measured")
    return answer["seconds"][0]


async def _files(box: cloche.Sandbox, scale: Scale) -> list[Row]:
    data = bytes(range(250)) * (SIZE_MB * 4000)
    with tempfile.TemporaryDirectory(prefix="bench-files-") as folder:
        source, copy = Path(folder, "source"), Path(folder, "copy")
        await to_thread.run_sync(source.write_bytes, data)
        acts: dict[str, Timed] = {
            "in: `write(bytes)`": lambda: clock(box.write(FILE, data)),
            "out: `read()`": lambda: clock(box.read(FILE)),
            "in: `upload(path)`": lambda: clock(box.upload(source, FILE)),
            "out: `download(path)`": lambda: clock(box.download(FILE, copy)),
        }
        series = await alternate(*acts.values(), count=scale.bulk)
        arrived = await to_thread.run_sync(copy.read_bytes) == data
    inside = {"read": GUEST_READ, "written": GUEST_WRITE}
    guest = await alternate(*(partial(_guest, box, code) for code in inside.values()), count=scale.bulk)
    broken = [] if arrived else ["the file came back changed"]
    found = [
        Row(
            name=f"{SIZE_MB} MB file {name}",
            unit="MB/s",
            ours=[SIZE_MB / seconds for seconds in values],
            target=Target("median", 300, at_least=True),
            broken=broken,
        )
        for name, values in zip(acts, series, strict=True)
    ]
    return found + [
        Row(name=f"{SIZE_MB} MB file {name} by the guest", unit="MB/s", ours=[SIZE_MB / value for value in values])
        for name, values in zip(inside, guest, strict=True)
    ]


async def _guest(box: cloche.Sandbox, code: str) -> float:
    return await clock(box.run(code, check=True))
