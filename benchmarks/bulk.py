"""Much output, and large files."""

import tempfile
import time
from functools import partial
from pathlib import Path

from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, Timed, alternate, clock
from benchmarks.peers import Kernel, ipykernel

SIZE_MB = 100
FILE = "big.bin"
GUEST_READ = f"with open('{FILE}', 'rb') as f: size = len(f.read())"
GUEST_WRITE = f"with open('{FILE}', 'wb') as f: f.write(bytes({SIZE_MB} * 10**6))"


async def rows(scale: Scale) -> list[Row]:
    async with cloche.Sandbox(confinement="require", timeout=None) as box:
        async with ipykernel() as kernel:
            found = [await _lines(box, kernel, scale)]
        return found + await _files(box, scale)


async def _lines(box: cloche.Sandbox, kernel: Kernel, scale: Scale) -> Row:
    code = f"for i in range({scale.lines}): print(i)"
    expected = sum(len(str(i)) + 1 for i in range(scale.lines))
    seen: set[int] = set()
    ours, theirs = await alternate(
        partial(_stream, box, code, seen), partial(_kernel_stream, kernel, code, seen), count=scale.bulk
    )
    return Row(
        name=f"{scale.lines:,} printed lines",
        unit="s",
        ours=ours,
        peer="ipykernel",
        theirs=theirs,
        target=Target("ratio", 0.3),
        broken=[f"{count:,} of {expected:,} characters arrived" for count in seen - {expected}],
        note="every line delivered to the caller",
    )


async def _stream(box: cloche.Sandbox, code: str, seen: set[int]) -> float:
    start, count = time.perf_counter(), 0
    async for event in box.stream(code):
        if isinstance(event, cloche.Text):
            count += len(event.text)
    passed = time.perf_counter() - start
    seen.add(count)
    return passed


async def _kernel_stream(kernel: Kernel, code: str, seen: set[int]) -> float:
    passed = await clock(kernel.run(code))
    seen.add(kernel.printed)
    return passed


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
