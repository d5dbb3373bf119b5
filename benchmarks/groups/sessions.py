"""A session of an agent beside what it is made of: its start, its steps, its memory."""

import gc
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
from msgspec.structs import replace

from benchmarks.measure import Row, Scale, Target, clock, in_ms
from benchmarks.processes import rss_mb
from cloche.config import AppConfig
from cloche.events import Action, AgentFinishAction, CmdRunAction, Event, EventStream, FileStore, SQLiteStore
from cloche.runtime import PyodideRuntime, get_runtime_cls
from cloche.sandbox.pool.pool import Pool
from cloche.session import AgentSession, AgentState, Dispatcher
from cloche.session.agents import StepState

STEPS = 200
LONG = 2000
START_RATIO, WARM_MS, STEP_MS, GROWN_MB, LATE_RATIO = 1.2, 60.0, 3.0, 16.0, 1.25
PAUSE = 1.0
"""Seconds between starts from a pool, which makes the next spare meanwhile."""
PLAIN = AppConfig(core=replace(AppConfig().core, max_iterations=10 * LONG))


class Stepper:
    """Runs `echo` with another word each time, and notes when it was asked."""

    def __init__(self, steps: int) -> None:
        self.times: list[float] = []
        self._steps = steps

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        self.times.append(time.perf_counter())
        if len(self.times) > self._steps:
            return [AgentFinishAction("done")]
        return [CmdRunAction(f"echo {len(self.times)}")]


async def rows(scale: Scale) -> list[Row]:
    starts: list[float] = []
    connects: list[float] = []
    with tempfile.TemporaryDirectory(prefix="bench-sessions-") as name:
        folder = Path(name)
        for number in range(scale.cold):
            connects.append(await _connect())
            starts.append(await _start(folder / str(number)))
        warm = await _start_warm(folder / "warm", scale.cold)
        bare = await _act(folder / "bare", STEPS)
        steps, _ = await _work(folder / "steps", STEPS)
        long, grown = await _work(folder / "long", LONG)
    early, late = long[50:150], long[-100:]
    return [
        Row(
            name="AgentSession.start to ready, cold",
            unit="ms",
            ours=in_ms(starts),
            peer="Runtime.connect",
            theirs=in_ms(connects),
            target=Target("ratio", START_RATIO),
        ),
        Row(
            name="AgentSession.start to ready, from a pool, with the default plugins",
            unit="ms",
            ours=in_ms(warm),
            target=Target("median", WARM_MS),
        ),
        Row(
            name="controller and agent, a step more than its action",
            unit="ms",
            ours=[step - in_ms(bare)[len(bare) // 2] for step in in_ms(steps)],
            target=Target("median", STEP_MS),
        ),
        Row(
            name=f"the last of {LONG:,} steps",
            unit="ms",
            ours=in_ms(late),
            peer="the 100th",
            theirs=in_ms(early),
            target=Target("ratio", LATE_RATIO),
        ),
        Row(name=f"memory grown in {LONG:,} steps", unit="MB", ours=[grown], target=Target("median", GROWN_MB)),
    ]


async def _connect() -> float:
    runtime = get_runtime_cls("pyodide")(PLAIN)
    try:
        return await clock(runtime.connect())
    finally:
        await runtime.close()


async def _start(folder: Path, config: AppConfig = PLAIN, pool: Pool | None = None) -> float:
    session = AgentSession("bench", FileStore(folder))
    try:
        return await clock(session.start("pyodide", config, Stepper(0), pool=pool))
    finally:
        await session.close()


async def _start_warm(folder: Path, count: int) -> list[float]:
    found: list[float] = []
    async with PyodideRuntime.open_pool(AppConfig(), 2) as pool:
        for number in range(count):
            await pool.ready()
            await anyio.sleep(PAUSE)
            found.append(await _start(folder / str(number), AppConfig(), pool))
    return found


async def _act(folder: Path, count: int) -> list[float]:
    """Seconds of an action through stream, dispatcher and runtime."""
    found: list[float] = []
    async with SQLiteStore(folder.with_suffix(".db")) as store, get_runtime_cls("pyodide")(PLAIN) as runtime:
        stream = EventStream("bench", store)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Dispatcher(stream, runtime).run)
            for number in range(count):
                start = time.perf_counter()
                action = await stream.add_event(CmdRunAction(f"echo {number}"), "agent")
                async for event in stream.follow(action.id or 0):
                    if event.cause == action.id:
                        break
                found.append(time.perf_counter() - start)
            tasks.cancel_scope.cancel()
    return found


async def _work(folder: Path, count: int) -> tuple[list[float], float]:
    """Seconds between the steps of an agent, and the megabytes that this process has grown meanwhile."""
    stepper = Stepper(count)
    session = AgentSession("bench", FileStore(folder))
    await session.start("pyodide", PLAIN, stepper)
    try:
        gc.collect()
        before = rss_mb()
        await session.send("go")
        await session.controller.wait(AgentState.FINISHED)
        gc.collect()
        grown = rss_mb() - before
    finally:
        await session.close()
    return [after - at for at, after in zip(stepper.times, stepper.times[1:], strict=False)], grown
