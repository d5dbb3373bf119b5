"""`read_file`: a text file, whole or by lines, or a picture."""

import base64
import io
import mimetypes
from typing import Annotated

from mcp_types import CallToolResult, ImageContent, TextContent
from pydantic import BaseModel, Field

from cloche.events import ErrorObservation, FileReadAction, FileReadObservation, Observation
from cloche.limits import MCP_FILE_LIMIT, MCP_IMAGES, MCP_TEXT
from cloche.mcp.arguments import Arguments, PathField
from cloche.mcp.contents import dump_structure, make_answer, make_refusal
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.actions.file_texts import data_url
from cloche.runtime.codes import FILE
from cloche.runtime.live_output import Hear
from cloche.sandbox.results.readable import PICTURES, shorten_output


class ReadFile(Arguments):
    path: Annotated[str, PathField]
    first_line: Annotated[int | None, Field(ge=1, description="First line to read, from 1.")] = None
    last_line: Annotated[int | None, Field(ge=1, description="Last line to read, itself included.")] = None


class FileText(BaseModel):
    path: str
    size: Annotated[int, Field(description="Bytes of the whole file.")]
    mime_type: str
    text: Annotated[str | None, Field(description="Its text, or the lines that were asked for.")] = None
    truncated: Annotated[bool, Field(description="Whether the middle was left out: ask for lines.")] = False


def mime_type(path: str, text: str | None) -> str:
    """The type by the file's name, otherwise by its contents."""
    return mimetypes.guess_type(path)[0] or ("application/octet-stream" if text is None else "text/plain")


def as_text(data: bytes) -> str | None:
    """The text of a file, None if it is not text."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


async def read_file(request: ToolRequest, given: ReadFile) -> CallToolResult:
    """The text of a file, or the picture in it."""
    action = FileReadAction(given.path, (given.first_line or 1) - 1, given.last_line or -1)

    async def work(_: Hear) -> tuple[CallToolResult, Observation]:
        async with request.session.box() as box:
            data = await box.read(given.path, limit=MCP_FILE_LIMIT)
        return _show_file(given, data)

    return await request.perform(action, work)


def _show_file(given: ReadFile, data: bytes) -> tuple[CallToolResult, Observation]:
    text = as_text(data)
    kind = mime_type(given.path, text)
    about = FileText(path=given.path, size=len(data), mime_type=kind)
    if kind in PICTURES and data.startswith(PICTURES[kind]) and len(data) * 4 // 3 <= MCP_IMAGES:
        picture = ImageContent(data=base64.b64encode(data).decode(), mime_type=kind)
        told = TextContent(text=f"{given.path}: {kind}, {len(data)} bytes")
        answer = CallToolResult(content=[picture, told], structured_content=dump_structure(about))
        return answer, FileReadObservation(data_url(kind, data), given.path)
    if text is None:
        return _refuse(f"{given.path} ({kind}, {len(data)} bytes) is not text: look at it with run_bash and `xxd`.")
    try:
        wanted = _pick_lines(text, given.first_line, given.last_line)
    except ValueError as error:
        return _refuse(f"{given.path} could not be read by lines: {error}.")
    shown = shorten_output(wanted, MCP_TEXT)
    answer = make_answer(shown, about.model_copy(update={"text": shown, "truncated": shown != wanted}))
    return answer, FileReadObservation(shown, given.path)


def _refuse(why: str) -> tuple[CallToolResult, Observation]:
    return make_refusal(why), ErrorObservation(why, FILE)


def _pick_lines(text: str, first: int | None, last: int | None) -> str:
    """Some lines of a text, counted as `sed` and `grep` do; raises ValueError if there are not so many."""
    lines = io.StringIO(text, newline="\n").readlines()
    begin = first or 1
    if begin > max(len(lines), 1):
        raise ValueError(f"it has only {len(lines)} lines")
    if last is not None and last < begin:
        raise ValueError(f"line {last}, the last one, comes before line {begin}, the first one")
    return "".join(lines[begin - 1 : last])


TOOL = Tool(
    "read_file",
    "Read file",
    "Read a text file of the sandbox, whole or by lines, or look at a picture. Long files are cut in the middle.",
    ReadFile,
    FileText,
    read_file,
    rank=7,
    reads_only=True,
)
