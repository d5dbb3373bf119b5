"""Sandboxes that print and show without end: whether the program that reads them goes on meanwhile."""

from collections.abc import Sequence
from contextlib import AsyncExitStack

import anyio

import cloche
from benchmarks.loop_latency import measured_lags
from benchmarks.measure import Row, Scale

AT_ONCE = 8
SECONDS = 20.0
"""For which each of them floods."""

FLOODS = (
    ("bash", "while :; do echo a; echo b >&2; done"),
    ("python", "import sys\nwhile True:\n    print('a', flush=True)\n    print('b', file=sys.stderr, flush=True)"),
    ("python", "while True: print('x' * 5000)"),
    (
        "python",
        "from IPython.display import display\n"
        "while True: display({'text/plain': 'x'}, raw=True, display_id='d', update=True)",
    ),
)


async def rows(scale: Scale) -> list[Row]:
    """Alternating small writes, large ones and displays, from several sandboxes in one process."""
    count = min(AT_ONCE, scale.sandboxes)
    async with AsyncExitStack() as stack:
        boxes = [await stack.enter_async_context(cloche.Sandbox(confinement="require")) for _ in range(count)]
        for box in boxes:
            await box.bash("true", check=True)
        return [await _measure(boxes)]


async def _measure(boxes: Sequence[cloche.Sandbox]) -> Row:
    async with measured_lags() as lags, anyio.create_task_group() as tasks:
        for number, box in enumerate(boxes):
            tasks.start_soon(_flood, box, *FLOODS[number % len(FLOODS)])
    return lags.row(f"loop lag while {len(boxes)} sandboxes flood")


async def _flood(box: cloche.Sandbox, language: str, code: str) -> None:
    await box.run(code, language=language, timeout=SECONDS)
