"""What is stored on this machine (engine files, snapshots, packages), what is in use, and what can be removed."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import anyio
import msgspec
from anyio import to_thread

from cloche.sandbox.cache import packs, snapshots
from cloche.sandbox.cache.assets import asset_key, cache_dir
from cloche.sandbox.cache.checksummed_file import SUFFIX
from cloche.sandbox.cache.file_lock import lock_file, try_lock
from cloche.sandbox.cache.folder_store import remove_folder
from cloche.sandbox.cache.usage import DAY, PREFIX, in_use, last_used, reserve_unused
from cloche.sandbox.languages import languages
from cloche.sandbox.packages import blobs
from cloche.sandbox.packages.host_pip import stub_wheels

Kind = Literal["assets", "snapshot", "code", "pack", "package", "resolution", "index", "point", "probe", "leftover"]

PATIENCE = 10.0
"""Seconds to wait for a process that is fetching or building."""

_PLACES: dict[str, Kind] = {
    "assets": "assets",
    "snapshots": "snapshot",
    "code": "code",
    "packs": "pack",
    "packages/blobs": "package",
    "packages/resolved": "resolution",
    "packages/stubs": "index",
    "packages/answers": "index",
    "packages/stages": "leftover",
    "points": "point",
    "layers": "probe",
}
_ENDS = {
    "packages/blobs": f"-{blobs.FORMAT}.zip",
    "packages/resolved": SUFFIX,
    "packages/stubs": f"-{stub_wheels.FORMAT}",
    "packages/answers": SUFFIX,
    "layers": SUFFIX,
}
"""How the names of entries end that this version of Cloche would use."""

_SHARED: tuple[Kind, ...] = ("package", "resolution", "index")
"""Kinds that a process uses only for moments: its one lock on `packages` covers those of the last days."""

ENGINE_KINDS: tuple[Kind, ...] = ("assets", "snapshot", "code", "pack")
"""Kinds that are fetched or built for one version of Cloche, or one installation of it."""

_LEFT = ".tmp-"


class CacheEntry(msgspec.Struct, frozen=True):
    """One thing that is stored."""

    kind: Kind
    name: str
    path: Path
    size: int
    used: float
    """When it was last used or made, in seconds since 1970."""
    current: bool
    """Whether this version of Cloche would use it."""
    in_use: bool
    """Whether a process uses it now."""


def list_entries(*, unused_for: float = 0.0) -> list[CacheEntry]:
    """Every known entry, or only those that were not used for this many seconds; blocks."""
    root = cache_dir()
    keys = {"assets": asset_key(), "snapshots": snapshots.snapshot_dir().name, "code": snapshots.code_dir().name}
    busy = in_use(root / "packages")
    latest = time.time() - unused_for
    return [
        _make_entry(path, kind, current=_is_current(place, path.name, keys), busy=busy)
        for place, kind in _PLACES.items()
        for path in _list_folder(root / place)
        if not unused_for or last_used(path) <= latest
    ]


def _list_folder(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(
            path
            for path in folder.iterdir()
            if path.name != ".lock" and path.suffix != ".lock" and not path.name.startswith(PREFIX)
        )


def _make_entry(path: Path, kind: Kind, *, current: bool, busy: bool) -> CacheEntry:
    used = last_used(path)
    if path.name.startswith(_LEFT) or path.suffix == ".tmp":
        kind = "leftover"
    # The time of use is noted once a day; after two days it is certain.
    recent = time.time() - used < 2 * DAY
    taken = busy and recent if kind in _SHARED else recent if kind == "leftover" else in_use(path)
    return CacheEntry(kind, path.name, path, _folder_size(path), used, current and kind != "leftover", taken)


def _is_current(place: str, name: str, keys: dict[str, str]) -> bool:
    if place in keys:
        return name == keys[place]
    if place == "packs":
        language = name.rpartition("-")[0]
        return language in languages() and name == packs.pack_dir(language).name
    return name.endswith(_ENDS.get(place, ""))


def _folder_size(path: Path) -> int:
    if not path.is_dir() or path.is_symlink():
        return _file_size(path)
    return sum(_file_size(Path(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _file_size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def find_prunable(
    found: list[CacheEntry], *, older_than: float, versions: bool = False, everything: bool = False
) -> list[CacheEntry]:
    """What may be removed: unused for `older_than` seconds, or with `versions` of other versions; nothing in use."""

    def may_go(entry: CacheEntry) -> bool:
        if entry.in_use or everything or entry.kind == "leftover":
            return not entry.in_use
        if entry.kind in ENGINE_KINDS and entry.current:
            return False
        return time.time() - entry.used >= older_than or (versions and not entry.current)

    return [entry for entry in found if may_go(entry)]


async def remove_entry(entry: CacheEntry, *, broken: bool = False) -> bool:
    """Remove an entry unless it is being used or made; returns whether it is gone.

    A broken one is removed even if it is in use, if each use looks for it again.
    """
    lock = await to_thread.run_sync(_lock_of, entry)
    try:
        async with AsyncExitStack() as stack:
            with anyio.fail_after(PATIENCE):
                await stack.enter_async_context(lock_file(lock))
            trash = await to_thread.run_sync(partial(_take_out, entry, lock, broken=broken))
    except (TimeoutError, OSError):
        return False
    if trash is not None:
        await to_thread.run_sync(remove_folder, trash)
    return trash is not None


def remove_if_free(entry: CacheEntry) -> bool:
    """The same without waiting for locks: what is being fetched or built is left alone; blocks."""
    lock = _lock_of(entry)
    try:
        with lock.open("ab") as file:
            trash = _take_out(entry, lock, broken=False) if try_lock(file) else None
    except OSError:
        return False
    if trash is not None:
        remove_folder(trash)
    return trash is not None


def _lock_of(entry: CacheEntry) -> Path:
    """The lock that is held while such an entry is made."""
    if entry.kind in _SHARED:
        return entry.path.with_suffix(".lock")
    lock = entry.path.parent / ".lock"
    return lock if entry.kind in ENGINE_KINDS or lock.exists() else cache_dir() / ".lock"


def _take_out(entry: CacheEntry, lock: Path, *, broken: bool) -> Path | None:
    """Move an entry into a folder that is to be removed, at once, so that no process sees half of it."""
    owner = cache_dir() / "packages" if entry.kind in _SHARED else entry.path
    with reserve_unused(owner, forget=entry.kind not in _SHARED) as free:
        if not free and not (entry.kind in _SHARED and (broken or not entry.in_use)):
            return None
        trash = Path(tempfile.mkdtemp(prefix=_LEFT, dir=entry.path.parent))
        with suppress(FileNotFoundError):
            entry.path.rename(trash / "gone")
    if entry.kind in _SHARED:
        lock.unlink(missing_ok=True)
    return trash
