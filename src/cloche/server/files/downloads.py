"""Sends files: whole, in part, or as text."""

import mimetypes
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from urllib.parse import quote

from anyio import to_thread
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from cloche.limits import KB, SERVER_BODY_LIMIT
from cloche.runtime.file_access import OpenedFile
from cloche.sandbox.changes.patch import decode_text
from cloche.server.files.conditions import make_etag
from cloche.server.problems import Problem
from cloche.session import HostedSession

BINARY = "application/octet-stream"
PIECE = 256 * KB
"""Bytes that are read at once."""
ISOLATED = {"content-security-policy": "sandbox", "x-content-type-options": "nosniff"}
"""A file may be a page of anybody's: opened in a browser, it must not act as a page of this server."""
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class Part(Struct, frozen=True):
    """A part of a file: from `start` to before `end`."""

    start: int
    end: int


def find_part(headers: Headers, opened: OpenedFile) -> Part | None:
    """The part that is asked for; None for the whole file, also if the question is not understood."""
    found = _RANGE.fullmatch(headers.get("range", "").strip())
    etag = make_etag(opened.modified, opened.size)
    if found is None or headers.get("if-range", etag) != etag:
        return None
    first, last = found.groups()
    if not first and not last:
        return None
    if first:
        start, end = int(first), min(int(last) + 1 if last else opened.size, opened.size)
        if last and int(last) < start:
            return None
    else:
        start, end = max(0, opened.size - int(last)), opened.size
    if start >= end:
        raise Problem(
            416,
            "range",
            f"the file has {opened.size} bytes",
            headers={"content-range": f"bytes */{opened.size}"},
        )
    return Part(start, end)


class FileAnswer(StreamingResponse):
    """An answer with a file or a part of it; closes the file, however it ends."""

    def __init__(self, wanted: HostedSession, opened: OpenedFile, part: Part, headers: dict[str, str]) -> None:
        pieces = keep_open(wanted, _read_pieces(opened, part))
        super().__init__(pieces, 206 if "content-range" in headers else 200, headers)
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # What was open for reading only is closed at once.
            self._opened.content.close()


async def send_file(wanted: HostedSession, opened: OpenedFile, path: str, asked: Headers, way: str) -> Response:
    """The answer to a request for a file, which is closed with it; `way` is `inline` or `attachment`."""
    etag = make_etag(opened.modified, opened.size)
    headers = {"etag": etag, "accept-ranges": "bytes", "cache-control": "no-cache", **ISOLATED}
    try:
        if etag in [each.strip() for each in asked.get("if-none-match", "").split(",")]:
            opened.content.close()
            return Response(status_code=304, headers=headers)
        part = find_part(asked, opened)
        kind = await to_thread.run_sync(mimetypes.guess_type, path)
    except BaseException:
        opened.content.close()
        raise
    sent = part or Part(0, opened.size)
    headers |= name_file(way, path)
    headers |= {"content-type": kind[0] or BINARY, "content-length": str(sent.end - sent.start)}
    if part is not None:
        headers["content-range"] = f"bytes {part.start}-{part.end - 1}/{opened.size}"
    return FileAnswer(wanted, opened, sent, headers)


async def read_text(opened: OpenedFile, path: str) -> str:
    """The text of a file, which is closed; refuses what is no text."""
    try:
        if opened.size > SERVER_BODY_LIMIT:
            raise Problem(413, "too_large", f"{path} has {opened.size} bytes", fix="Read it without `text`, in ranges.")
        data = await to_thread.run_sync(opened.content.read, SERVER_BODY_LIMIT)
    finally:
        opened.content.close()
    text = decode_text(data)
    if text is None:
        raise Problem(406, "no_text", f"{path} is no text in UTF-8", fix="Read it without `text`.")
    return text


def name_file(disposition: str, path: str) -> dict[str, str]:
    """The header with the name under which a browser saves a file."""
    name = quote(path.rpartition("/")[2], safe="")
    return {"content-disposition": f"{disposition}; filename*=UTF-8''{name}"}


async def keep_open(wanted: HostedSession, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The pieces of an answer; meanwhile the session is not closed as unused."""
    async with wanted.use(), aclosing(pieces):
        async for piece in pieces:
            yield piece


async def _read_pieces(opened: OpenedFile, part: Part) -> AsyncGenerator[bytes]:
    await to_thread.run_sync(opened.content.seek, part.start)
    left = part.end - part.start
    while left and (piece := await to_thread.run_sync(opened.content.read, min(PIECE, left))):
        left -= len(piece)
        yield piece
