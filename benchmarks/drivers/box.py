"""Cloche itself, with every layer of isolation."""

import cloche
from benchmarks.drivers.base import Peer, Session


class Box(Session):
    def __init__(self, box: cloche.Sandbox) -> None:
        self._box = box

    async def value(self, expression: str) -> str:
        return str((await self._box.run(expression, check=True)).value)

    async def printed(self, code: str) -> int:
        count = 0
        async for event in self._box.stream(code, timeout=None):
            if isinstance(event, cloche.Text):
                count += len(event.text)
        return count

    async def bash(self, command: str) -> str:
        return (await self._box.bash(command, check=True)).stdout

    async def stopped(self, code: str, seconds: float) -> Session:
        await self._box.run(code, timeout=seconds)
        return self

    async def close(self) -> None:
        await self._box.close()


class Cloche(Peer):
    async def open(self) -> Session:
        box = cloche.Sandbox(confinement="require")
        await box.__aenter__()
        return Box(box)


PEER = Cloche()
