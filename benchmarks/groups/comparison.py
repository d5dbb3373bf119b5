"""The same work on Cloche and on every peer that installs here, in turns."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread

from benchmarks.measure import Row, Scale, Target
from benchmarks.peer_table import Column, PeerTable
from benchmarks.peers import PEERS, Driver, PeerFailed, Ready, drive, prepare

STOCK, KERNEL = "stock Deno + Pyodide", "ipykernel"
COLD = Column(
    "cold start to the first value", "cold", "ms", {STOCK: Target("ratio", 0.15), KERNEL: Target("ratio", 0.55)}
)
WARM = Column("warm `1+1`", "warm `1+1`", "ms", {KERNEL: Target("ratio", 0.3)}, own=Target("tail", 1.6))
SUM = Column("`sum(range(10**6))`", "sum(1e6)", "ms", {STOCK: Target("ratio", 1.1)})
BASH = Column("bash `echo hi`", "bash", "ms", own=Target("median", 1.0))
MEMORY = Column("memory of one, Python and bash used (PSS)", "PSS", "MB", own=Target("median", 130))
TIMEOUT = Column("a loop stopped after 1 s, next value there", "back from a 1 s timeout, state", "s")
CROWD = Column("20 at once, first values there", "20 at once", "s", {STOCK: Target("ratio", 0.12)})
CROWD_MEMORY = Column("20 at once, memory (PSS)", "20 at once, PSS", "MB", {STOCK: Target("ratio", 0.8)})
COLUMNS = (COLD, WARM, SUM, BASH, MEMORY, TIMEOUT, CROWD, CROWD_MEMORY)

BUDGET = 5.0
"""Seconds of repeated calls in a row that a slow peer is given."""

LIMIT = 1.0
REST = 2.0
"""Seconds in which nothing happens before a peer is weighed."""

CELLS = 20
CROWD_SIZE = 20
COMMAND = "echo hi | cat"
BLOCK = 100
"""Calls in a row on one side, so that none is measured as it wakes up only."""

Act = Callable[[Driver], Awaitable[list[float]]]


class PeerComparison:
    """Keeps a driver for each peer, and asks them in turns."""

    def __init__(self, board: PeerTable, ready: list[Ready], drivers: dict[str, Driver]) -> None:
        self._board = board
        self._ready = ready
        self._drivers = drivers

    async def turns(self, column: Column, act: Act, rounds: int, *, keep: bool = True) -> None:
        """One act for each peer in each round; who fails is left out of the rounds that follow."""
        for _ in range(rounds):
            for ready in self._ready:
                cell = self._board.cell(column, ready.peer.name)
                if cell.why or (column is BASH and not ready.peer.bash):
                    continue
                try:
                    anew = column is COLD and ready.peer.inside
                    values = await (_in_new(ready, act) if anew else act(self._drivers[ready.peer.name]))
                except (PeerFailed, TimeoutError) as error:
                    cell.why = str(error) or "no answer in time"
                else:
                    cell.values += values if keep else []

    async def crowds(self, rounds: int, count: int, times: Column | None, memory: Column) -> None:
        """How long until many have answered, and what they weigh then."""
        for _ in range(rounds):
            for ready in self._ready:
                cell = self._board.cell(memory, ready.peer.name)
                if cell.why:
                    continue
                # One alone is weighed after everything that it has was used.
                command = COMMAND if ready.peer.bash and times is None else None
                try:
                    async with drive(ready) as driver:
                        answer = await driver.ask("crowd", count=count, cells=CELLS // count, command=command)
                        await anyio.sleep(REST)
                        cell.values.append(await driver.weigh())
                        await driver.ask("release")
                except (PeerFailed, TimeoutError) as error:
                    cell.why = str(error) or "no answer in time"
                    continue
                if times is not None:
                    spent = self._board.cell(times, ready.peer.name)
                    spent.values.append(answer["seconds"])
                    spent.note = cell.note = "" if count == CROWD_SIZE else f"{count} only"

    async def timeouts(self, rounds: int) -> None:
        kept: dict[str, set[bool]] = {ready.peer.name: set() for ready in self._ready}

        async def act(name: str, driver: Driver) -> list[float]:
            answer = await driver.ask("timeout", limit=LIMIT)
            kept[name].add(answer["kept"])
            return [answer["seconds"]]

        for ready in self._ready:
            name = ready.peer.name
            await self._only(name).turns(TIMEOUT, partial(act, name), rounds)
            self._board.cell(TIMEOUT, name).note = "kept" if kept[name] == {True} else "lost"

    def _only(self, name: str) -> "PeerComparison":
        return PeerComparison(self._board, [ready for ready in self._ready if ready.peer.name == name], self._drivers)


async def rows(scale: Scale) -> tuple[list[Row], PeerTable]:
    """All rows, and the board behind them."""
    board = PeerTable(COLUMNS, [peer.name for peer in PEERS])
    async with _started(board) as comparison:
        await comparison.turns(COLD, _cold, 1, keep=False)
        await comparison.turns(COLD, _cold, scale.cold)
        warm = partial(_repeat, "value", "1+1", "2", 1000.0)
        await comparison.turns(WARM, partial(warm, scale.warm_up), 1, keep=False)
        await comparison.turns(WARM, partial(warm, min(BLOCK, scale.warm)), max(1, scale.warm // BLOCK))
        total = partial(_repeat, "value", "sum(range(10**6))", "499999500000", 1000.0)
        await comparison.turns(SUM, partial(total, 10), 1, keep=False)
        await comparison.turns(SUM, partial(total, max(1, scale.compute // 5)), 5)
        echo = partial(_repeat, "bash", "echo hi", "hi", 1000.0)
        await comparison.turns(BASH, partial(echo, scale.warm_up), 1, keep=False)
        await comparison.turns(BASH, partial(echo, min(BLOCK, scale.warm)), max(1, scale.warm // BLOCK))
        await comparison.timeouts(min(scale.cold, 3))
    async with _started(board, idle=True) as comparison:
        await comparison.crowds(min(scale.cold, 3), 1, None, MEMORY)
        await comparison.crowds(min(scale.cold, 2), scale.crowd, CROWD, CROWD_MEMORY)
    return board.rows(), board


@asynccontextmanager
async def _started(board: PeerTable, *, idle: bool = False) -> AsyncGenerator[PeerComparison]:
    """Drivers of all peers that are there; idle: none yet, each is started when its turn comes."""
    async with AsyncExitStack() as stack:
        found: list[Ready] = []
        drivers: dict[str, Driver] = {}
        for peer in PEERS:
            ready = await to_thread.run_sync(prepare, peer)
            if isinstance(ready, str):
                board.absent[peer.name] = ready
                for column in COLUMNS:
                    board.cell(column, peer.name).why = ready
                continue
            found.append(ready)
            if not idle:
                drivers[peer.name] = await stack.enter_async_context(drive(ready))
                board.versions[peer.name] = (await drivers[peer.name].ask("version"))["version"]
        yield PeerComparison(board, found, drivers)


async def _in_new(ready: Ready, act: Act) -> list[float]:
    async with drive(ready) as driver:
        return await act(driver)


async def _cold(driver: Driver) -> list[float]:
    return [(await driver.ask("cold"))["seconds"] * 1000]


async def _repeat(kind: str, code: str, expect: str, factor: float, count: int, driver: Driver) -> list[float]:
    answer = await driver.ask("repeat", kind=kind, code=code, count=count, expect=expect, budget=BUDGET)
    return [seconds * factor for seconds in answer["seconds"]]
