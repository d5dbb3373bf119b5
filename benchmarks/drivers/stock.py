"""Stock Pyodide in Deno, loaded the documented way with all permissions; it has no shell and no way to stop a loop."""

import asyncio
import os
from pathlib import Path

from benchmarks.drivers.base import Peer, Session
from benchmarks.drivers.lines import Lines

HARNESS = Path(__file__).with_name("stock.mjs")


class Stock(Session):
    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def value(self, expression: str) -> str:
        return str(await self._lines.ask(expression))

    async def printed(self, code: str) -> int:
        await self._lines.ask(code)
        return 0

    async def bash(self, command: str) -> str:
        raise NotImplementedError("it has no shell")

    async def stopped(self, code: str, seconds: float) -> Session:
        try:
            async with asyncio.timeout(seconds):
                await self._lines.ask(code)
        except TimeoutError:
            await self.close()
        return await PEER.open()

    async def close(self) -> None:
        await self._lines.close()


class StockPyodide(Peer):
    async def open(self) -> Session:
        folder, deno = os.environ["BENCH_FOLDER"], os.environ["BENCH_DENO"]
        argv = [deno, "run", "--no-config", "--no-lock", "-A", str(HARNESS), f"{folder}/pyodide"]
        env = {"DENO_DIR": f"{folder}/deno", "DENO_NO_UPDATE_CHECK": "1"}
        return Stock(await Lines.start(argv, env))

    def version(self) -> str:
        return os.environ["BENCH_VERSION"]


PEER = StockPyodide()
