"""The engine's files: where they lie, whether they are whole, and how they get there."""

import functools
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.downloads import ENGINE, Progress, Report, fetch_npm, fetch_wheels
from cloche.sandbox.filelock import locked
from cloche.sandbox.usage import use

__all__ = ["ENGINE", "Progress", "assets_dir", "cache_dir", "discard", "fetch", "ready", "verify"]

FORMAT = 1
"""Raised when files of the same origin are laid out in another way."""

SOURCES = (
    *("deno.lock", "guest-requirements.txt", "prepare.ts", "library.ts", "guest/library.py"),
    *("pyodide/patch.ts", "pyodide/wasm.ts", "shell/patch.ts", "shell/git/patch.ts"),
)
"""Files of the engine that decide what the assets contain."""

MANIFEST = "manifest.json"


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one file."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """Every file of the assets by its path; written last, so its presence means that they are complete."""

    files: dict[str, Entry]


def cache_dir() -> Path:
    """The folder for everything that can be fetched or built again: CLOCHE_CACHE, else the user's own cache folder."""
    # Resolved: the names inside the sandbox are those of the host, and a link is none of them.
    return _chosen_cache().expanduser().resolve()


def _chosen_cache() -> Path:
    if chosen := os.environ.get("CLOCHE_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "cloche", "cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/cloche"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "cloche")


def assets_dir() -> Path:
    """The folder of the assets that belong to this version of Cloche, whether they are there or not."""
    return cache_dir() / "assets" / asset_key()


def ready() -> bool:
    """Says whether the assets are there and none is cut short, by sizes alone."""
    folder = assets_dir()
    use(folder)
    manifest = _read_manifest(folder)
    return manifest is not None and all(_size(folder / name) == entry.size for name, entry in manifest.files.items())


def verify(folder: Path | None = None) -> list[str]:
    """Names the assets, by default this version's, that are missing or whose contents have changed."""
    folder = folder or assets_dir()
    manifest = _read_manifest(folder)
    if manifest is None:
        return [MANIFEST]
    return [name for name, entry in manifest.files.items() if _read_entry(folder / name) != entry]


def discard() -> None:
    """Removes the assets of this version, so that the next fetch gets them anew."""
    _remove(assets_dir())


async def fetch(progress: Report | None = None) -> Path:
    """Fetches the assets unless they are ready, and gives their folder; safe to call from several processes at once."""
    target = await to_thread.run_sync(assets_dir)
    if await to_thread.run_sync(ready):
        return target
    try:
        await to_thread.run_sync(functools.partial(target.parent.mkdir, parents=True, exist_ok=True))
        async with locked(target.parent / ".lock"):
            # Whoever held the lock before may have done it all.
            if not await to_thread.run_sync(ready):
                await _fill(target, progress or (lambda _: None))
    except OSError as error:
        raise AssetsUnavailable(
            f"Could not write the engine's files to {target}: {error.strerror or error}. Make room there, or make it "
            "writable, or set CLOCHE_CACHE to another folder; then run `cloche fetch`."
        ) from error
    return target


async def _fill(target: Path, report: Report) -> None:
    stage = await to_thread.run_sync(_open_stage, target.parent)
    try:
        whole = stage / "whole"
        await fetch_npm(stage, whole / "node_modules", report)
        await fetch_wheels(stage, whole / "python" / "site.zip", report)
        await to_thread.run_sync(_write_manifest, whole)
        await to_thread.run_sync(_swap, stage, whole, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(_remove, stage)


def _open_stage(parent: Path) -> Path:
    # The lock is ours, so a folder that somebody else was filling belongs to a process that died.
    for leftover in parent.glob(".tmp-*"):
        _remove(leftover)
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
    (stage / "whole").mkdir()
    return stage


def _swap(stage: Path, whole: Path, target: Path) -> None:
    if target.exists():
        target.rename(stage / "broken")
    whole.rename(target)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def asset_key() -> str:
    digest = hashlib.sha256(f"{FORMAT} {importlib.metadata.version('deno')}".encode())
    for name in SOURCES:
        digest.update(hashlib.sha256((ENGINE / name).read_bytes()).digest())
    return digest.hexdigest()[:16]


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
