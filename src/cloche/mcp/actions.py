"""The tool that executes events: what a remote runtime calls."""

import json

import msgspec.structs
from mcp_types import CallToolResult, TextContent

from cloche.errors import EventError
from cloche.events import ErrorObservation, event_from_dict, event_to_dict
from cloche.mcp.contents import refusal
from cloche.mcp.models import ExecuteAction
from cloche.mcp.tool import Request, Tool
from cloche.runtime.codes import TOO_LARGE
from cloche.runtime.forwarder import EVENT_SIZE, too_large

TEXT_LIMIT = 65_536
"""Characters of an event that is given as text too; a larger one is only in the structure."""


async def _execute(request: Request, given: ExecuteAction) -> CallToolResult:
    try:
        event = event_from_dict(given.event)
    except EventError as error:
        return refusal(str(error))
    answer = await request.session.execute(event)
    text = json.dumps(reply := event_to_dict(answer))
    if len(text) > EVENT_SIZE:
        told = ErrorObservation(
            f"`{event.kind}` was executed, but its answer cannot be sent: {too_large(len(text))}", TOO_LARGE
        )
        text = json.dumps(reply := event_to_dict(msgspec.structs.replace(answer, body=told)))
    if len(text) > TEXT_LIMIT:
        text = f"An event of {len(text)} characters: see the structured content."
    return CallToolResult(content=[TextContent(text=text)], structured_content=reply)


TOOLS = (
    Tool(
        "execute_action",
        "Execute an action",
        "For programs, not for models: execute one action event in the format of OpenHands and get the observation "
        "event that answers it.",
        ExecuteAction,
        None,
        _execute,
        repeatable=True,
        runs=True,
        remote=True,
        schema={"type": "object", "description": "The observation, as an event."},
    ),
)
