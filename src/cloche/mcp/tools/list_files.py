"""`list_files`: lists a folder."""

from collections import deque
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.events import ListFilesAction, ListFilesObservation, Observation
from cloche.limits import MCP_FILES
from cloche.mcp.arguments import Arguments
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.live_output import Hear
from cloche.sandbox.files.guest_files import FileInfo
from cloche.sandbox.sandbox import Sandbox


class ListFiles(Arguments):
    path: Annotated[str, Field(description="The folder.")] = "/workspace"
    recursive: Annotated[bool, Field(description="Also list the folders below it.")] = False


class Entry(BaseModel):
    path: str
    kind: Literal["file", "dir", "link", "other"]
    size: int


class FileListing(BaseModel):
    path: str
    files: list[Entry]
    truncated: Annotated[bool, Field(description="Whether there are more than these.")] = False


async def list_files(request: ToolRequest, given: ListFiles) -> CallToolResult:
    """The files and folders in a folder."""
    path = given.path or "/workspace"

    async def work(_: Hear) -> tuple[CallToolResult, Observation]:
        async with request.session.box() as box:
            found = await walk_files(box, path) if given.recursive else await box.files(path)
        return _show_files(path, found)

    return await request.perform(ListFilesAction(path), work)


def _show_files(path: str, found: list[FileInfo]) -> tuple[CallToolResult, Observation]:
    files = [Entry(path=file.path, kind=file.kind, size=file.size) for file in found[:MCP_FILES]]
    lines = [f"{file.path}/" if file.kind == "dir" else f"{file.path} ({file.size} bytes)" for file in files]
    more = ["... and more: list a folder further below"] if len(found) > MCP_FILES else []
    text = "\n".join(lines + more) or f"{path} is empty."
    names = [f"{file.path}/" if file.kind == "dir" else file.path for file in files]
    answer = make_answer(text, FileListing(path=path, files=files, truncated=bool(more)))
    return answer, ListFilesObservation(text, path, names)


async def walk_files(box: Sandbox, path: str) -> list[FileInfo]:
    """The contents of a folder, the top level first; stops soon after there are more than can be listed."""
    found: list[FileInfo] = []
    folders = deque([path])
    while folders and len(found) <= MCP_FILES:
        folder = folders.popleft()
        try:
            inside = await box.files(folder)
        except OSError:
            if folder == path:
                raise
            # Running code has removed it meanwhile.
            continue
        found += inside
        folders += [file.path for file in inside if file.kind == "dir"]
    return found


TOOL = Tool(
    "list_files",
    "List files",
    "List a folder of the sandbox, with sizes.",
    ListFiles,
    FileListing,
    list_files,
    rank=10,
    reads_only=True,
)
