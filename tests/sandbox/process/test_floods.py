"""Code that prints and shows without end: the event loop of the host, and its other sandboxes, go on."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from cloche import Result, Sandbox
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(60)

LONGEST = 5.0
"""Seconds that the loop may stand still on a busy machine; benchmarks/loop_latency.py measures the real time."""

WRITES = 40_000
ALTERNATING = f"""
process.stdout.write('x'.repeat(524288)); process.stderr.write('y'.repeat(524288))
for (let i = 0; i < {WRITES}; i++) {{ process.stdout.write('a'); process.stderr.write('b') }}
process.stdout.write('z'.repeat(1048576)); 0
"""
UPDATES = """
from IPython.display import display
for i in range(20000): display({'text/plain': 'x'}, raw=True, display_id='d')
for i in range(20000): display({'text/plain': str(i)}, raw=True, display_id='d', update=True)
"""


@asynccontextmanager
async def unblocked() -> AsyncGenerator[None]:
    """Fails if the loop stands still for long in between."""
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await anyio.sleep(0.01)
            longest = max(longest, time.monotonic() - before)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick)
        yield
        tasks.cancel_scope.cancel()
    assert longest < LONGEST


@pytest.mark.slow
async def test_alternating_writes_of_one_byte_leave_the_loop_free(open_box: OpenBox) -> None:
    box = await open_box(languages=["javascript"])
    async with unblocked():
        result = await box.run(ALTERNATING, language="javascript", timeout=30)
    assert (result.ok, result.truncated) == (True, True)
    assert result.stdout.endswith("z" * 524288)
    assert result.stderr == "y" * 524288 + "b" * WRITES


@pytest.mark.slow
async def test_updates_of_many_displays_leave_the_loop_free(box: Sandbox) -> None:
    async with unblocked():
        result = await box.run(UPDATES, timeout=40)
    assert result.ok
    assert {display.data["text/plain"] for display in result.displays} == {"19999"}
    assert len(result.displays) == 20000


@pytest.mark.slow
async def test_a_neighbour_works_while_a_flood_lasts(open_box: OpenBox) -> None:
    flooding, neighbour = await open_box(languages=["javascript"]), await open_box()
    results: list[Result] = []

    async def flood() -> None:
        fewer = ALTERNATING.replace(str(WRITES), "20000")
        results.append(await flooding.run(fewer, language="javascript", timeout=30))
        results.append(await flooding.bash("while :; do echo a; echo b >&2; done", timeout=2))

    async with unblocked(), anyio.create_task_group() as tasks:
        tasks.start_soon(flood)
        for number in range(10):
            assert (await neighbour.run(f"{number} + 1", timeout=15)).value == str(number + 1)
    assert [(result.timed_out, result.state) for result in results] == [(False, "kept"), (True, "kept")]


@pytest.mark.parametrize("depth", [101, 1_200, 10_000, 100_000])
async def test_a_display_that_is_too_deep_is_replaced_by_a_note(box: Sandbox, depth: int) -> None:
    await box.run("kept = 1")
    show = "from IPython.display import display\ndisplay({'application/json': data}, raw=True)"
    result = await box.run(f"data = 1\nfor i in range({depth}): data = [data]\n{show}")
    assert result.state == "kept"
    assert "lists and objects in each other" in result.displays[0].data["text/plain"]
    assert (await box.run("kept")).value == "1"


async def test_a_display_of_too_many_values_is_replaced_by_a_note(box: Sandbox) -> None:
    show = "from IPython.display import display\ndisplay({'application/json': [[]] * 300_000}, raw=True)"
    result = await box.run(show)
    assert "more than 250000 values" in result.displays[0].data["text/plain"]
    result = await box.run("display({'application/json': [[0.5] * 10] * 10_000}, raw=True)")
    assert len(result.displays[0].data["application/json"]) == 10_000
