"""Marks of folders that are kept in Cloche's cache, for `cloche diff`."""

import hashlib
import shutil
import tempfile
import time
from pathlib import Path

import msgspec

from cloche.errors import ConfigError
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.folder_store import find_damage, write_manifest
from cloche.sandbox.changes.compare import compare_with_mark
from cloche.sandbox.changes.content_store import ContentStore
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark, take_mark

KEPT = 10
"""Marks of one folder that are kept; older ones are removed."""


class StoredMark(msgspec.Struct, frozen=True):
    """A mark, and the positions of its contents in their file."""

    mark: Mark
    places: dict[str, tuple[int, int]]


def save_mark(folder: Path) -> str:
    """Store the state of a folder; returns the name of the mark."""
    root = cache_dir() / "points"
    try:
        root.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=root))
        try:
            return _fill_stage(stage, folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise ConfigError(
            f"Could not note the state of {folder}: {error.strerror or error}. Make room in {root}, or set "
            "CLOCHE_CACHE to another folder."
        ) from error


def _fill_stage(stage: Path, folder: Path) -> str:
    store = ContentStore(stage / "contents")
    with OpenFolder.at(str(folder), str(folder)) as top:
        mark = take_mark(top, str(folder), store)
    (stage / "point").write_bytes(msgspec.msgpack.encode(StoredMark(mark, store.places)))
    write_manifest(stage)
    name = time.strftime("%Y%m%d-%H%M%S")
    taken = set(list_marks(folder))
    if name in taken:
        name = next(f"{name}-{count}" for count in range(2, 1_000_000) if f"{name}-{count}" not in taken)
    stage.rename(_mark_path(folder, name))
    for old in list_marks(folder)[:-KEPT]:
        shutil.rmtree(_mark_path(folder, old), ignore_errors=True)
    return name


def list_marks(folder: Path) -> list[str]:
    """The names of a folder's marks, oldest first."""
    prefix = _mark_path(folder, "").name
    found = (path for path in _mark_path(folder, "").parent.glob(f"{prefix}*") if (path / "point").exists())
    ordered = sorted(found, key=lambda path: ((path / "point").stat().st_mtime_ns, path.name))
    return [path.name.removeprefix(prefix) for path in ordered]


def diff_since_mark(folder: Path, since: str | None = None) -> tuple[str, Diff]:
    """What changed in a folder since a mark, by default the latest; and the name of that mark."""
    known = list_marks(folder)
    if not known:
        raise ConfigError(f"Nothing was noted of {folder} yet: run `cloche diff --mark` there before the changes.")
    name = since or known[-1]
    if name not in known:
        raise ConfigError(f"{folder} has no mark {name!r}; it has {', '.join(known)}.")
    place = _mark_path(folder, name)
    if wrong := find_damage(place):
        raise ConfigError(f"The mark {name} of {folder} is damaged ({wrong[0]}). Make a new one: `cloche diff --mark`.")
    try:
        stored = msgspec.msgpack.decode((place / "point").read_bytes(), type=StoredMark)
        with OpenFolder.at(str(folder), str(folder)) as top:
            return name, compare_with_mark(stored.mark, top, ContentStore(place / "contents", stored.places))
    except (msgspec.MsgspecError, OSError) as error:
        raise ConfigError(f"The mark {name} of {folder} cannot be read: {error}. Make a new one.") from error


def _mark_path(folder: Path, name: str) -> Path:
    digest = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_dir() / "points" / f"{digest}-{name}"
