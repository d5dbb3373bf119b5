"""Data that is too long for a call or for its answer: it waits here for the call, or for the client."""

import errno
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from uuid import uuid4

import anyio
from anyio import CancelScope, to_thread
from msgspec import Struct
from starlette.requests import Request

from cloche.limits import CALL_BLOBS, CALL_BLOBS_SIZE, KB
from cloche.sandbox.files.scratch import make_scratch, remove_scratch
from cloche.server.uploads.staging import stage_body

PIECE = 256 * KB
DATA = "data"
"""The name of the file."""


class Blob(Struct, frozen=True):
    """A file that waits, in a folder of its own."""

    name: str
    folder: Path
    size: int
    since: float

    @property
    def file(self) -> Path:
        return self.folder / DATA


class Blobs:
    """The data of one session, in temporary folders of this process; the oldest make room for new ones."""

    def __init__(self) -> None:
        self._waiting: dict[str, Blob] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    async def take_in(self, request: Request, name: str, limit: int) -> Blob:
        """Keep the body of a request; sent again under the same name, it replaces what came before."""
        folder = await to_thread.run_sync(make_scratch)
        try:
            staged = await stage_body(request, folder / DATA, limit)
        except BaseException:
            with CancelScope(shield=True):
                await to_thread.run_sync(remove_scratch, folder)
            raise
        return await self._add(Blob(name, folder, staged.size, anyio.current_time()))

    async def hold(self, folder: Path) -> Blob:
        """Keep what was written into a folder as `data`."""
        size = (await to_thread.run_sync((folder / DATA).stat)).st_size
        return await self._add(Blob(uuid4().hex, folder, size, anyio.current_time()))

    def find(self, name: str) -> Blob:
        """What waits under a name."""
        if name not in self._waiting:
            raise FileNotFoundError(errno.ENOENT, "this data is not here, or not any more", name)
        return self._waiting[name]

    async def remove(self, name: str) -> None:
        """Remove it, if it is there."""
        blob = self._waiting.pop(name, None)
        if blob is not None:
            with CancelScope(shield=True):
                await to_thread.run_sync(remove_scratch, blob.folder)

    async def forget(self, before: float) -> None:
        """Remove what has waited since before this time."""
        for blob in list(self._waiting.values()):
            if blob.since < before:
                await self.remove(blob.name)

    async def _add(self, blob: Blob) -> Blob:
        await self.remove(blob.name)
        self._waiting[blob.name] = blob
        while len(self._waiting) > 1 and (len(self._waiting) > CALL_BLOBS or self._size > CALL_BLOBS_SIZE):
            await self.remove(next(iter(self._waiting)))
        return blob

    @property
    def _size(self) -> int:
        return sum(blob.size for blob in self._waiting.values())


async def read_blob(blob: Blob) -> AsyncGenerator[bytes]:
    """The data in pieces."""
    with await to_thread.run_sync(partial(blob.file.open, "rb")) as file:
        while piece := await to_thread.run_sync(file.read, PIECE):
            yield piece
