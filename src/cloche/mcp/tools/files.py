"""The tools that work on files."""

import base64
import binascii
import io
import mimetypes
from collections import deque
from pathlib import PurePosixPath

from mcp_types import CallToolResult, ImageContent, TextContent

from cloche.events import ErrorObservation, FileEditAction, FileEditObservation, FileReadAction
from cloche.events.kinds.file import EDIT_REFUSED
from cloche.limits import MCP_FILE_LIMIT, MCP_FILES, MCP_IMAGES, MCP_TEXT
from cloche.mcp.tools.contents import PICTURES, dump_structure, make_answer, make_refusal, shorten_output
from cloche.mcp.tools.models import (
    EditFile,
    EditResult,
    Entry,
    FileListing,
    FileText,
    ListFiles,
    ReadFile,
    WriteFile,
    WriteResult,
)
from cloche.mcp.tools.tool import Tool, ToolRequest
from cloche.sandbox.files.guest_files import FileInfo
from cloche.sandbox.sandbox import Sandbox


def mime_type(path: str, text: str | None) -> str:
    """The type by the file's name; else whether it is text."""
    return mimetypes.guess_type(path)[0] or ("application/octet-stream" if text is None else "text/plain")


def as_text(data: bytes) -> str | None:
    """The text that a file holds, None if it is none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def pick_lines(text: str, first: int | None, last: int | None) -> str:
    """Some lines of a text, counted as `sed` and `grep` count them; ValueError if it has not so many."""
    lines = io.StringIO(text, newline="\n").readlines()
    begin = first or 1
    if begin > max(len(lines), 1):
        raise ValueError(f"it has only {len(lines)} lines")
    if last is not None and last < begin:
        raise ValueError(f"line {last}, the last one, comes before line {begin}, the first one")
    return "".join(lines[begin - 1 : last])


async def walk_files(box: Sandbox, path: str) -> list[FileInfo]:
    """What lies in a folder and below, nearest first; not much more than is listed at most."""
    found: list[FileInfo] = []
    folders = deque([path])
    while folders and len(found) <= MCP_FILES:
        folder = folders.popleft()
        try:
            inside = await box.files(folder)
        except OSError:
            if folder == path:
                raise
            # Code that runs meanwhile has removed it.
            continue
        found += inside
        folders += [file.path for file in inside if file.kind == "dir"]
    return found


async def read_file(request: ToolRequest, given: ReadFile) -> CallToolResult:
    """The text of a file, or the picture in it."""
    async with request.session.box() as box:
        data = await box.read(given.path, limit=MCP_FILE_LIMIT)
    text = as_text(data)
    kind = mime_type(given.path, text)
    about = FileText(path=given.path, size=len(data), mime_type=kind)
    if kind in PICTURES and data.startswith(PICTURES[kind]) and len(data) * 4 // 3 <= MCP_IMAGES:
        picture = ImageContent(data=base64.b64encode(data).decode(), mime_type=kind)
        told = TextContent(text=f"{given.path}: {kind}, {len(data)} bytes")
        return CallToolResult(content=[picture, told], structured_content=dump_structure(about))
    if text is None:
        return make_refusal(
            f"{given.path} ({kind}, {len(data)} bytes) is not text: look at it with run_bash and `xxd`."
        )
    try:
        wanted = pick_lines(text, given.first_line, given.last_line)
    except ValueError as error:
        return make_refusal(f"{given.path} could not be read by lines: {error}.")
    shown = shorten_output(wanted, MCP_TEXT)
    return make_answer(shown, about.model_copy(update={"text": shown, "truncated": shown != wanted}))


async def write_file(request: ToolRequest, given: WriteFile) -> CallToolResult:
    """Make or replace a file."""
    try:
        data = given.content.encode() if given.encoding == "utf-8" else base64.b64decode(given.content, validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        return make_refusal(f"{given.path} was not written: the content is not {given.encoding} ({error}).")
    async with request.session.box() as box:
        await box.write(given.path, data)
    return make_answer(f"Wrote {len(data)} bytes to {given.path}.", WriteResult(path=given.path, size=len(data)))


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
    async with request.session.runtime() as runtime:
        observation = await runtime.execute(action)
    if isinstance(observation, ErrorObservation) or observation.content.startswith(EDIT_REFUSED):
        return make_refusal(observation.content.removeprefix(EDIT_REFUSED))
    diff = (observation.diff or "") if isinstance(observation, FileEditObservation) else ""
    return make_answer(
        shorten_output(observation.content, MCP_TEXT),
        EditResult(path=action.path, diff=shorten_output(diff, MCP_TEXT)),
    )


async def list_files(request: ToolRequest, given: ListFiles) -> CallToolResult:
    """The files and folders in a folder."""
    async with request.session.box() as box:
        path = given.path or "/workspace"
        found = await walk_files(box, path) if given.recursive else await box.files(path)
    files = [Entry(path=file.path, kind=file.kind, size=file.size) for file in found[:MCP_FILES]]
    lines = [f"{file.path}/" if file.kind == "dir" else f"{file.path} ({file.size} bytes)" for file in files]
    more = ["... and more: list a folder further below"] if len(found) > MCP_FILES else []
    text = "\n".join(lines + more) or f"{path} is empty."
    return make_answer(text, FileListing(path=path, files=files, truncated=bool(more)))


TOOLS = (
    Tool(
        "read_file",
        "Read file",
        "Read a text file of the sandbox, whole or by lines, or look at a picture. Long files are cut in the middle.",
        ReadFile,
        FileText,
        read_file,
        reads_only=True,
    ),
    Tool(
        "write_file",
        "Write file",
        "Make or replace a file of the sandbox, and the folders above it.",
        WriteFile,
        WriteResult,
        write_file,
        repeatable=True,
    ),
    Tool(
        "edit_file",
        "Edit file",
        "Change part of a text file of the sandbox: replace a text that occurs exactly once, insert lines, or "
        "undo the last edit. Answers with a diff.",
        EditFile,
        EditResult,
        edit_file,
    ),
    Tool(
        "list_files",
        "List files",
        "List a folder of the sandbox, with sizes.",
        ListFiles,
        FileListing,
        list_files,
        reads_only=True,
    ),
)
