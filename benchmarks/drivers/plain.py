"""A new `python3 -c` for everything: no isolation and no state, the floor to compare with."""

import asyncio
import platform
import sys
from asyncio.subprocess import PIPE, Process

from benchmarks.drivers.base import Peer, Session


class Plain(Session):
    """For the sake of its weight a process waits after the first value, until the session is closed."""

    def __init__(self) -> None:
        self._held: Process | None = None

    async def value(self, expression: str) -> str:
        if self._held is not None:
            return (await _output(sys.executable, "-c", f"print({expression})")).strip()
        code = f"print({expression}, flush=True); import sys; sys.stdin.read()"
        self._held = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=PIPE, stdout=PIPE)
        assert self._held.stdout is not None
        return (await self._held.stdout.readline()).decode().strip()

    async def printed(self, code: str) -> int:
        return len(await _output(sys.executable, "-c", code))

    async def bash(self, command: str) -> str:
        return await _output("bash", "-c", command)

    async def stopped(self, code: str, seconds: float) -> Session:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            process.kill()
        await process.wait()
        return self

    async def close(self) -> None:
        if self._held is not None:
            self._held.kill()
            await self._held.communicate()


async def _output(*argv: str) -> str:
    process = await asyncio.create_subprocess_exec(*argv, stdout=PIPE)
    output, _ = await process.communicate()
    return output.decode()


class PlainPython(Peer):
    async def open(self) -> Session:
        return Plain()

    def version(self) -> str:
        return platform.python_version()


PEER = PlainPython()
