"""An action through stream, dispatcher and runtime, beside the same command typed into a tmux."""

import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import anyio
from anyio import to_thread

from benchmarks import setups
from benchmarks.measure import Row, Scale, Target, in_ms
from benchmarks.peers import Driver, Peer, Ready, drive, prepare
from cloche.events import CmdRunAction, Event, EventStream, SQLiteStore, is_observation
from cloche.runtime import get_runtime_cls
from cloche.session import Dispatcher

ACTION_MS, OF_TMUX = 3.0, 0.25
TMUX = Peer("libtmux: keys sent, pane read every 10 ms until the end shows", "tmux", setups.libtmux)
BLOCK = 25
"""Calls in a row on one side."""
BUDGET = 30.0
"""Seconds that a block of the peer may take."""


async def rows(scale: Scale) -> list[Row]:
    """`echo hi` as an action, in turns with tmux."""
    ours: list[float] = []
    theirs: list[float] = []
    ready = await to_thread.run_sync(prepare, TMUX)
    with tempfile.TemporaryDirectory(prefix="bench-actions-") as folder:
        async with SQLiteStore(Path(folder, "events.db")) as store, get_runtime_cls("pyodide")() as runtime:
            stream = EventStream("bench", store)
            async with anyio.create_task_group() as tasks, aclosing(stream.follow()) as events:
                tasks.start_soon(Dispatcher(stream, runtime).run)
                await _act(stream, events)
                if isinstance(ready, Ready):
                    async with drive(ready) as driver:
                        for _ in range(max(1, scale.warm // BLOCK)):
                            ours += [await _act(stream, events) for _ in range(BLOCK)]
                            theirs += await _type(driver)
                else:
                    ours += [await _act(stream, events) for _ in range(scale.warm)]
                tasks.cancel_scope.cancel()
    name = "`run` of echo hi through stream, dispatcher and runtime"
    return [
        Row(name=name, unit="ms", ours=in_ms(ours), target=Target("median", ACTION_MS)),
        Row(
            name=f"{name}, beside tmux",
            unit="ms",
            ours=in_ms(ours),
            peer=TMUX.name,
            theirs=in_ms(theirs),
            target=Target("ratio", OF_TMUX) if theirs else None,
            note="" if isinstance(ready, Ready) else ready,
        ),
    ]


async def _act(stream: EventStream, events: AsyncGenerator[Event]) -> float:
    """Seconds from the action to its observation, both on disk, for one who follows the session."""
    start = time.perf_counter()
    action = await stream.add_event(CmdRunAction("echo hi"), "agent")
    async for event in events:
        if is_observation(event.body) and event.cause == action.id:
            assert event.body.content == "hi\n", event
            break
    return time.perf_counter() - start


async def _type(driver: Driver) -> list[float]:
    """Seconds from the keys to what they print."""
    answer = await driver.ask("repeat", kind="bash", code="echo hi", count=BLOCK, expect="hi", budget=BUDGET)
    return answer["seconds"]
