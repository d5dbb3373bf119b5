"""Clients of MCP for the tests of the server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation

from cloche.events import Event, is_action, is_observation
from tests.server.conftest import OWNER, RunningServer

MODES = ("2026-07-28", "legacy")
BOTH = (pytest.param(MODES[0], marks=pytest.mark.slow), MODES[1])


@asynccontextmanager
async def mcp_client(
    server: RunningServer, mode: str = MODES[1], token: str = OWNER, name: str = "tests", **headers: str
) -> AsyncGenerator[Client]:
    """The official client, in one of the two eras of the protocol."""
    sent = {"authorization": f"Bearer {token}", **headers}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60) as http,
        Client(
            streamable_http_client(f"{server.url}/mcp", http_client=http),
            mode=mode,
            client_info=Implementation(name=name, version="1"),
        ) as client,
    ):
        yield client


async def value(client: Client, code: str, **more: str) -> str | None:
    """What a cell gives."""
    result = await client.call_tool("run_python", {"code": code, **more})
    assert result.structured_content is not None, result
    return result.structured_content.get("value")


async def find_session(client: Client, **more: str) -> str:
    """The id of the session that the client uses."""
    answer = await client.call_tool("list_files", dict(more))
    assert answer.meta is not None
    return answer.meta["cloche/session"]


async def list_events(server: RunningServer, sid: str) -> list[Event]:
    hosted = await server.app.manager.find(sid)
    return [event async for event in hosted.stream.get_events()]


def list_actions(events: list[Event]) -> list[tuple[Event, Event]]:
    """The actions that somebody began, each with its one observation."""
    pairs: list[tuple[Event, Event]] = []
    for event in events:
        if is_action(event.body) and event.body.runnable:
            (answer,) = [each for each in events if each.cause == event.id and is_observation(each.body)]
            pairs.append((event, answer))
    return pairs


def plain(result: CallToolResult) -> tuple[list[Any], dict[str, Any], bool]:
    """What a tool has answered, without what differs each time."""
    structure: dict[str, Any] = dict(result.structured_content or {})
    structure.pop("duration_ms", None)
    return [block.model_dump() for block in result.content], structure, bool(result.is_error)
