"""Connects to a Cloche MCP server over HTTP. The MCP library is imported on first use: it takes a second."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct

from cloche.errors import ClocheError, ConfigError, RuntimeUnavailable
from cloche.limits import MCP_CONNECT_TIMEOUT, MCP_MESSAGE_LIMIT
from cloche.runtime.live_output import Hear
from cloche.runtime.remote.forwarder import CallRefused, Transport

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.shared.dispatcher import ProgressFnT
    from mcp_types import CallToolResult

TOOL = "execute_action"
FIX = "Set [mcp.pyodide] url to one, or remove the section to use a sandbox of this machine"
MODERN = "2026-07-28"
"""The first protocol without sessions: a call needs no handshake before it."""
CLOSED = (-32000,)
"""What the MCP library answers by itself when a connection has ended."""
REFUSED = {
    401: "the token was refused. Set api_key, or api_key_env, of {} to the one the server was started with",
    403: "access was refused. Set api_key, or api_key_env, of {} to one that may",
    404: "there is nothing at this path. Set the url of {} to the whole address that the server has, `/mcp` included",
    413: "what was sent is too large for it, or for a proxy before it: send less at once, or raise the limit there",
}
PASSING = (408, 425, 429)
"""Status codes that may pass, like all from 500 on."""


class MCPTransport(Transport):
    """Calls the tool `execute_action`, on a new connection or one that was kept."""

    def __init__(self, url: str, headers: dict[str, str], token: str | None = None) -> None:
        self._url = url
        self._headers = headers | ({"Authorization": f"Bearer {token}"} if token else {})
        self._http: httpx2.AsyncClient | None = None
        self._mode = "auto"

    async def open(self) -> None:
        await self.close_http()
        await to_thread.run_sync(load_mcp)
        # In a thread too: it reads the certificates of this machine.
        self._http = await to_thread.run_sync(self._open_http)
        try:
            names = await self._list()
        except ValueError as error:
            raise RuntimeUnavailable(f"{self._url} does not answer as an MCP server does: {error}. {FIX}") from error
        if TOOL not in names:
            raise RuntimeUnavailable(f"{self._url} has no tool `{TOOL}`: it is no Cloche MCP server. {FIX}")

    async def call(self, event: dict[str, Any], on_output: Hear | None = None) -> dict[str, Any]:
        result = await self._ask(TOOL, {"event": event}, on_output)
        answer: object = result.structured_content
        if result.is_error or not isinstance(answer, dict):
            texts = [text for block in result.content if (text := getattr(block, "text", None))]
            raise CallRefused(" ".join(texts)[:500]) if result.is_error else ValueError("it is empty")
        return cast("dict[str, Any]", answer)

    async def interrupt(self) -> bool:
        told: object = (await self._ask("interrupt")).structured_content
        return told == {"interrupted": True}

    async def release(self) -> None:
        await self.close_http()

    async def close(self) -> None:
        if self._http is None:
            return
        try:
            await self._ask("reset")
        except (ConnectionError, ClocheError, ValueError):
            # The server closes it when it is unused for a while.
            pass
        finally:
            await self.close_http()

    async def close_http(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            with anyio.CancelScope(shield=True):
                await http.aclose()

    async def _list(self) -> list[str]:
        with anyio.fail_after(MCP_CONNECT_TIMEOUT):
            async with self._client() as client:
                self._mode = MODERN if client.protocol_version >= MODERN else "legacy"
                return [tool.name for tool in (await client.list_tools()).tools]

    def _open_http(self) -> "httpx2.AsyncClient":
        import httpx2

        # An answer takes as long as its action: the forwarder has the deadline.
        patience = httpx2.Timeout(MCP_CONNECT_TIMEOUT, read=None)
        return httpx2.AsyncClient(headers=self._headers, timeout=patience, event_hooks={"response": [refuse_answer]})

    async def _ask(
        self, tool: str, arguments: dict[str, Any] | None = None, on_output: Hear | None = None
    ) -> "CallToolResult":
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

        # Not `call_tool`, which would fetch the list of tools each time to check the answer against its schema.
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments or {}))
        async with self._client() as client:
            return await client.session.send_request(
                request,
                CallToolResult,
                progress_callback=None if on_output is None else _make_progress_handler(on_output),
            )

    @asynccontextmanager
    async def _client(self) -> AsyncGenerator["Client"]:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        if self._http is None:
            raise ConnectionError("it is closed")
        streams = streamable_http_client(self._url, http_client=self._http, max_sse_event_size=MCP_MESSAGE_LIMIT)
        try:
            async with Client(streams, mode=self._mode, cache=None) as client:
                yield client
        except Exception as error:  # the library raises groups of anything
            plain = translate_error(error, self._url, "[mcp.pyodide]")
            if plain is error:
                raise
            raise plain from error


class OutputPiece(Struct, frozen=True):
    """Output of an action, from the progress of `execute_action`."""

    stream: Literal["stdout", "stderr"]
    text: str


def _make_progress_handler(on_output: Hear) -> "ProgressFnT":
    async def hear(progress: float, total: float | None, message: str | None) -> None:
        # Passed on without a pause, so that pieces stay in order.
        try:
            piece = msgspec.json.decode(message or "", type=OutputPiece)
        except msgspec.DecodeError:
            return
        on_output(piece.stream, piece.text)

    return hear


async def refuse_answer(response: "httpx2.Response") -> None:
    """Raise what the MCP library would only call an error response."""
    status = response.status_code
    if status in (401, 403, 413) or (status >= 404 and not await _is_json_rpc(response)):
        response.raise_for_status()


async def refuse_access(response: "httpx2.Response") -> None:
    """Raise for a refused login; other errors may be a server's answer to an unknown request."""
    if response.status_code in (401, 403):
        response.raise_for_status()


async def _is_json_rpc(response: "httpx2.Response") -> bool:
    """Whether the answer is from the protocol, rather than from a proxy or another server."""
    if not response.headers.get("content-type", "").startswith("application/json"):
        return False
    return b'"jsonrpc"' in await response.aread()


def require_mcp() -> None:
    """Say what to install if the MCP library is missing; it is not imported."""
    if find_spec("mcp") is None:
        raise ConfigError("MCP needs the extra `mcp`: pip install 'cloche[mcp]'")


def load_mcp() -> None:
    """Import what clients need, which takes a second."""
    require_mcp()
    for name in ("mcp", "mcp.client.streamable_http", "mcp.client.sse", "jsonschema"):
        import_module(name)


def translate_error(error: BaseException, place: str, section: str) -> Exception:
    """The error as one of ours: ConnectionError if it may pass."""
    import httpx2
    from mcp import MCPError

    found = first_of(error)
    if isinstance(found, httpx2.HTTPStatusError):
        status = found.response.status_code
        if status in REFUSED:
            return RuntimeUnavailable(f"{place} answered {status}: {REFUSED[status].format(section)}")
        passes = status in PASSING or status >= 500
        return ConnectionError(f"{place} answered {status}") if passes else ValueError(f"{place} answered {status}")
    if isinstance(found, httpx2.TransportError | anyio.ClosedResourceError | anyio.EndOfStream | OSError):
        return ConnectionError(f"{type(found).__name__}: {found or 'it went away'}")
    if isinstance(found, MCPError):
        text = " ".join(str(found).split())[:300]
        return ConnectionError(text) if found.code in CLOSED else ValueError(text)
    if isinstance(found, ClocheError | ValueError | TimeoutError):
        return found
    return ValueError(f"{type(found).__name__}: {found}")


def first_of(error: BaseException) -> BaseException:
    """The first error of a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
