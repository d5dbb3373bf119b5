"""The tools of MCP servers that a session can call."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from msgspec import Raw, Struct, field
from starlette.responses import Response

from cloche.events import MCPAction, encode_event, new_event
from cloche.runtime.tools.toolbox import ToolInfo
from cloche.server.access.callers import Wanted
from cloche.server.wire import answer, body_of, describe

router = APIRouter(prefix="/sessions/{sid}/tools", tags=["tools"])


class ToolServer(Struct, frozen=True):
    """A configured MCP server."""

    name: str
    failure: str
    """Why it could not be reached; empty if it could."""


class ToolListing(Struct, frozen=True):
    """The servers, and the tools of those that are connected."""

    servers: list[ToolServer]
    tools: list[ToolInfo]


class ToolCall(Struct, frozen=True, forbid_unknown_fields=True):
    """What a tool is called with."""

    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


@router.get("", **describe(told=ToolListing, problems=(404, 409)))
async def list_tools(wanted: Wanted) -> Response:
    """The tools of all servers that are connected."""
    async with wanted.use() as session:
        box = session.runtime.tools
        servers = [ToolServer(name, box.failures.get(name, "")) for name in box.servers]
        return answer(ToolListing(servers, box.tools))


@router.post("/{name:path}", **describe(ToolCall, dict[str, Any], problems=(404, 409, 504)))
async def call_tool(
    wanted: Wanted,
    name: Annotated[str, Path(max_length=500, description="of a tool, or `server/tool`")],
    given: Annotated[ToolCall, Depends(body_of(ToolCall))],
) -> Response:
    """Call a tool as an action of the user; the answer is its observation, also if the tool fails."""
    event = await wanted.act(new_event(MCPAction(name, given.arguments), "user"))
    return answer(Raw(encode_event(event)))
