"""The files of a sandbox on their way to its clients and back, and marks of its folders."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePosixPath
from uuid import uuid4

from anyio import CancelScope, to_thread

from cloche.errors import ConfigError
from cloche.limits import CALL_INLINE, CALL_MARKS, FILES_LIMIT
from cloche.remote.calls import FileAnswer, MarkAnswer, SaveAnswer
from cloche.remote.tree_archive import pack_tree, unpack_tree
from cloche.sandbox.changes.mark import Mark
from cloche.sandbox.files.guest_files import GuestFiles
from cloche.sandbox.files.scratch import make_scratch, remove_scratch
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.sandbox import Sandbox
from cloche.server.calls.blobs import DATA, PIECE, Blobs

FORGOTTEN = "this mark is not kept any more, or belongs to another sandbox: compare with a newer one of this sandbox"


class BoxStore:
    """What belongs to the sandbox of one session and its clients have only by name."""

    def __init__(self) -> None:
        self.blobs = Blobs()
        self._marks: dict[str, Mark] = {}

    def keep_mark(self, mark: Mark) -> MarkAnswer:
        """Keep a mark; the oldest is forgotten."""
        name = uuid4().hex
        self._marks[name] = mark
        if len(self._marks) > CALL_MARKS:
            del self._marks[next(iter(self._marks))]
        return MarkAnswer(name, mark.path, mark.complete)

    def forget_marks(self) -> None:
        """Forget all: their sandbox is gone."""
        self._marks.clear()

    def find_mark(self, name: str) -> Mark:
        """A mark that was kept."""
        if name not in self._marks:
            raise ConfigError(FORGOTTEN)
        return self._marks[name]


async def read_file(box: RecordedSandbox, store: BoxStore, path: str, limit: int) -> FileAnswer:
    """A file, in the answer or after it."""
    most = min(limit, FILES_LIMIT)
    info = await to_thread.run_sync(box.host_files.stat, path)
    if info.kind == "file" and CALL_INLINE < info.size <= most:
        return await _hold(store, lambda folder: box.download(path, folder / DATA))
    data = await box.read(path, limit=most)
    return FileAnswer(data, size=len(data))


async def write_file(box: RecordedSandbox, store: BoxStore, path: str, data: bytes, blob: str | None) -> None:
    """Write a file from what the call has, or from what came before it."""
    if blob is None:
        await box.write(path, data)
    else:
        found = store.blobs.find(blob)
        await to_thread.run_sync(_write_blob, found.file, box.host_files, path)
        await store.blobs.remove(blob)


async def unpack_files(box: Sandbox, store: BoxStore, path: str, blob: str) -> None:
    """Copy what came before into the sandbox."""
    found = store.blobs.find(blob)
    folder = await to_thread.run_sync(make_scratch)
    try:
        await to_thread.run_sync(_unpack_blob, found.file, folder)
        names = await to_thread.run_sync(lambda: list(folder.iterdir()))
        if len(names) != 1:
            raise ConfigError("the archive holds something else than one file or folder")
        await box.upload(names[0], path)
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(remove_scratch, folder)
    await store.blobs.remove(blob)


async def pack_files(box: Sandbox, store: BoxStore, path: str) -> FileAnswer:
    """A file or folder, to be fetched after the answer."""

    async def pack(folder: Path) -> None:
        got = folder / "got"
        await box.download(path, got)
        await to_thread.run_sync(_pack_folder, got, PurePosixPath(path).name or "tree", folder / DATA)
        await to_thread.run_sync(remove_scratch, got)

    return await _hold(store, pack)


async def save_box(box: Sandbox, store: BoxStore, *, python: bool, files: bool) -> SaveAnswer:
    """A saved sandbox, to be fetched after the answer."""
    without: list[str] = []

    async def save(folder: Path) -> None:
        saved = await box.save(folder / DATA, python=python, files=files)
        without.extend(saved.without)

    held = await _hold(store, save)
    assert held.blob is not None, "it was written into a file"
    return SaveAnswer(held.blob, held.size, tuple(without))


async def _hold(store: BoxStore, write: Callable[[Path], Awaitable[None]]) -> FileAnswer:
    """Keep what is written into a folder as `data`, for the client to fetch."""
    folder = await to_thread.run_sync(make_scratch)
    try:
        await write(folder)
        blob = await store.blobs.hold(folder)
    except BaseException:
        with CancelScope(shield=True):
            await to_thread.run_sync(remove_scratch, folder)
        raise
    return FileAnswer(blob=blob.name, size=blob.size)


def _unpack_blob(file: Path, folder: Path) -> None:
    with file.open("rb") as data:
        unpack_tree(data, folder, FILES_LIMIT)


def _write_blob(file: Path, files: GuestFiles, path: str) -> None:
    with file.open("rb") as data, files.open_write(path) as out:
        shutil.copyfileobj(data, out, PIECE)


def _pack_folder(source: Path, name: str, target: Path) -> None:
    with target.open("wb") as out:
        pack_tree(source, name, out)
