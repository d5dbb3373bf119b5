"""Stores files by name: contents that are too large for an event."""

import errno
import os
import stat
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from anyio.lowlevel import checkpoint

from cloche.errors import StoreFull
from cloche.paths.beneath import OpenFolder
from cloche.paths.user_dirs import data_dir

Result = TypeVar("Result")

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DEPTH = 32
"""The most nested folders of a path."""


class Files(ABC):
    """Stores files by relative paths, with `/` between the parts; a path cannot lead outside."""

    @abstractmethod
    async def write(self, path: str, contents: bytes | str) -> None:
        """Write a file and its parent folders; a reader sees either the old or the new content."""

    @abstractmethod
    async def read(self, path: str) -> bytes:
        """The content of a file; raises FileNotFoundError if there is none."""

    @abstractmethod
    async def list(self, path: str = "") -> list[str]:
        """The sorted paths in a folder; folders end with `/`. A missing folder counts as empty."""

    @abstractmethod
    async def delete(self, path: str) -> None:
        """Remove a file, or a folder with its contents; does nothing if there is none."""


class FileStore(Files):
    """Files in a folder of the host: `files` in the user's data folder if none is named."""

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        self.root = data_dir() / "files" if root is None else Path(root)

    async def write(self, path: str, contents: bytes | str) -> None:
        parts = _split_path(path)
        data = contents.encode() if isinstance(contents, str) else contents
        await self._within(lambda root: _write_file(root, parts, data), make=True)

    async def read(self, path: str) -> bytes:
        parts = _split_path(path)
        return await self._within(lambda root: _read_file(root, parts))

    async def list(self, path: str = "") -> list[str]:
        parts = _split_path(path) if path.strip("/") else []
        try:
            return await self._within(lambda root: _list_folder(root, parts))
        except FileNotFoundError:
            return []

    async def delete(self, path: str) -> None:
        parts = _split_path(path)
        try:
            await self._within(lambda root: _delete_path(root, parts))
        except FileNotFoundError:
            return

    async def _within(self, work: Callable[[OpenFolder], Result], *, make: bool = False) -> Result:
        return await to_thread.run_sync(self._work, work, make)

    def _work(self, work: Callable[[OpenFolder], Result], make: bool) -> Result:
        try:
            if make:
                self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            with OpenFolder.at(os.path.realpath(self.root), str(self.root)) as root:
                return work(root)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            raise StoreFull(f"A file could not be written to {self.root}: {error.strerror}. Make room.") from error


class MemoryFileStore(Files):
    """Files in memory, for tests."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    async def write(self, path: str, contents: bytes | str) -> None:
        await checkpoint()
        self._files["/".join(_split_path(path))] = contents.encode() if isinstance(contents, str) else contents

    async def read(self, path: str) -> bytes:
        await checkpoint()
        try:
            return self._files["/".join(_split_path(path))]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None

    async def list(self, path: str = "") -> list[str]:
        await checkpoint()
        above = f"{'/'.join(_split_path(path))}/" if path.strip("/") else ""
        below = [name.removeprefix(above) for name in self._files if name.startswith(above)]
        return sorted({f"{above}{name.partition('/')[0]}{'/' if '/' in name else ''}" for name in below})

    async def delete(self, path: str) -> None:
        await checkpoint()
        gone = "/".join(_split_path(path))
        self._files = {
            name: data for name, data in self._files.items() if name != gone and not name.startswith(f"{gone}/")
        }


def _split_path(path: str) -> list[str]:
    parts = path.rstrip("/").split("/")
    if len(parts) > _DEPTH or any(not part or part[0] == "." or "\\" in part or "\0" in part for part in parts):
        raise ValueError(
            f"{path!r} is no path of a file store. Give names with `/` between them, none of which begins with a dot."
        )
    return parts


def _write_file(root: OpenFolder, parts: list[str], data: bytes) -> None:
    with root.reach(parts[:-1], make=True) as folder:
        new = f".{uuid.uuid4().hex}"
        try:
            with os.fdopen(folder.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            folder.rename(new, folder, parts[-1])
        except BaseException:
            _unlink_file(folder, new)
            raise


def _open_folder(root: OpenFolder, parts: list[str]) -> OpenFolder:
    """Open the folder, which must exist; links are not followed."""
    here, count = root.descend(parts)
    if count == len(parts):
        return here
    with here:
        here.stat(parts[count])
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), here.path(parts[count]))


def _unlink_file(folder: OpenFolder, name: str) -> None:
    try:
        folder.unlink(name)
    except FileNotFoundError:
        return


def _read_file(root: OpenFolder, parts: list[str]) -> bytes:
    with _open_folder(root, parts[:-1]) as folder, os.fdopen(folder.open(parts[-1], os.O_RDONLY), "rb") as file:
        return file.read()


def _list_folder(root: OpenFolder, parts: list[str]) -> list[str]:
    with _open_folder(root, parts) as folder:
        names = [f"{name}/" if stat.S_ISDIR(info.st_mode) else name for name, info in folder.scan()]
    return sorted("/".join([*parts, name]) for name in names if not name.startswith("."))


def _delete_path(root: OpenFolder, parts: list[str]) -> None:
    with _open_folder(root, parts[:-1]) as folder:
        _remove_entry(folder, parts[-1])


def _remove_entry(folder: OpenFolder, name: str) -> None:
    if stat.S_ISDIR(folder.stat(name).st_mode):
        with folder.folder(name) as below:
            for child, _ in list(below.scan()):
                _remove_entry(below, child)
        folder.rmdir(name)
    else:
        folder.unlink(name)
