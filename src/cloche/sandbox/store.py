"""Folders of the cache that are filled whole or not at all, and whose damage is noticed."""

import functools
import hashlib
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.sandbox.filelock import locked

MANIFEST = "manifest.json"
Fill = Callable[[Path, Path], Awaitable[None]]
"""Gets a folder to work in and one, inside it, to fill."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one file."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """Every file of a folder by its path; written last, so its presence means that the folder is complete."""

    files: dict[str, Entry]


def is_whole(folder: Path) -> bool:
    """Says whether a folder is there and no file of it is cut short, by sizes alone."""
    manifest = _read_manifest(folder)
    return manifest is not None and all(_size(folder / name) == entry.size for name, entry in manifest.files.items())


def damaged(folder: Path) -> list[str]:
    """Names the files of a folder that are missing or whose contents have changed."""
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    return [name for name, entry in manifest.files.items() if _read_entry(folder / name) != entry]


async def ensure(target: Path, fill: Fill, *, whole: Callable[[], bool]) -> None:
    """Fill a folder unless it is whole; safe to call from several processes at once."""
    await to_thread.run_sync(functools.partial(target.parent.mkdir, parents=True, exist_ok=True))
    async with locked(target.parent / ".lock"):
        # Whoever held the lock before may have done it all.
        if not await to_thread.run_sync(whole):
            await _fill(target, fill)


async def _fill(target: Path, fill: Fill) -> None:
    stage = await to_thread.run_sync(_open_stage, target.parent)
    try:
        whole = stage / "whole"
        await fill(stage, whole)
        await to_thread.run_sync(_write_manifest, whole)
        await to_thread.run_sync(_swap, stage, whole, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(remove, stage)


def _open_stage(parent: Path) -> Path:
    # The lock is ours, so a folder that somebody else was filling belongs to a process that died.
    for leftover in parent.glob(".tmp-*"):
        remove(leftover)
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
    (stage / "whole").mkdir()
    return stage


def _swap(stage: Path, whole: Path, target: Path) -> None:
    if target.exists():
        target.rename(stage / "broken")
    whole.rename(target)


def remove(folder: Path) -> None:
    """Remove a folder as far as that is possible."""
    shutil.rmtree(folder, ignore_errors=True)


def _read_manifest(folder: Path) -> Manifest | None:
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError):
        return None


def _write_manifest(folder: Path) -> None:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    manifest = Manifest({path.relative_to(folder).as_posix(): _entry(path) for path in files})
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))


def _entry(path: Path) -> Entry:
    data = path.read_bytes()
    return Entry(len(data), hashlib.sha256(data).hexdigest())


def _read_entry(path: Path) -> Entry | None:
    try:
        return _entry(path)
    except OSError:
        return None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
