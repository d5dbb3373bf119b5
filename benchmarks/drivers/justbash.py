"""just-bash as it comes, in Node where there is one, else in Deno; its Python is a new one for each call."""

import os
import shlex
from pathlib import Path

from benchmarks.drivers.base import Peer, Session
from benchmarks.drivers.lines import Lines

HARNESS = Path(__file__).with_name("justbash.mjs")


class JustBash(Session):
    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def value(self, expression: str) -> str:
        return (await self.bash(f"python3 -c {shlex.quote(f'print({expression})')}")).strip()

    async def printed(self, code: str) -> int:
        return len(await self.bash(f"python3 -c {shlex.quote(code)}"))

    async def bash(self, command: str) -> str:
        answer = await self._lines.ask(command)
        if answer["exitCode"] not in (0, 124):
            raise RuntimeError(answer["stderr"].strip() or f"exit code {answer['exitCode']}")
        return answer["stdout"]

    async def stopped(self, code: str, seconds: float) -> Session:
        await self.bash(f"timeout {seconds:g} python3 -c {shlex.quote(code)}")
        return self

    async def close(self) -> None:
        await self._lines.close()


class Shell(Peer):
    async def open(self) -> Session:
        folder, node = os.environ["BENCH_FOLDER"], os.environ["BENCH_NODE"]
        program = [node] if Path(node).stem == "node" else [node, "run", "-A", "--no-lock"]
        return JustBash(await Lines.start([*program, f"{folder}/{HARNESS.name}"], {"DENO_NO_UPDATE_CHECK": "1"}))

    def version(self) -> str:
        return f"{os.environ['BENCH_VERSION']} in {Path(os.environ['BENCH_NODE']).stem}"


PEER = Shell()
