"""Connections to MCP servers, each kept by a task of its own until it is closed."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from cloche.config import RemoteServer, StdioServer
from cloche.limits import MCP_MESSAGE_LIMIT
from cloche.runtime.mcp_transport import load_mcp, translate

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.shared._httpx_utils import McpHttpClientFactory
    from mcp_types import CallToolResult, Tool

Open = Callable[[], AbstractAsyncContextManager["Client"]]
MOST_PAGES = 50
"""Pages of a list of tools that are read."""
CLOSE_WAIT = 5.0


class Kept:
    """A connection that is made when it is first needed, and again when it was lost."""

    def __init__(self, name: str, opened: Open, seconds: float = float("inf")) -> None:
        self.name = name
        self.seconds = seconds
        self.tools: list[Tool] = []
        self._open = opened
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._ready = anyio.Event()
        self._leave = anyio.Event()
        self._error: Exception | None = None
        self._turn = anyio.Lock()

    async def connect(self) -> None:
        """Connect and list the tools, unless that is done."""
        async with self._turn:
            if self._client is not None:
                return
            await to_thread.run_sync(load_mcp)
            self._ready, self._leave, self._error = anyio.Event(), anyio.Event(), None
            # A connection of the library belongs to the task that opened it, and calls come from any.
            self._task = asyncio.get_running_loop().create_task(self._keep())
            try:
                await self._ready.wait()
            except anyio.get_cancelled_exc_class():
                self._task.cancel()
                raise
            if self._error is not None:
                raise self._error

    async def call(self, name: str, arguments: dict[str, Any]) -> "CallToolResult":
        """Call a tool; a connection that was lost is made anew first."""
        await self.connect()
        client = self._client
        if client is None:
            raise ConnectionError("it went away")
        try:
            return await client.call_tool(name, arguments)
        except Exception as error:
            plain = translate(error, self.name, "its entry in [mcp]")
            if isinstance(plain, ConnectionError):
                await self.close()
            raise plain from error

    async def close(self) -> None:
        """End it; may be called twice."""
        task, self._task = self._task, None
        self._leave.set()
        if task is None:
            return
        with anyio.move_on_after(CLOSE_WAIT, shield=True) as scope:
            await asyncio.wait({task})
        if scope.cancelled_caught:
            task.cancel()

    async def _keep(self) -> None:
        try:
            async with self._open() as client:
                self.tools = await _list_tools(client)
                self._client = client
                self._ready.set()
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 - a worker's border: whatever ends it is told to who waits or calls next
            self._error = translate(error, self.name, "its entry in [mcp]")
        finally:
            self._client = None
            self._ready.set()


async def _list_tools(client: "Client") -> "list[Tool]":
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools


def open_stdio(server: StdioServer) -> Open:
    """Starts a server as a program of this machine."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator["Client"]:
        from mcp import Client, StdioServerParameters

        # The library adds PATH, HOME and the like, and nothing else of this process's own: that may hold secrets.
        env = {name: secret.reveal() for name, secret in server.env.items()}
        async with Client(StdioServerParameters(command=server.command, args=list(server.args), env=env)) as client:
            yield client

    return opened


def open_remote(server: RemoteServer, mode: str) -> Open:
    """Reaches a server by its address."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator["Client"]:
        import httpx2
        from mcp import Client
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        key = server.read_key()
        headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
        # In a thread: it reads the certificates of this machine. A stream may be quiet for long; calls have a deadline.
        patience = httpx2.Timeout(server.timeout, read=None)
        http = await to_thread.run_sync(lambda: httpx2.AsyncClient(headers=headers, timeout=patience))
        if mode == "sse":
            async with Client(sse_client(server.url, httpx_client_factory=_giving(http)), mode="legacy") as client:
                yield client
            return
        streams = streamable_http_client(server.url, http_client=http, max_sse_event_size=MCP_MESSAGE_LIMIT)
        async with http, Client(streams) as client:
            yield client

    return opened


def _giving(http: "httpx2.AsyncClient") -> "McpHttpClientFactory":
    def give(
        headers: dict[str, str] | None = None,
        timeout: "httpx2.Timeout | None" = None,
        auth: "httpx2.Auth | None" = None,
    ) -> "httpx2.AsyncClient":
        return http

    return give
