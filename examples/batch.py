"""Work through a hundred files with four sandboxes from a pool, and a progress bar."""

import asyncio

import anyio
from rich.progress import track

import cloche

FILES = {f"note-{number:03}.txt": "under glass " * (number % 7 + 1) for number in range(100)}
COUNT = "len(open('note.txt').read().split())"


async def main() -> None:
    counts: dict[str, int] = {}
    work = iter(track(FILES.items(), "counting"))

    async def worker(pool: cloche.Pool) -> None:
        async with pool.sandbox(timeout=5) as box:
            for name, text in work:
                await box.write("note.txt", text)
                result = await box.run(COUNT, check=True)
                counts[name] = int(result.value or 0)

    async with cloche.Pool(size=4) as pool, anyio.create_task_group() as workers:
        for _ in range(4):
            workers.start_soon(worker, pool)
    print(f"{len(counts)} files, {sum(counts.values())} words, the longest has {max(counts.values())}")


asyncio.run(main())
