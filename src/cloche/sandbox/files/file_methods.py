"""The file methods of a sandbox, which work whether it runs or not."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from anyio import to_thread

from cloche.errors import SandboxUnavailable
from cloche.limits import FILES_LIMIT
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark
from cloche.sandbox.changes.tracker import ChangeTracker
from cloche.sandbox.files.guest_files import FileInfo, GuestFiles
from cloche.sandbox.files.host_folders import HostFolders

P = ParamSpec("P")
T = TypeVar("T")


class FileMethods:
    """The part of a sandbox that reads and writes its files."""

    def __init__(self, home: HostFolders) -> None:
        self._folders = home
        self._closed = False

    async def read(self, path: str | Path, *, limit: int = FILES_LIMIT) -> bytes:
        """The bytes of a file, at most `limit` of them; a relative path is below /workspace."""
        return await self._on_files(self._files().read, path, limit=limit)

    async def write(self, path: str | Path, data: bytes | str) -> None:
        """Create or replace a file, and its parent folders."""
        await self._on_files(self._files().write, path, data)

    async def files(self, path: str | Path = "/workspace", *, recursive: bool = False) -> list[FileInfo]:
        """The files and folders in a folder."""
        return await self._on_files(self._files().list, path, recursive)

    async def remove(self, path: str | Path, *, recursive: bool = False) -> None:
        """Remove a file or an empty folder; with `recursive`, any folder."""
        await self._on_files(self._files().remove, path, recursive)

    async def mkdir(self, path: str | Path) -> None:
        """Make a folder and its parents."""
        await self._on_files(self._files().mkdir, path)

    async def upload(
        self, source: str | Path, path: str | Path, *, progress: Callable[[int], None] | None = None
    ) -> None:
        """Copy a file or folder of the host into the sandbox, in pieces."""
        await self._on_files(self._files().upload, source, path, progress=progress)

    async def download(
        self, path: str | Path, dest: str | Path, *, progress: Callable[[int], None] | None = None
    ) -> None:
        """Copy a file or folder of the sandbox to the host, without links that lead outside."""
        await self._on_files(self._files().download, path, dest, progress=progress)

    async def mark(self, path: str | Path = "/workspace") -> Mark:
        """Record the state of a folder, for `diff` to compare with."""
        return await self._on_files(self._tracker().mark, path)

    async def diff(self, since: Mark | None = None, *, path: str | Path = "/workspace") -> Diff:
        """What changed in a folder since a mark, as a patch for `git apply`; without one, since the sandbox started."""
        return await self._on_files(self._tracker().diff, since, path)

    def _tracker(self) -> ChangeTracker:
        self._files()
        return self._folders.tracker

    def _files(self) -> GuestFiles:
        if self._closed:
            raise SandboxUnavailable("this sandbox is closed")
        return self._folders.files

    async def _on_files(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await to_thread.run_sync(partial(act, *args, **kwargs))
