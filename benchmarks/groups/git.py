"""git in the sandbox."""

import cloche
from benchmarks.measure import Row, Scale, Target, clock, in_ms

FOLDERS = 20
FILL = """
import os
for number in range({count}):
    os.makedirs(f"r/d{{number % {folders}}}", exist_ok=True)
    with open(f"r/d{{number % {folders}}}/f{{number}}.txt", "w") as file: file.write(f"file {{number}}\\n" * 20)
"""
COMMIT = "cd r && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm first && cd .."
STATUS = "git -C r status --short"


async def rows(scale: Scale) -> list[Row]:
    count = scale.repository
    async with cloche.Sandbox(confinement="require", timeout=300) as box:
        await box.run(FILL.format(count=count, folders=FOLDERS), check=True)
        commit = await clock(box.bash(COMMIT, check=True))
        await box.bash("echo changed >> r/d0/f0.txt; echo new > r/new.txt", check=True)
        seen = (await box.bash(STATUS, check=True)).stdout.split()
        seconds = [await clock(box.bash(STATUS, check=True)) for _ in range(scale.bulk)]
    broken = [] if seen == ["M", "d0/f0.txt", "??", "new.txt"] else [f"it said {' '.join(seen)[:100]!r}"]
    return [
        Row(
            name=f"`git status` of {count:,} files",
            unit="ms",
            ours=in_ms(seconds),
            target=Target("p95", 1500),
            broken=broken,
        ),
        Row(name=f"`git add` and `commit` of {count:,} files", unit="ms", ours=in_ms([commit])),
    ]
