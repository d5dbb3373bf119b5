"""Cache folders that are written completely or not at all, and whose damage is detected."""

import errno
import functools
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache.file_lock import lock_file
from cloche.sandbox.cache.thread_lock import ForkSafeLock

log = logging.getLogger(__name__)

MANIFEST = "manifest.json"
PASSING = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))
"""Errors that say nothing about a file: the system is short of a resource for the moment."""

Fill = Callable[[Path, Path], Awaitable[None]]
"""Gets a folder to work in and one, inside it, to fill."""


class StoredFile(msgspec.Struct, frozen=True, array_like=True):
    """Size and hash of one file."""

    size: int
    sha256: str


class FolderManifest(msgspec.Struct, frozen=True):
    """Every file of a folder by its path; written last, so its presence means that the folder is complete."""

    files: dict[str, StoredFile]


def is_whole(folder: Path) -> bool:
    """Whether a folder exists and no file of it is truncated, by sizes alone."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return False
    return all(_file_size(f"{folder}/{name}") == entry.size for name, entry in manifest.files.items())


def find_damage(folder: Path) -> list[str]:
    """The files of a folder that are missing or whose contents have changed; reads all of them."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    return [name for name, entry in manifest.files.items() if _read_entry(folder / name) != entry]


def find_new_damage(folder: Path) -> list[str]:
    """Like `find_damage`, but skips files that this process has checked and that have not been written to since."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    # One at a time, so that many starts at once read the files only once.
    with _turn.lock:
        return [name for name, entry in manifest.files.items() if not _is_sound(f"{folder}/{name}", entry)]


async def ensure_folder(target: Path, fill: Fill, *, whole: Callable[[], bool]) -> bool:
    """Fill a folder unless it is whole; returns whether that was needed. Safe in several processes at once."""
    await to_thread.run_sync(functools.partial(target.parent.mkdir, parents=True, exist_ok=True))
    async with lock_file(target.parent / ".lock"):
        # The previous holder of the lock may have filled it.
        if await to_thread.run_sync(whole):
            return False
        await _fill_folder(target, fill)
        return True


async def repair_folder(target: Path, fill: Fill) -> bool:
    """Fill a folder again if it is damaged; returns whether it was. Processes keep the files that they have open."""

    # Before the lock, so that an intact cache may be read-only.
    if not (wrong := await to_thread.run_sync(find_damage, target)):
        return False
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    log.warning("damaged in the cache, made again: %s/%s%s", target, wrong[0], more)
    return await ensure_folder(target, fill, whole=lambda: not find_damage(target))


async def _fill_folder(target: Path, fill: Fill) -> None:
    stage = await to_thread.run_sync(_open_stage, target.parent)
    try:
        whole = stage / "whole"
        await fill(stage, whole)
        await to_thread.run_sync(write_manifest, whole)
        await to_thread.run_sync(replace_folder, stage, whole, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(remove_folder, stage)


def _open_stage(parent: Path) -> Path:
    # We hold the lock, so a half-filled folder was left by a process that died.
    for leftover in parent.glob(".tmp-*"):
        remove_folder(leftover)
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
    (stage / "whole").mkdir()
    return stage


def replace_folder(stage: Path, whole: Path, target: Path) -> None:
    """Put the folder `whole` in place of `target`, which is moved into `stage`; open files stay readable."""
    if target.exists():
        target.rename(stage / "broken")
    whole.rename(target)
    sync_file(target.parent)


def remove_folder(folder: Path) -> None:
    """Remove a folder as far as possible."""
    shutil.rmtree(folder, ignore_errors=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that others see either the old contents or all of the new, even after a power cut."""
    fd, name = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sync_file(path: Path) -> None:
    """Flush a file or folder to the disk, if the system can."""
    if os.name == "posix":
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _read_manifest(folder: Path) -> FolderManifest | None:
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=FolderManifest)
    except msgspec.MsgspecError:
        return None
    except OSError as error:
        return _raise_if_passing(error)


def write_manifest(folder: Path) -> None:
    """Write down size and hash of each file of a folder, and flush all of it to the disk."""
    # The target of a link is not part of the folder: Deno's cache has a link to Deno itself.
    paths = [path for path in sorted(folder.rglob("*")) if not path.is_symlink()]
    manifest = FolderManifest(
        {path.relative_to(folder).as_posix(): _describe_file(path) for path in paths if path.is_file()}
    )
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    # A power cut must not leave names without contents.
    for path in (*paths, folder / MANIFEST, folder):
        sync_file(path)


def _describe_file(path: Path) -> StoredFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return StoredFile(file.tell(), digest)


_sound: dict[str, tuple[object, ...]] = {}
"""Files that were read and found correct, with the stat fields that show whether they were written to since."""


_turn = ForkSafeLock()
"""Held while files are read and compared."""


def _is_sound(path: str, entry: StoredFile) -> bool:
    found = _stat_file(path)
    if found is None:
        return False
    mark = (entry, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    if _sound.get(path) == mark:
        return True
    sound = _read_entry(Path(path)) == entry
    if sound:
        _sound[path] = mark
    return sound


def _read_entry(path: Path) -> StoredFile | None:
    try:
        return _describe_file(path)
    except OSError as error:
        return _raise_if_passing(error)


def _raise_if_passing(error: OSError) -> None:
    """Raise an error that says nothing about the file; any other means that the file cannot be read."""
    if error.errno in PASSING:
        raise error


@contextmanager
def explain_write_errors(what: str, repair: str = "") -> Generator[None]:
    """Turn an OSError into AssetsUnavailable, whose message says what could not be written and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in PASSING:
            raise
        raise AssetsUnavailable(
            f"Could not write {what}: {error.strerror or error}. Make room there, or make it writable, or set "
            f"CLOCHE_CACHE to another folder{repair}."
        ) from error


def _file_size(path: str) -> int | None:
    found = _stat_file(path)
    return None if found is None else found.st_size


def _stat_file(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a Path costs ten times as much, and each start looks at hundreds
    except OSError:
        return None
