"""The file methods of a sandbox at a server."""

import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import IO, BinaryIO, cast
from uuid import uuid4

import anyio
from anyio import to_thread

from cloche.errors import ConfigError, ServerUnavailable
from cloche.limits import CALL_INLINE, FILES_LIMIT, MB
from cloche.remote.calls import BlobReceipt, FileAnswer, MarkAnswer
from cloche.remote.connection import ConnectionCut
from cloche.remote.patience import insist
from cloche.remote.remote_calls import RemoteCalls
from cloche.remote.tree_archive import pack_tree, unpack_tree
from cloche.remote.verbs import (
    Download,
    ListFiles,
    MakeFolder,
    ReadFile,
    Remove,
    ShowDiff,
    TakeMark,
    Upload,
    WriteFile,
)
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark
from cloche.sandbox.files.guest_files import FileInfo, Folder, GuestFiles

PIECE = 1 * MB
FOREIGN = "this mark belongs to another sandbox: compare with one that this sandbox took"


class RemoteMark(Mark, frozen=True):
    """A mark that stays at its server."""

    name: str = ""


class RemoteFiles:
    """The part of a sandbox at a server that reads and writes its files."""

    def __init__(self, calls: RemoteCalls) -> None:
        self._calls = calls

    async def read(self, path: str | Path, *, limit: int = FILES_LIMIT) -> bytes:
        """The bytes of a file, at most `limit` of them; a relative path is below /workspace."""
        answer: FileAnswer = await self._calls.ask(ReadFile(_guest_path(path), limit), FileAnswer)
        if answer.blob is None:
            return answer.data
        async with _temporary_file() as file:
            await self._fetch(answer, file, min(limit, FILES_LIMIT))
            return await to_thread.run_sync(file.read)

    async def write(self, path: str | Path, data: bytes | str) -> None:
        """Create or replace a file, and its parent folders."""
        plain = data.encode() if isinstance(data, str) else bytes(data)
        if len(plain) <= CALL_INLINE:
            await self._calls.ask(WriteFile(_guest_path(path), plain), object)
        else:
            blob = await self._send(lambda: _cut_bytes(plain))
            await self._calls.ask(WriteFile(_guest_path(path), blob=blob), object)

    async def files(self, path: str | Path = "/workspace", *, recursive: bool = False) -> list[FileInfo]:
        """The files and folders in a folder."""
        return await self._calls.ask(ListFiles(_guest_path(path), recursive), list[FileInfo])

    async def remove(self, path: str | Path, *, recursive: bool = False) -> None:
        """Remove a file or an empty folder; with `recursive`, any folder."""
        await self._calls.ask(Remove(_guest_path(path), recursive), object)

    async def mkdir(self, path: str | Path) -> None:
        """Make a folder and its parents."""
        await self._calls.ask(MakeFolder(_guest_path(path)), object)

    async def upload(
        self, source: str | Path, path: str | Path, *, progress: Callable[[int], None] | None = None
    ) -> None:
        """Copy a file or folder of this machine into the sandbox, in pieces."""
        async with _temporary_file() as file:
            await to_thread.run_sync(pack_tree, Path(source), Path(source).name or "tree", file, progress)
            blob = await self._send(lambda: _cut_file(file))
            await self._calls.ask(Upload(_guest_path(path), blob), object)

    async def download(
        self, path: str | Path, dest: str | Path, *, progress: Callable[[int], None] | None = None
    ) -> None:
        """Copy a file or folder of the sandbox to this machine, without links that lead outside."""
        guest = _guest_path(path)
        answer: FileAnswer = await self._calls.ask(Download(guest), FileAnswer)
        folder = Path(await to_thread.run_sync(tempfile.mkdtemp))
        try:
            async with _temporary_file() as file:
                await self._fetch(answer, file, 2 * FILES_LIMIT)
                await to_thread.run_sync(partial(_place_files, file, folder, guest, dest, progress))
        except ValueError as error:
            raise ServerUnavailable(
                f"{self._calls.connection.place} sent files that cannot be read: {error}"
            ) from error
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))

    async def mark(self, path: str | Path = "/workspace") -> Mark:
        """Record the state of a folder, for `diff` to compare with."""
        answer: MarkAnswer = await self._calls.ask(TakeMark(_guest_path(path)), MarkAnswer)
        return RemoteMark(answer.path, {}, answer.complete, answer.name)

    async def diff(self, since: Mark | None = None, *, path: str | Path = "/workspace") -> Diff:
        """What changed in a folder since a mark, as a patch for `git apply`; without one, since the sandbox started."""
        if since is not None and not isinstance(since, RemoteMark):
            raise ConfigError(FOREIGN)
        name = None if since is None else since.name
        return await self._calls.ask(ShowDiff(_guest_path(path), name), Diff)

    async def _send(self, cut: Callable[[], AsyncGenerator[bytes]]) -> str:
        """Bring data to the server, from the beginning again if the connection is lost; returns its name there."""
        name, connection = uuid4().hex, self._calls.connection
        path = f"{self._calls.session.path}/blobs/{name}"
        await insist(lambda: connection.ask("PUT", path, BlobReceipt, cut()), connection.place)
        return name

    async def _fetch(self, answer: FileAnswer, file: IO[bytes], limit: int) -> None:
        """Write what the server holds ready into a file of this machine, and go to its beginning."""
        connection = self._calls.connection
        path = f"{self._calls.session.path}/blobs/{answer.blob}"

        async def fetch() -> None:
            await to_thread.run_sync(file.seek, 0)
            done = 0
            body = await connection.send("GET", path)
            try:
                while piece := await body.read_piece():
                    done += len(piece)
                    if done > limit:
                        raise ServerUnavailable(f"{connection.place} sent more than {limit} bytes")
                    await to_thread.run_sync(file.write, piece)
            finally:
                await body.close()
            if done != answer.size:
                raise ConnectionCut(f"{done} bytes have come of {answer.size}")

        await insist(fetch, connection.place)
        await to_thread.run_sync(file.seek, 0)
        await insist(lambda: connection.ask("DELETE", path, object), connection.place)


@asynccontextmanager
async def _temporary_file() -> AsyncGenerator[BinaryIO]:
    file = cast("BinaryIO", await to_thread.run_sync(tempfile.TemporaryFile))
    try:
        yield file
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(file.close)


async def _cut_bytes(data: bytes) -> AsyncGenerator[bytes]:
    for begin in range(0, len(data), PIECE):
        yield data[begin : begin + PIECE]


async def _cut_file(file: BinaryIO) -> AsyncGenerator[bytes]:
    await to_thread.run_sync(file.seek, 0)
    while piece := await to_thread.run_sync(file.read, PIECE):
        yield piece


def _place_files(
    file: BinaryIO, folder: Path, guest: str, dest: str | Path, progress: Callable[[int], None] | None
) -> None:
    """Unpack an archive, and copy what is in it as an embedded sandbox copies its files."""
    unpack_tree(file, folder, FILES_LIMIT)
    found = list(folder.iterdir())
    if len(found) != 1:
        raise ValueError("it holds something else than one file or folder")
    named = PurePath(guest).name or found[0].name
    found[0].rename(folder / named)
    GuestFiles([Folder("/got", str(folder))], "/got").download(f"/got/{named}", dest, progress=progress)


def _guest_path(path: str | Path) -> str:
    return path.as_posix() if isinstance(path, PurePath) else path
