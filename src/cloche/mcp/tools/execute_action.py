"""`execute_action`: executes an action event, for remote runtimes."""

import json
from typing import Annotated, Any

import msgspec.structs
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from cloche.errors import EventError
from cloche.events import ErrorObservation, event_from_dict, event_to_dict
from cloche.limits import MCP_PROGRESS
from cloche.mcp.arguments import Arguments
from cloche.mcp.call_progress import CallProgress
from cloche.mcp.contents import make_refusal
from cloche.mcp.tool import Context, Tool, ToolRequest
from cloche.runtime.codes import TOO_LARGE
from cloche.runtime.live_output import OnOutput
from cloche.runtime.remote.forwarder import EVENT_SIZE, refuse_too_large

NO_MORE = "\n... the rest is in the observation ...\n"
"""The end of live output that is too long."""
PIECE = 65_536
"""Characters of output in one message."""
TEXT_LIMIT = 65_536
"""A longer event is not repeated as text: it is only in the structured content."""


class ExecuteAction(Arguments):
    event: Annotated[
        dict[str, Any],
        Field(
            description='Such as {"action": "run", "args": {"command": "ls"}}. One that is sent again with the same '
            "id, or the same key under `cloche`, is not executed again."
        ),
    ]


async def execute_action(request: ToolRequest, given: ExecuteAction) -> CallToolResult:
    """Execute the action of an event and return the event that answers it."""
    try:
        event = event_from_dict(given.event)
    except EventError as error:
        return make_refusal(str(error))
    answer = await request.session.execute(event, _make_reporter(request.context))
    text = json.dumps(reply := event_to_dict(answer))
    if len(text) > EVENT_SIZE:
        told = ErrorObservation(
            f"`{event.kind}` was executed, but its answer cannot be sent: {refuse_too_large(len(text))}", TOO_LARGE
        )
        text = json.dumps(reply := event_to_dict(msgspec.structs.replace(answer, body=told)))
    if len(text) > TEXT_LIMIT:
        text = f"An event of {len(text)} characters: see the structured content."
    return CallToolResult(content=[TextContent(text=text)], structured_content=reply)


def _make_reporter(context: Context) -> OnOutput | None:
    """Reports the output of an action as progress, each piece with its stream; None if the client does not want it."""
    if (context.meta or {}).get("progress_token") is None:
        return None
    progress = CallProgress(context)
    left = MCP_PROGRESS

    async def tell(stream: str, text: str) -> None:
        nonlocal left
        if left <= 0:
            return
        part = text[:left] if len(text) <= left else text[:left] + NO_MORE
        left -= len(text)
        for begin in range(0, len(part), PIECE):
            await progress.pass_on(json.dumps({"stream": stream, "text": part[begin : begin + PIECE]}))

    return tell


TOOL = Tool(
    "execute_action",
    "Execute an action",
    "For programs, not for models: execute one action event in the format of OpenHands and get the observation "
    "event that answers it.",
    ExecuteAction,
    None,
    execute_action,
    rank=11,
    repeatable=True,
    runs=True,
    remote=True,
    schema={"type": "object", "description": "The observation, as an event."},
)
