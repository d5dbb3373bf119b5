"""Tools of the shell beside those of the machine."""

import random
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, Timed, alternate, clock, in_ms

LINES, SORTED = 100_000, 10**6
JQ_MS = 25
TIMEOUT = 300
AWK = "awk '{ n[$2] += $1 } END { for (k in n) print k, n[k] }' lines > found"
SORT = "sort numbers > found"
GREP = "grep -r needle files > found || true"
WORK = {
    f"awk over {LINES:,} lines": ("gawk", AWK.replace("awk", "gawk"), AWK, 4),
    f"`sort` of {SORTED:,} lines": ("sort", SORT, SORT, 5),
    "`grep -r` over {files:,} files": ("grep", GREP, GREP, 10),
}


async def rows(scale: Scale) -> list[Row]:
    found: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bench-tools-") as name:
        folder = Path(name)
        await to_thread.run_sync(_fill, folder, scale)
        async with cloche.Sandbox(confinement="require", timeout=TIMEOUT) as box:
            for part in ("lines", "numbers", "files"):
                await box.upload(folder / part, f"/workspace/{part}")
            await box.bash("echo warm", check=True)
            first = await clock(box.bash("printf 'b\\na\\n' | sort", check=True))
            for label, (tool, native, code, limit) in WORK.items():
                ours, theirs = await _beside(partial(_run, box, code), tool, native, folder, scale)
                found.append(
                    Row(
                        name=label.format(files=scale.repository),
                        unit="ms",
                        ours=in_ms(ours),
                        peer=f"`{tool}` of the machine, LC_ALL=C" if theirs else "",
                        theirs=in_ms(theirs),
                        target=Target("ratio", limit) if theirs else None,
                        note="" if theirs else f"there is no {tool} on this machine",
                    )
                )
            await box.bash("echo '{}' | jq .", check=True)
            warm = [await clock(box.bash("echo '{}' | jq .", check=True)) for _ in range(scale.commands)]
    return [
        *found,
        Row(name="`jq` once it has been used", unit="ms", ours=in_ms(warm), target=Target("median", JQ_MS)),
        Row(name="the first `sort` of a sandbox", unit="ms", ours=in_ms([first])),
    ]


async def _beside(ours: Timed, tool: str, native: str, folder: Path, scale: Scale) -> list[list[float]]:
    if shutil.which(tool) is None:
        return [[await ours() for _ in range(scale.bulk)], []]
    return await alternate(ours, partial(_native, native, folder), count=scale.bulk)


async def _run(box: cloche.Sandbox, code: str) -> float:
    return await clock(box.bash(f"export LC_ALL=C; {code}", check=True))


async def _native(code: str, folder: Path) -> float:
    return await to_thread.run_sync(_timed, code, folder)


def _timed(code: str, folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["bash", "-c", code], cwd=folder, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=True)
    return time.perf_counter() - start


def _fill(folder: Path, scale: Scale) -> None:
    chance = random.Random(1)
    (folder / "lines").write_text("".join(f"{n} key{n % 1000} {n * 7}\n" for n in range(LINES)))
    (folder / "numbers").write_text("".join(f"{chance.randrange(10**9)} text\n" for _ in range(SORTED)))
    for number in range(scale.repository):
        place = folder / "files" / f"d{number % 20}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{number}.txt").write_text(
            f"line {number} of hay\n" * 50 + ("needle\n" if number % 100 == 0 else "")
        )
