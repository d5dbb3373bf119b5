"""Asking a model: what our client costs on top of the HTTP library, for a request and for a token."""

import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import httpx2
from anyio.streams.buffered import BufferedByteReceiveStream

from benchmarks.measure import Row, Scale, Target, alternate, clock, in_ms
from cloche.config import LLMConfig, Secret
from cloche.llm import Message, ask, open_llm

TOKENS = 5000
REQUEST_RATIO, TOKEN_US = 1.5, 25.0
PATIENCE = 60.0
SERVER = """
import sys
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
with ScriptedServer(lambda request: ServerTurn(text="word " * int(request.headers["x-words"]), piece=5)) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""
HELLO = [Message("user", "Hello?")]


async def rows(scale: Scale) -> list[Row]:
    """What a request, a token and the import cost."""
    async with _server() as base_url:
        short = await _compare(base_url, 1, scale.warm)
        long = await _compare(base_url, TOKENS, scale.bulk)
    ours, theirs = await _import("cloche.llm", scale), await _import("cloche.events", scale)
    per_token = [(mine - bare) / TOKENS * 1e6 for mine, bare in zip(*long, strict=True)]
    return [
        Row(
            name="model: an answer of one word",
            unit="ms",
            ours=in_ms(short[0]),
            peer="bare httpx2",
            theirs=in_ms(short[1]),
            target=Target("ratio", REQUEST_RATIO),
            note="`ask`, streamed by a server in another process; the peer reads the bytes and drops them",
        ),
        Row(
            name=f"model: an answer of {TOKENS:,} tokens",
            unit="ms",
            ours=in_ms(long[0]),
            peer="bare httpx2",
            theirs=in_ms(long[1]),
            note="an event for each token",
        ),
        Row(
            name="model: a token, above the bare request",
            unit="us",
            ours=per_token,
            target=Target("median", TOKEN_US),
            note="from the row above",
        ),
        Row(
            name="`import cloche.llm`",
            unit="ms",
            ours=in_ms(ours),
            peer="cloche.events",
            theirs=in_ms(theirs),
            note="as whole processes; the HTTP library is imported with the first request",
        ),
    ]


async def _compare(base_url: str, words: int, count: int) -> list[list[float]]:
    headers = {"x-words": str(words)}
    config = LLMConfig(model="m", base_url=base_url, headers={"x-words": Secret(str(words))})
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}], "stream": True}
    async with open_llm(config) as llm, httpx2.AsyncClient(trust_env=False) as http:

        async def read() -> None:
            async with http.stream("POST", f"{base_url}/chat/completions", json=body, headers=headers) as response:
                async for _ in response.aiter_bytes():
                    pass

        async def ours() -> float:
            return await clock(ask(llm, HELLO))

        async def theirs() -> float:
            return await clock(read())

        # The first request of each opens its connection.
        await ours()
        await theirs()
        return await alternate(ours, theirs, count=count)


async def _import(name: str, scale: Scale) -> list[float]:
    async def measure() -> float:
        begun = time.perf_counter()
        await anyio.run_process([sys.executable, "-c", f"import {name}"])
        return time.perf_counter() - begun

    return [await measure() for _ in range(scale.commands)]


@asynccontextmanager
async def _server() -> AsyncGenerator[str]:
    async with await anyio.open_process([sys.executable, "-c", SERVER], stderr=None) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        with anyio.fail_after(PATIENCE):
            line = await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1 << 10)
        yield line.decode().strip()
        await process.stdin.aclose()
