"""Sends a folder as a zip archive, which is written while it is sent."""

import errno
import time
import zipfile
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from typing import IO, cast

from anyio import CancelScope, to_thread
from msgspec import Struct

from cloche.events import ListedFile
from cloche.limits import COPY_FILES, FILES_LIMIT, MB
from cloche.runtime.file_access import FileAccess, OpenedFile
from cloche.server.files.paths import file_problem
from cloche.server.problems import Problem

PIECE = MB
"""Bytes that are packed at once."""
GONE = (errno.ENOENT, errno.ENOTDIR)
"""Errors of what running code has removed meanwhile."""
FIRST_YEAR = 1980
"""Archives know no earlier time."""


class Packed(Struct, frozen=True):
    """Something that goes into an archive."""

    path: str
    name: str
    """Its name there."""
    listed: ListedFile


class _Sink:
    """What was written since the last look; it cannot be sought in, so that the archive flows."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None: ...

    def take(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken


async def list_packed(files: FileAccess, path: str) -> list[Packed]:
    """What is below a folder; refuses more than is sent at once. Links to folders are left out."""
    found: list[Packed] = []
    folders, size = [(path, "")], 0
    while folders:
        folder, inside = folders.pop()
        entries = await _list_one(files, folder, optional=bool(inside))
        for entry in entries:
            place, name = f"{folder}/{entry.name}", f"{inside}{entry.name}"
            listed = entry if entry.kind != "link" else await _follow(files, place)
            if listed is None:
                continue
            if listed.kind == "dir":
                folders.append((place, f"{name}/"))
            size += listed.size if listed.kind == "file" else 0
            found.append(Packed(place, f"{name}/" if listed.kind == "dir" else name, listed))
        if size > FILES_LIMIT or len(found) > COPY_FILES:
            raise Problem(
                413,
                "too_large",
                f"the folder has more than {FILES_LIMIT} bytes or {COPY_FILES} files",
                fix="Take the folders in it one by one.",
            )
    return sorted(found, key=lambda each: each.name)


async def _list_one(files: FileAccess, folder: str, *, optional: bool) -> list[ListedFile]:
    """What is in a folder; nothing if it may be missing, because running code has removed it meanwhile."""
    try:
        return await files.list(folder)
    except OSError as error:
        if optional and error.errno in GONE:
            return []
        raise file_problem(error, folder) from error


async def _follow(files: FileAccess, path: str) -> ListedFile | None:
    """The file that a link leads to; None if it leads to a folder, nowhere, or out."""
    with suppress(OSError):
        listed = await files.find(path)
        return listed if listed.kind == "file" else None
    return None


async def pack_files(files: FileAccess, packed: list[Packed]) -> AsyncGenerator[bytes]:
    """The archive in pieces."""
    sink = _Sink()
    archive = zipfile.ZipFile(cast("IO[bytes]", sink), "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    for each in packed:
        info = zipfile.ZipInfo(each.name, time.gmtime(max(each.listed.modified, 0))[:6])
        if info.date_time[0] < FIRST_YEAR:
            info.date_time = (FIRST_YEAR, 1, 1, 0, 0, 0)
        info.compress_type = zipfile.ZIP_DEFLATED
        if each.listed.kind == "dir":
            archive.writestr(info, b"")
        elif each.listed.kind == "file":
            async for piece in _pack_one(files, each.path, info, archive, sink):
                yield piece
    await to_thread.run_sync(archive.close)
    yield sink.take()


async def _pack_one(
    files: FileAccess, path: str, info: zipfile.ZipInfo, archive: zipfile.ZipFile, sink: _Sink
) -> AsyncGenerator[bytes]:
    try:
        opened = await files.open(path)
    except OSError as error:
        if error.errno in GONE:
            return
        raise
    steps = _compress(opened, info, archive)
    try:
        while await to_thread.run_sync(next, steps, None) is not None:
            yield sink.take()
    finally:
        steps.close()
        with CancelScope(shield=True):
            await to_thread.run_sync(opened.content.close)
    yield sink.take()


def _compress(opened: OpenedFile, info: zipfile.ZipInfo, archive: zipfile.ZipFile) -> Generator[int]:
    """Write a file into the archive, with a pause after each piece; no more than it had when it was opened."""
    left = opened.size
    with archive.open(info, "w") as entry:
        while left and (piece := opened.content.read(min(PIECE, left))):
            left -= len(piece)
            entry.write(piece)
            yield len(piece)
