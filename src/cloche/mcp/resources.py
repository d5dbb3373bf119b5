"""The files of a sandbox's workspace as resources."""

import base64
from mimetypes import guess_type
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from cloche.limits import MCP_FILE_LIMIT, MCP_FILES
from cloche.mcp.client_session import ClientSession
from cloche.mcp.tools.list_files import walk_files
from cloche.mcp.tools.read_file import as_text, mime_type

SCHEME = "workspace://"
FOLDER = "/workspace/"
PAGE = 200
"""How many files are on one page of the list."""

TEMPLATE = ResourceTemplate(
    uri_template=SCHEME + "{+path}",
    name="file",
    title="File of the workspace",
    description="A file below /workspace of your sandbox.",
)


async def list_resources(session: ClientSession, cursor: str | None) -> ListResourcesResult:
    """One page of the files of the workspace."""
    begin = _parse_cursor(cursor)
    async with session.box() as box:
        found = [file for file in (await walk_files(box, FOLDER))[:MCP_FILES] if file.kind == "file"]
    names = sorted(found, key=lambda file: file.path)
    page = [
        Resource(
            uri=SCHEME + quote(file.path.removeprefix(FOLDER)),
            name=file.path.removeprefix(FOLDER),
            mime_type=guess_type(file.path)[0],
            size=file.size,
        )
        for file in names[begin : begin + PAGE]
    ]
    more = str(begin + PAGE) if begin + PAGE < len(names) else None
    return ListResourcesResult(resources=page, next_cursor=more)


async def read_resource(session: ClientSession, uri: str) -> ReadResourceResult:
    """The content of a file of the workspace."""
    if not uri.startswith(SCHEME):
        raise _missing_error(uri, f"resources here begin with {SCHEME}")
    path = unquote(uri.removeprefix(SCHEME)).lstrip("/")
    try:
        async with session.box() as box:
            data = await box.read(FOLDER + path, limit=MCP_FILE_LIMIT)
    except (FileNotFoundError, PermissionError) as error:
        raise _missing_error(uri, f"{path}: {error.strerror or error}") from error
    except (OSError, ValueError) as error:
        raise MCPError(INVALID_PARAMS, f"Resource cannot be read: {path}: {error}", {"uri": uri}) from error
    text = as_text(data)
    kind = mime_type(path, text)
    if text is None:
        blob = base64.b64encode(data).decode()
        return ReadResourceResult(contents=[BlobResourceContents(uri=uri, blob=blob, mime_type=kind)])
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=kind)])


def _missing_error(uri: str, why: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"Resource not found: {why}", {"uri": uri})


def _parse_cursor(cursor: str | None) -> int:
    try:
        return max(int(cursor or "0"), 0)
    except ValueError:
        raise MCPError(INVALID_PARAMS, f"The cursor {cursor!r} is not one that was given here") from None
