"""The files of a runtime in bytes, beside its actions, for those who show them to people."""

import errno
import io
import os
import posixpath
from abc import ABC, abstractmethod
from pathlib import Path
from typing import BinaryIO, NamedTuple

from anyio import to_thread

from cloche.events import (
    CopyFromAction,
    CopyFromObservation,
    CopyToAction,
    ListedFile,
    ListFilesAction,
    ListFilesObservation,
    SuccessObservation,
)
from cloche.limits import COPY_LIMIT
from cloche.runtime.actions.file_archives import pack_files, unpack_files
from cloche.runtime.actions.file_errors import read_file_error
from cloche.runtime.verbs import Verbs
from cloche.sandbox.files.guest_files import FileInfo, GuestFiles


class FileAccess(ABC):
    """Looks into the folders of a runtime, and puts files there; paths are absolute.

    Errors are those of Python (FileNotFoundError, PermissionError, ...) and name the path that was given.
    """

    @abstractmethod
    async def list(self, path: str) -> list[ListedFile]:
        """What is in a folder, in no order."""

    @abstractmethod
    async def find(self, path: str) -> ListedFile:
        """What is at a path; links are followed."""

    @abstractmethod
    async def open(self, path: str) -> "OpenedFile":
        """A file as it is now; the caller closes it."""

    @abstractmethod
    async def put(self, source: Path, path: str) -> None:
        """Copy a file of the host to a path, and make its parents; it appears whole, or not at all."""


class OpenedFile(NamedTuple):
    """A file that is open for reading; reading it blocks."""

    content: BinaryIO
    size: int
    modified: float
    """Seconds since 1970; 0 if it is not known."""


class SandboxFiles(FileAccess):
    """The folders of a sandbox on this machine; no action has to end first."""

    def __init__(self, files: GuestFiles) -> None:
        self._files = files

    async def list(self, path: str) -> list[ListedFile]:
        return [_describe_info(info) for info in await to_thread.run_sync(self._files.list, path)]

    async def find(self, path: str) -> ListedFile:
        return _describe_info(await to_thread.run_sync(self._files.stat, path))

    async def open(self, path: str) -> OpenedFile:
        return await to_thread.run_sync(self._open, path)

    async def put(self, source: Path, path: str) -> None:
        await to_thread.run_sync(self._files.place, source, path)

    def _open(self, path: str) -> OpenedFile:
        content = self._files.open_read(path)
        info = os.fstat(content.fileno())
        return OpenedFile(content, info.st_size, info.st_mtime)


class ActionFiles(FileAccess):
    """The same by actions, for runtimes with their files elsewhere: each waits for its turn, and files come whole."""

    def __init__(self, runtime: Verbs) -> None:
        self._runtime = runtime

    async def list(self, path: str) -> list[ListedFile]:
        observation = await self._runtime.execute(ListFilesAction(path, details=True))
        if not isinstance(observation, ListFilesObservation):
            raise read_file_error(observation, path)
        return observation.entries

    async def find(self, path: str) -> ListedFile:
        name = posixpath.basename(path)
        entry = await self._entry(path)
        if entry is not None and entry.kind != "link":
            return entry
        # A link, a folder of the runtime itself, or nothing.
        try:
            await self.list(path)
        except NotADirectoryError:
            opened = await self.open(path)
            opened.content.close()
            return ListedFile(name, "file", opened.size, opened.modified)
        return ListedFile(name, "dir")

    async def open(self, path: str) -> OpenedFile:
        entry = await self._entry(path)
        if entry is not None and entry.kind == "dir":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        observation = await self._runtime.execute(CopyFromAction(path))
        if not isinstance(observation, CopyFromObservation):
            raise read_file_error(observation, path)
        data = await to_thread.run_sync(_unpack_one, observation.content, path)
        return OpenedFile(io.BytesIO(data), len(data), 0.0 if entry is None else entry.modified)

    async def put(self, source: Path, path: str) -> None:
        folder, name = posixpath.split(path)
        archive = await to_thread.run_sync(_pack_one, source, name)
        observation = await self._runtime.execute(CopyToAction(folder, archive))
        if not isinstance(observation, SuccessObservation):
            raise read_file_error(observation, path)

    async def _entry(self, path: str) -> ListedFile | None:
        """What its folder has under its name."""
        folder, name = posixpath.split(path)
        return next((entry for entry in await self.list(folder) if entry.name == name), None) if name else None


def _describe_info(info: FileInfo) -> ListedFile:
    return ListedFile(posixpath.basename(info.path), info.kind, info.size, info.mtime)


def _pack_one(source: Path, name: str) -> str:
    if source.stat().st_size > COPY_LIMIT:
        raise OSError(errno.EFBIG, f"it has more than the {COPY_LIMIT} bytes that are copied at once", name)
    return pack_files({name: source.read_bytes()})


def _unpack_one(archive: str, path: str) -> bytes:
    files = unpack_files(archive)
    name = posixpath.basename(path)
    if list(files) != [name]:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return files[name]
