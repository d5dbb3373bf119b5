"""Cache folders that are written completely or not at all, and whose damage is detected."""

import errno
import functools
import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.sandbox.cache.file_lock import lock_file
from cloche.sandbox.cache.thread_lock import ForkSafeLock

log = logging.getLogger(__name__)

MANIFEST = "manifest.json"
PASSING = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN))
"""Errors that say nothing of a file: the system is short of something just now."""

Fill = Callable[[Path, Path], Awaitable[None]]
"""Gets a folder to work in and one, inside it, to fill."""


class StoredFile(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one file."""

    size: int
    sha256: str


class FolderManifest(msgspec.Struct, frozen=True):
    """Every file of a folder by its path; written last, so its presence means that the folder is complete."""

    files: dict[str, StoredFile]


def is_whole(folder: Path) -> bool:
    """Says whether a folder is there and no file of it is cut short, by sizes alone."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return False
    return all(_file_size(f"{folder}/{name}") == entry.size for name, entry in manifest.files.items())


def find_damage(folder: Path) -> list[str]:
    """Names the files of a folder that are missing or whose contents have changed; reads all of them."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    return [name for name, entry in manifest.files.items() if _read_entry(folder / name) != entry]


def find_new_damage(folder: Path) -> list[str]:
    """The same, without reading again what this process has found sound and nobody has written to since."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    # One at a time: who starts many sandboxes at once has the files read once.
    with _turn.lock:
        return [name for name, entry in manifest.files.items() if not _is_sound(f"{folder}/{name}", entry)]


async def ensure_folder(target: Path, fill: Fill, *, whole: Callable[[], bool]) -> bool:
    """Fill a folder unless it is whole, and say whether that was needed; safe from several processes at once."""
    await to_thread.run_sync(functools.partial(target.parent.mkdir, parents=True, exist_ok=True))
    async with lock_file(target.parent / ".lock"):
        # Whoever held the lock before may have done it all.
        if await to_thread.run_sync(whole):
            return False
        await _fill_folder(target, fill)
        return True


async def mend_folder(target: Path, fill: Fill) -> bool:
    """Fill a folder again if it is damaged, and say whether it was; processes with the old files open keep them."""

    # Before the lock, so that a cache that is sound may be read-only.
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
        await to_thread.run_sync(swap, stage, whole, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(remove_folder, stage)


def _open_stage(parent: Path) -> Path:
    # The lock is ours, so a folder that somebody else was filling belongs to a process that died.
    for leftover in parent.glob(".tmp-*"):
        remove_folder(leftover)
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
    (stage / "whole").mkdir()
    return stage


def swap(stage: Path, whole: Path, target: Path) -> None:
    """Put a folder in the place of another, which goes into `stage`; processes with its files open keep them."""
    if target.exists():
        target.rename(stage / "broken")
    whole.rename(target)
    sync_file(target.parent)


def remove_folder(folder: Path) -> None:
    """Remove a folder as far as that is possible."""
    shutil.rmtree(folder, ignore_errors=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that others see all of it or what was there before, also after a power cut."""
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
    """Have a file or folder written to the disk, where the system can."""
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
        return _find_missing(error)


def write_manifest(folder: Path) -> None:
    """Note what each file of a folder is, and have all of it written to the disk."""
    # What a link leads to is not part of the folder: Deno's cache has one to Deno itself.
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
"""Files that were read and found as they should be, and what showed then that nobody had written to them."""


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
        return _find_missing(error)


def _find_missing(error: OSError) -> None:
    """Nothing, for a file that cannot be read; raises where that says nothing of the file."""
    if error.errno in PASSING:
        raise error


def _file_size(path: str) -> int | None:
    found = _stat_file(path)
    return None if found is None else found.st_size


def _stat_file(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a Path costs ten times as much, and each start looks at hundreds
    except OSError:
        return None
