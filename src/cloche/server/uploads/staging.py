"""Where files wait until they are complete: in a folder of this process, which is removed even if it is killed."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request

from cloche.limits import KB, SERVER_TEXT
from cloche.sandbox.changes.patch import decode_text
from cloche.server.wire import stream_body

LARGER = "Send less, or raise [server] upload_mb."
BLOCK = 512 * KB
"""Bytes that are written at once."""


class StagedFile(Struct, frozen=True):
    """A file that has come whole."""

    file: Path
    size: int

    async def read_text(self) -> str | None:
        """Its text, if it is text and short enough for an event."""
        if self.size > SERVER_TEXT:
            return None
        return decode_text(await to_thread.run_sync(self.file.read_bytes))


async def stream_blocks(request: Request, limit: int, *, fix: str = "") -> AsyncGenerator[bytes]:
    """The body of a request in pieces of a good size for a disk."""
    pieces, size = list[bytes](), 0
    async for piece in stream_body(request, limit, fix=fix):
        pieces.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(pieces)
            pieces, size = [], 0
    yield b"".join(pieces)


async def stage_body(request: Request, file: Path, limit: int) -> StagedFile:
    """The body of a request, written into a file."""
    with await to_thread.run_sync(partial(file.open, "wb")) as writer:
        async for block in stream_blocks(request, limit, fix=LARGER):
            await to_thread.run_sync(writer.write, block)
        await to_thread.run_sync(writer.flush)
        size = writer.tell()
    return StagedFile(file, size)
