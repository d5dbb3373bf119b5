"""A peer in a JavaScript process that answers each line of JSON with one."""

import asyncio
import json
import os
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Any

LINE_LIMIT = 1 << 26


class Lines:
    """The process, spoken to over its pipes."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, argv: list[str], env: dict[str, str]) -> "Lines":
        both = {**os.environ, **env}
        process = await asyncio.create_subprocess_exec(
            *argv, env=both, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LINE_LIMIT
        )
        return cls(process)

    async def ask(self, question: Any) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(question).encode() + b"\n")
        await stdin.drain()
        line = await stdout.readline()
        if not line:
            raise RuntimeError("the process ended without an answer")
        return json.loads(line)

    async def close(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
