"""`cloche mcp`: the first answer after the start, and calls after that, over stdio and through a remote runtime."""

import json
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from benchmarks.measure import Row, Scale, Target, clock, in_ms
from cloche.config import AppConfig, MCPConfig, NamedServer, Secret
from cloche.runtime.pyodide import PyodideRuntime

FIRST_S, CALL_MS, LISTED = 2.5, 10.0, 6000.0
PATIENCE = 60.0
LINE = 1 << 20
CLOCHE = [sys.executable, "-c", "from cloche.cli import main; main()", "mcp"]
VERSION = "2025-11-25"
HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Talk:
    """A client that only writes and reads lines, so that what is measured is the server."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._write = process.stdin
        self._read = BufferedByteReceiveStream(process.stdout)
        self._number = 0

    async def greet(self) -> None:
        """Agree on the protocol."""
        await self.ask("initialize", HELLO)
        await self._send({"method": "notifications/initialized"})

    async def run_python(self, code: str) -> None:
        """Run a cell, which must not fail."""
        answer = await self.ask("tools/call", {"name": "run_python", "arguments": {"code": code}})
        if answer["result"].get("isError"):
            raise RuntimeError(f"run_python failed: {answer}")

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._number += 1
        await self._send({"id": self._number, "method": method, "params": params})
        with anyio.fail_after(PATIENCE):
            return json.loads(await self._read.receive_until(b"\n", LINE))

    async def _send(self, message: dict[str, Any]) -> None:
        await self._write.send(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


async def rows(scale: Scale) -> list[Row]:
    """All that is promised of MCP."""
    first = [await _first() for _ in range(scale.cold)]
    async with _talking() as talk:
        await talk.greet()
        for _ in range(scale.warm_up):
            await talk.run_python("1+1")
        calls = [await clock(talk.run_python("1+1")) for _ in range(scale.warm)]
        listed = await _count_characters(talk)
    remote = await _remote(scale)
    return [
        Row(
            name="`cloche mcp`: start to first answer",
            unit="s",
            ours=first,
            target=Target("median", FIRST_S),
            note="over stdio, `run_python('1+1')`, from the start of the process",
        ),
        Row(
            name="MCP `run_python('1+1')`",
            unit="ms",
            ours=in_ms(calls),
            target=Target("median", CALL_MS),
            note="over stdio, warm",
        ),
        Row(
            name="MCP tools as a model reads them",
            unit="characters",
            ours=[listed],
            target=Target("median", LISTED),
            note="name, description and input schema of each, over stdio; about 4.4 of them are a token",
        ),
        Row(name="remote runtime: `echo hi`", unit="ms", ours=in_ms(remote), note="a `run` action over HTTP, warm"),
    ]


async def _count_characters(talk: Talk) -> float:
    """Characters of the list of tools that clients put before a model."""
    tools = (await talk.ask("tools/list", {}))["result"]["tools"]
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    return float(len(json.dumps(shown, separators=(",", ":"))))


async def _first() -> float:
    begun = time.perf_counter()
    async with _talking() as talk:
        await talk.greet()
        await talk.run_python("1+1")
        return time.perf_counter() - begun


async def _remote(scale: Scale) -> list[float]:
    token = uuid4().hex
    process = await anyio.open_process([*CLOCHE, "--http", "127.0.0.1:0", "--token", token], stdout=None)
    async with process:
        assert process.stderr is not None
        with anyio.fail_after(PATIENCE):
            said = await BufferedByteReceiveStream(process.stderr).receive_until(b"\n", LINE)
        server = NamedServer(url=said.decode().split()[-1], api_key=Secret(token))
        async with PyodideRuntime(AppConfig(mcp=MCPConfig(servers={"pyodide": server})), sid=uuid4().hex) as runtime:
            for _ in range(scale.warm_up):
                await runtime.run("echo hi")
            seconds = [await clock(runtime.run("echo hi")) for _ in range(scale.warm)]
        process.terminate()
    return seconds


@asynccontextmanager
async def _talking() -> AsyncGenerator[Talk]:
    async with await anyio.open_process(CLOCHE, stderr=None) as process:
        yield Talk(process)
        assert process.stdin is not None
        await process.stdin.aclose()
        with anyio.move_on_after(PATIENCE):
            await process.wait()
