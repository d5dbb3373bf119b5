"""`edit_file`: changes a part of a file."""

from pathlib import PurePosixPath
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.events import ErrorObservation, FileEditAction, FileEditObservation, FileReadAction, Observation
from cloche.events.kinds.file import EDIT_REFUSED
from cloche.limits import MCP_TEXT
from cloche.mcp.arguments import Arguments, PathField
from cloche.mcp.contents import make_answer, make_refusal
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.live_output import Hear
from cloche.sandbox.results.readable import shorten_output


class EditFile(Arguments):
    path: Annotated[str, PathField]
    command: Annotated[
        Literal["str_replace", "insert", "undo_edit"],
        Field(description="What to do."),
    ] = "str_replace"
    old_str: Annotated[
        str | None,
        Field(description="For str_replace: the text to replace, exactly as in the file."),
    ] = None
    new_str: Annotated[str | None, Field(description="The new text.")] = None
    insert_line: Annotated[
        int | None, Field(ge=0, description="For insert: the line after which to insert; 0 for the beginning.")
    ] = None


class EditResult(BaseModel):
    path: str
    diff: Annotated[str, Field(description="What changed, as a unified diff.")]


async def edit_file(request: ToolRequest, given: EditFile) -> CallToolResult:
    """Change a part of a file."""
    action = FileEditAction(
        str(PurePosixPath("/workspace") / given.path),
        given.command,
        old_str=given.old_str,
        new_str=given.new_str,
        insert_line=given.insert_line,
    )
    return await perform_edit(request, action)


async def perform_edit(request: ToolRequest, action: FileEditAction | FileReadAction) -> CallToolResult:
    """The result of an action that edits or views a file."""

    async def work(_: Hear) -> tuple[CallToolResult, Observation]:
        async with request.session.runtime() as runtime:
            observation = await runtime.execute(action)
        return _show_edit(action.path, observation), observation

    return await request.perform(action, work)


def _show_edit(path: str, observation: Observation) -> CallToolResult:
    if isinstance(observation, ErrorObservation) or observation.content.startswith(EDIT_REFUSED):
        return make_refusal(observation.content.removeprefix(EDIT_REFUSED))
    diff = (observation.diff or "") if isinstance(observation, FileEditObservation) else ""
    return make_answer(
        shorten_output(observation.content, MCP_TEXT), EditResult(path=path, diff=shorten_output(diff, MCP_TEXT))
    )


TOOL = Tool(
    "edit_file",
    "Edit file",
    "Change part of a text file of the sandbox: replace a text that occurs exactly once, insert lines, or "
    "undo the last edit. Answers with a diff.",
    EditFile,
    EditResult,
    edit_file,
    rank=9,
)
