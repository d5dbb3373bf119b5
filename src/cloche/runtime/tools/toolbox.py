"""The tools of the configured MCP servers: connected, listed, called."""

import json
import logging
from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from cloche.config import MCPConfig
from cloche.errors import ClocheError
from cloche.events import ErrorObservation, MCPAction, MCPObservation, Observation
from cloche.limits import MCP_CONNECT_TIMEOUT, MCP_RESULT_LIMIT
from cloche.runtime.codes import NO_SUCH_TOOL, TOOL_FAILED
from cloche.runtime.failures import trace_error
from cloche.runtime.tools.mcp_servers import KeptConnection, open_remote, open_stdio

if TYPE_CHECKING:
    from mcp_types import CallToolResult

log = logging.getLogger(__name__)

NAMED = 50
"""How many tools are named if one is unknown."""
REFRESH_WAIT = 5.0
"""Seconds a server may take to list its tools again."""


class ToolInfo(Struct, frozen=True):
    """A tool that can be called."""

    name: str
    """Its name, with its server's before it, `server/tool`, if another tool has the same."""
    server: str
    description: str
    input_schema: dict[str, Any]


class ToolBox:
    """Keeps connections to the servers and calls their tools; an unreachable one is reported, the others work."""

    what = "MCP server"

    def __init__(self, config: MCPConfig, *, without: str = "", debug: bool = False) -> None:
        """All servers but the one that executes the runtime's own actions; `debug` adds stack traces to failures."""
        self._debug = debug
        self._servers = {kept.name: kept for kept in _list_servers(config, without)}
        self.failures: dict[str, str] = {}
        """Why a server could not be reached, by its name."""
        self.calls = 0
        """How many calls are running."""

    @property
    def servers(self) -> list[str]:
        """The names of all servers."""
        return list(self._servers)

    async def connect(self) -> None:
        """Connect to all at once, each within its time limit."""
        async with anyio.create_task_group() as tasks:
            for kept in self._servers.values():
                tasks.start_soon(self._connect, kept)

    @property
    def tools(self) -> list[ToolInfo]:
        """All tools of all servers that are connected."""
        listed = [(kept, tool) for kept in self._servers.values() for tool in kept.tools.values()]
        counts = Counter(tool.name for _, tool in listed)
        return [
            ToolInfo(
                tool.name if counts[tool.name] == 1 else f"{kept.name}/{tool.name}",
                kept.name,
                tool.description or "",
                tool.input_schema,
            )
            for kept, tool in listed
        ]

    async def call(self, action: MCPAction, seconds: float) -> Observation:
        """Call a tool; a failure is an observation."""
        if not self._find(action.name):
            await self._refresh()
        found = self._find(action.name)
        if len(found) != 1:
            return ErrorObservation(self._unknown(action.name, found), NO_SUCH_TOOL)
        kept, name = found[0]
        limit = min(seconds, kept.seconds)
        self.calls += 1
        try:
            with anyio.fail_after(limit):
                result = await kept.call(name, action.arguments)
        except TimeoutError:
            return _make_failure(action, kept, f"it gave no answer in {limit:g} s")
        except (ConnectionError, ValueError, ClocheError) as error:
            log.info("the tool %s of the MCP server %s failed: %s", name, kept.name, error)
            failure = _make_failure(action, kept, str(error))
            return replace(failure, content=failure.content + trace_error(error)) if self._debug else failure
        finally:
            self.calls -= 1
        self.failures.pop(kept.name, None)
        text = await to_thread.run_sync(_encode_result, result)
        if len(text) > MCP_RESULT_LIMIT:
            return _make_failure(action, kept, f"its answer of {len(text)} characters is too large")
        return MCPObservation(text, action.name, action.arguments)

    async def close(self) -> None:
        """Close all connections."""
        async with anyio.create_task_group() as tasks:
            for kept in self._servers.values():
                tasks.start_soon(kept.close)

    async def _connect(self, kept: KeptConnection) -> None:
        try:
            with anyio.fail_after(MCP_CONNECT_TIMEOUT):
                await kept.connect()
        except TimeoutError:
            self.failures[kept.name] = f"it gave no answer in {MCP_CONNECT_TIMEOUT:g} s"
        except (ConnectionError, ValueError, ClocheError) as error:
            self.failures[kept.name] = str(error)
        if kept.name in self.failures:
            log.warning("the MCP server %s is not connected: %s", kept.name, self.failures[kept.name])

    async def _refresh(self) -> None:
        """Check for tools that servers have added since."""
        async with anyio.create_task_group() as tasks:
            for kept in self._servers.values():
                tasks.start_soon(_refresh_tools, kept)

    def _find(self, name: str) -> list[tuple[KeptConnection, str]]:
        """The servers that have such a tool; `server/tool` means one of them, connected or not.

        `server_tool` is understood too, since that is how proxies of several servers name their tools.
        """
        found = [(kept, name) for kept in self._servers.values() if name in kept.tools]
        found = found or [
            (kept, name[len(kept.name) + 1 :])
            for kept in self._servers.values()
            if name.startswith(f"{kept.name}_") and name[len(kept.name) + 1 :] in kept.tools
        ]
        server, slash, own = name.partition("/")
        if not found and slash and server in self._servers:
            found = [(self._servers[server], own)]
        return found

    def _unknown(self, name: str, found: list[tuple[KeptConnection, str]]) -> str:
        if not self._servers:
            return f"There is no tool `{name}`: no MCP server is configured. Add one to [mcp] of config.toml."
        if found:
            names = " or ".join(f"`{kept.name}/{own}`" for kept, own in found)
            return f"More than one MCP server has a tool `{name}`: call {names}."
        known = [tool.name for tool in self.tools]
        more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
        failed = "".join(f" The server {server} is not connected: {why}." for server, why in self.failures.items())
        return f"There is no tool `{name}`. There are: {', '.join(known[:NAMED]) or 'none'}{more}.{failed}"


async def _refresh_tools(kept: KeptConnection) -> None:
    try:
        with anyio.fail_after(REFRESH_WAIT):
            await kept.refresh()
    except Exception as error:  # noqa: BLE001 - a worker's border: the tools it had before stay
        log.info("the MCP server %s did not list its tools again: %s", kept.name, error)


def _list_servers(config: MCPConfig, without: str) -> list[KeptConnection]:
    kinds = (("sse", config.sse_servers), ("shttp", config.shttp_servers))
    opens = [
        *((server.name, open_stdio(server), inf) for server in config.stdio_servers),
        *(
            (name, open_remote(server, server.mode), server.timeout)
            for name, server in config.servers.items()
            if name != without
        ),
        *(
            (urlsplit(server.url).netloc.rpartition("@")[2], open_remote(server, mode), server.timeout)
            for mode, servers in kinds
            for server in servers
        ),
    ]
    names = [name for name, _, _ in opens]
    earlier = [names[:number].count(name) for number, name in enumerate(names)]
    return [
        KeptConnection(f"{name}-{count + 1}" if count else name, opened, seconds)
        for count, (name, opened, seconds) in zip(earlier, opens, strict=True)
    ]


def _make_failure(action: MCPAction, kept: KeptConnection, why: str) -> ErrorObservation:
    return ErrorObservation(f"The tool `{action.name}` of the MCP server {kept.name} failed: {why}.", TOOL_FAILED)


def _encode_result(result: "CallToolResult") -> str:
    wire = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {key: wire[key] for key in ("content", "structuredContent", "isError") if key in wire}
    return json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
