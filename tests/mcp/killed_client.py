"""A client that is to be killed: says when its code runs, and waits for its end."""

import sys
from functools import partial

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, code: str, *session: str) -> None:
    async with (
        httpx2.AsyncClient(timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
    ):

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            sys.stdout.write(message or "")
            sys.stdout.flush()

        named = {"session": session[0]} if session else {}
        await client.call_tool("run_python", {"code": code, "timeout": 600, **named}, progress_callback=hear)
        await anyio.sleep_forever()


anyio.run(partial(main, *sys.argv[1:]))
