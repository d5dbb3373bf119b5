"""Connections to MCP servers, each held open by its own task."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from cloche.config import RemoteServer, StdioServer
from cloche.limits import MCP_CONNECT_TIMEOUT, MCP_MESSAGE_LIMIT
from cloche.runtime.remote.mcp_transport import load_mcp, refuse_access, translate_error

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.client.session import IncomingMessage, MessageHandlerFnT
    from mcp.shared._httpx_utils import McpHttpClientFactory
    from mcp_types import CallToolResult, Tool

log = logging.getLogger(__name__)

Open = Callable[["MessageHandlerFnT"], AbstractAsyncContextManager["Client"]]
MOST_TOOLS = 20_000
"""The most tools of one server that are listed."""
MOST_PAGES = 1000
"""The most pages of a list of tools that are read."""
SECTION = "its entry in [mcp]"
CLOSE_WAIT = 5.0
"""Seconds a server may take to close; after as many again its connection is abandoned."""


class ServerTask:
    """One connection from its start to its end."""

    def __init__(self) -> None:
        self.client: Client | None = None
        self.error: Exception | None = None
        self.ready = anyio.Event()
        self.ended = anyio.Event()
        self.leaving = False
        self.news = anyio.Event()
        self.scope = anyio.CancelScope()
        self.task: asyncio.Task[None] | None = None

    def leave(self) -> None:
        """End it; one that is not ready yet has nothing to close."""
        self.leaving = True
        self.news.set()
        if self.client is None:
            self.scope.cancel()

    async def hear(self, message: "IncomingMessage") -> None:
        """Note that the server's tools have changed."""
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self.news.set()


class KeptConnection:
    """A connection that is opened on first use, and again if it was lost."""

    def __init__(self, name: str, opened: Open, seconds: float = float("inf")) -> None:
        self.name = name
        self.seconds = seconds
        self.tools: dict[str, Tool] = {}
        self._open = opened
        self._life: ServerTask | None = None
        self._turn = anyio.Lock()

    async def connect(self) -> None:
        """Connect and list the tools, unless that is done."""
        async with self._turn:
            if self._life is not None and self._life.client is not None:
                return
            await self.close()
            await to_thread.run_sync(load_mcp)
            life = self._life = ServerTask()
            # A connection of the library belongs to the task that opened it, and calls come from any: `close` ends it.
            life.task = asyncio.get_running_loop().create_task(self._keep(life))
            try:
                await life.ready.wait()
            except anyio.get_cancelled_exc_class():
                await self.close()
                raise
            if life.error is not None:
                raise life.error

    async def call(self, name: str, arguments: dict[str, Any]) -> "CallToolResult":
        """Call a tool; a lost connection is opened again first."""
        await self.connect()
        life = self._life
        if life is None or life.client is None:
            raise ConnectionError("it went away")
        try:
            return await life.client.call_tool(name, arguments)
        except Exception as error:  # the library raises groups of anything
            plain = translate_error(error, self.name, SECTION)
            if isinstance(plain, ConnectionError):
                await self.close()
            raise plain from error

    async def refresh(self) -> None:
        """Ask for the tools again, if it is connected."""
        life = self._life
        if life is not None and life.client is not None:
            self.tools = await _list_tools(life.client)

    async def close(self) -> None:
        """End it; may be called twice."""
        life, self._life = self._life, None
        if life is None:
            return
        life.leave()
        # Never by cancelling the task itself: that would interrupt what ends the server's processes.
        for _ in range(2):
            with anyio.move_on_after(CLOSE_WAIT, shield=True):
                await life.ended.wait()
            life.scope.cancel()
        if not life.ended.is_set():
            log.warning("the MCP server %s does not let go", self.name)

    async def _keep(self, life: ServerTask) -> None:
        try:
            with life.scope:
                async with self._open(life.hear) as client:
                    self.tools = await _list_tools(client)
                    life.client = client
                    life.ready.set()
                    await self._follow(life, client)
        except Exception as error:  # noqa: BLE001 - a worker's border: the next caller gets the error
            life.error = translate_error(error, self.name, SECTION)
        finally:
            life.client = None
            life.error = life.error or ConnectionError("it went away")
            life.ready.set()
            life.ended.set()

    async def _follow(self, life: ServerTask, client: "Client") -> None:
        """Keep the list of tools up to date until the end."""
        while True:
            await life.news.wait()
            if life.leaving:
                return
            life.news = anyio.Event()
            with anyio.fail_after(MCP_CONNECT_TIMEOUT):
                self.tools = await _list_tools(client)


async def _list_tools(client: "Client") -> "dict[str, Tool]":
    tools: dict[str, Tool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        tools |= {tool.name: tool for tool in page.tools[: MOST_TOOLS - len(tools)]}
        cursor = page.next_cursor
        if cursor is None or len(tools) >= MOST_TOOLS:
            break
    return tools


def open_stdio(server: StdioServer) -> Open:
    """Starts a server as a program on this machine."""

    @asynccontextmanager
    async def opened(hear: "MessageHandlerFnT") -> AsyncGenerator["Client"]:
        from mcp import Client, StdioServerParameters

        # The library adds PATH, HOME and the like, and nothing else of this process's own: that may hold secrets.
        env = {name: secret.reveal() for name, secret in server.env.items()}
        start = StdioServerParameters(
            command=server.command, args=list(server.args), env=env, encoding_error_handler="replace"
        )
        async with Client(start, message_handler=hear) as client:
            yield client

    return opened


def open_remote(server: RemoteServer, mode: str) -> Open:
    """Connects to a server by its address."""

    @asynccontextmanager
    async def opened(hear: "MessageHandlerFnT") -> AsyncGenerator["Client"]:
        import httpx2
        from mcp import Client
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        key = server.read_key()
        headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
        # In a thread: it reads the certificates of this machine. A stream may be quiet for long; calls have a deadline.
        patience = httpx2.Timeout(server.timeout, read=None)
        hooks = {"response": [refuse_access]}
        http = await to_thread.run_sync(
            lambda: httpx2.AsyncClient(headers=headers, timeout=patience, event_hooks=hooks)
        )
        if mode == "sse":
            streams = sse_client(server.url, httpx_client_factory=_client_factory(http))
            async with Client(streams, mode="legacy", message_handler=hear) as client:
                yield client
            return
        streams = streamable_http_client(server.url, http_client=http, max_sse_event_size=MCP_MESSAGE_LIMIT)
        async with http, Client(streams, message_handler=hear) as client:
            yield client

    return opened


def _client_factory(http: "httpx2.AsyncClient") -> "McpHttpClientFactory":
    def give(
        headers: dict[str, str] | None = None,
        timeout: "httpx2.Timeout | None" = None,
        auth: "httpx2.Auth | None" = None,
    ) -> "httpx2.AsyncClient":
        return http

    return give
