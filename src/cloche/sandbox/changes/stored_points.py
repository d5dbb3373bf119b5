"""Marks that outlive the program, for the command line: stored in Cloche's cache."""

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
"""Points of one folder; older ones go."""


class StoredPoint(msgspec.Struct, frozen=True):
    """A mark with where its contents lie."""

    mark: Mark
    places: dict[str, tuple[int, int]]


def save_point(folder: Path) -> str:
    """Note the state of a folder; gives the name of the point."""
    root = cache_dir() / "points"
    try:
        root.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=root))
        try:
            return _fill(stage, folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise ConfigError(
            f"Could not note the state of {folder}: {error.strerror or error}. Make room in {root}, or set "
            "CLOCHE_CACHE to another folder."
        ) from error


def _fill(stage: Path, folder: Path) -> str:
    store = ContentStore(stage / "contents")
    with OpenFolder.at(str(folder), str(folder)) as top:
        mark = take_mark(top, str(folder), store)
    (stage / "point").write_bytes(msgspec.msgpack.encode(StoredPoint(mark, store.places)))
    write_manifest(stage)
    name = time.strftime("%Y%m%d-%H%M%S")
    taken = set(point_names(folder))
    if name in taken:
        name = next(f"{name}-{count}" for count in range(2, 1_000_000) if f"{name}-{count}" not in taken)
    stage.rename(_place(folder, name))
    for old in point_names(folder)[:-KEPT]:
        shutil.rmtree(_place(folder, old), ignore_errors=True)
    return name


def point_names(folder: Path) -> list[str]:
    """The points of a folder, the oldest first."""
    prefix = _place(folder, "").name
    found = (path for path in _place(folder, "").parent.glob(f"{prefix}*") if (path / "point").exists())
    ordered = sorted(found, key=lambda path: ((path / "point").stat().st_mtime_ns, path.name))
    return [path.name.removeprefix(prefix) for path in ordered]


def diff_since_point(folder: Path, since: str | None = None) -> tuple[str, Diff]:
    """What changed in a folder since a point, by default the latest; and the name of that point."""
    known = point_names(folder)
    if not known:
        raise ConfigError(f"Nothing was noted of {folder} yet: run `cloche diff --mark` there before the changes.")
    name = since or known[-1]
    if name not in known:
        raise ConfigError(f"{folder} has no point {name!r}; it has {', '.join(known)}.")
    place = _place(folder, name)
    if wrong := find_damage(place):
        raise ConfigError(
            f"The point {name} of {folder} is damaged ({wrong[0]}). Make a new one: `cloche diff --mark`."
        )
    try:
        point = msgspec.msgpack.decode((place / "point").read_bytes(), type=StoredPoint)
        with OpenFolder.at(str(folder), str(folder)) as top:
            return name, compare_with_mark(point.mark, top, ContentStore(place / "contents", point.places))
    except (msgspec.MsgspecError, OSError) as error:
        raise ConfigError(f"The point {name} of {folder} cannot be read: {error}. Make a new one.") from error


def _place(folder: Path, name: str) -> Path:
    digest = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_dir() / "points" / f"{digest}-{name}"
