"""`write_file`: makes or replaces a file."""

import base64
import binascii
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.events import FileWriteAction, FileWriteObservation, MCPAction, Observation
from cloche.mcp.arguments import Arguments, PathField
from cloche.mcp.contents import make_answer, make_refusal
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.live_output import Hear


class WriteFile(Arguments):
    path: Annotated[str, PathField]
    content: Annotated[str, Field(description="The whole content of the file.")]
    encoding: Annotated[Literal["utf-8", "base64"], Field(description="`base64` for binary data.")] = "utf-8"


class WriteResult(BaseModel):
    path: str
    size: int


async def write_file(request: ToolRequest, given: WriteFile) -> CallToolResult:
    """Make or replace a file."""
    try:
        data = given.content.encode() if given.encoding == "utf-8" else base64.b64decode(given.content, validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        return make_refusal(f"{given.path} was not written: the content is not {given.encoding} ({error}).")
    action = MCPAction("write_file", given.model_dump(exclude={"session"}))
    if given.encoding == "utf-8":
        action = FileWriteAction(given.path, given.content)
    told = f"Wrote {len(data)} bytes to {given.path}."

    async def work(_: Hear) -> tuple[CallToolResult, Observation]:
        async with request.session.box() as box:
            await box.write(given.path, data)
        return make_answer(told, WriteResult(path=given.path, size=len(data))), FileWriteObservation(told, given.path)

    return await request.perform(action, work)


TOOL = Tool(
    "write_file",
    "Write file",
    "Make or replace a file of the sandbox, and the folders above it.",
    WriteFile,
    WriteResult,
    write_file,
    rank=8,
    repeatable=True,
)
