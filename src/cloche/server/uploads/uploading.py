"""One upload from the first byte of its body to the event that says what was brought in."""

import errno
import os
from pathlib import Path

from anyio import CancelScope, to_thread
from msgspec import Struct
from starlette.requests import Request

from cloche.limits import MB
from cloche.sandbox.files.scratch import open_scratch
from cloche.server.files.changing import note_upload, place_file
from cloche.server.files.paths import shorten_path
from cloche.server.problems import FULL
from cloche.server.services import Services
from cloche.server.uploads.archives import unpack_archive
from cloche.server.uploads.receiver import UploadReceiver
from cloche.server.uploads.rules import Refusal, Tally
from cloche.server.uploads.staging import StagedFile, stream_blocks
from cloche.session import HostedSession

BESIDES = 16 * MB
"""Bytes of a body besides its files."""


class UploadOptions(Struct, frozen=True):
    """How files are taken."""

    unpack: bool
    """Whether zip archives are unpacked."""
    overwrite: bool
    """Whether files that are there are replaced."""


class UploadedFile(Struct, frozen=True):
    """A file that was brought in."""

    path: str
    """Relative to the workspace."""
    size: int


class UploadReport(Struct, frozen=True):
    """What was brought in, and what was not."""

    uploaded: list[UploadedFile]
    refused: list[Refusal]


async def take_upload(
    request: Request, here: Services, wanted: HostedSession, path: str, options: UploadOptions
) -> UploadReport:
    """Bring the files of a body into a folder; none of them, if the body does not come whole."""
    settings = here.config.server
    room = await here.manager.disk.find_room(wanted.owner)
    tally = Tally(settings, room)
    async with open_scratch("upload") as folder:
        archives = await _receive(request, folder, tally, room + tally.file_size + BESIDES, unpacks=options.unpack)
        for name, archive in archives.items():
            await to_thread.run_sync(unpack_archive, archive, name, folder, tally)
        async with wanted.use():
            placed = await _place_files(wanted, path, tally, overwrite=options.overwrite)
    here.manager.disk.add(wanted.owner, sum(placed.values()))
    inside = shorten_path(path)
    uploaded = [UploadedFile(f"{inside}/{name}".lstrip("/"), size) for name, size in placed.items()]
    return UploadReport(uploaded, tally.refused)


async def _receive(request: Request, folder: Path, tally: Tally, limit: int, *, unpacks: bool) -> dict[str, StagedFile]:
    """Write the files of a body to disk; returns the archives that are to be unpacked."""
    receiver = UploadReceiver(request.headers.get("content-type", ""), folder, tally, unpacks=unpacks)
    try:
        async for block in stream_blocks(request, limit):
            await to_thread.run_sync(receiver.feed, block)
        receiver.end()
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(receiver.close)
    return receiver.archives


async def _place_files(wanted: HostedSession, path: str, tally: Tally, *, overwrite: bool) -> dict[str, int]:
    """Put files in their places; what was placed is on record, also if the disk is full before the last."""
    placed: dict[str, int] = {}
    try:
        for name, staged in sorted(tally.taken.items()):
            try:
                if not overwrite and await _exists(wanted, f"{path}/{name}"):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                await place_file(wanted, staged, f"{path}/{name}")
                placed[name] = staged.size
            except OSError as error:
                if error.errno in FULL:
                    raise
                tally.refuse(name, error.strerror or str(error))
    finally:
        if placed:
            with CancelScope(shield=True):
                await note_upload(wanted, path, placed)
    return placed


async def _exists(wanted: HostedSession, path: str) -> bool:
    async with wanted.use() as session:
        try:
            await session.runtime.files.find(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True
