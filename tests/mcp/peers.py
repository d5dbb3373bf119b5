"""Real `cloche mcp` processes for the tests, and clients of them."""

import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOKEN = "a-token-for-tests"
START = 60
"""Seconds for a server to say where it serves."""
PROGRAM = "from cloche.cli import main; main()"
MODES = ("2026-07-28", "legacy")


class Peer(NamedTuple):
    """A server that runs."""

    url: str
    token: str
    process: "subprocess.Popen[str]"


def environment(**more: str) -> dict[str, str]:
    """What a server of the tests finds: nothing of the user's own configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLOCHE_MCP")}
    return {**kept, **more}


@contextmanager
def http_server(*options: str, token: str | None = TOKEN, **env: str) -> Generator[Peer]:
    """A server on a free port, until the block ends."""
    given = ["--token", token] if token is not None else []
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", "--http", "127.0.0.1:0", *given, *options],
        env=environment(**env),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    watch = threading.Timer(START, process.kill)
    watch.start()
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        assert said.startswith("Serving MCP on http://"), said + process.stderr.read()
        made = process.stderr.readline().removeprefix("Token: ").strip() if token is None else token
        watch.cancel()
        yield Peer(said.split()[-1], made, process)
    finally:
        watch.cancel()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        process.stderr.close()


def stdio_server(*options: str, **env: str) -> StdioServerParameters:
    """How a client starts a server of its own."""
    return StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp", *options], env=environment(**env))


@asynccontextmanager
async def http_client(peer: Peer, *, mode: str = "auto", **headers: str) -> AsyncGenerator[Client]:
    """A client over HTTP."""
    sent = {"Authorization": f"Bearer {peer.token}", **headers}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=30) as http,
        Client(streamable_http_client(peer.url, http_client=http), mode=mode) as client,
    ):
        yield client


async def until_there(peer: Peer, sid: str, name: str) -> None:
    """Wait until a session's sandbox has a file, which shows that an action has begun."""
    async with http_client(peer, session_id=sid, user_id="") as client:
        while name not in str((await client.call_tool("list_files", {})).structured_content):
            pass
