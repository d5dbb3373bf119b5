"""The engine's files: where they are, whether they are complete, and how they are downloaded."""

import functools
import hashlib
import importlib.metadata
import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from anyio import to_thread

from cloche.sandbox.cache import folder_store
from cloche.sandbox.cache.downloads import ENGINE, DownloadProgress, Report, download_npm, download_wheels
from cloche.sandbox.cache.folder_store import Fill, ensure_folder, find_damage, is_whole
from cloche.sandbox.cache.import_closure import imported_files
from cloche.sandbox.cache.usage import hold_in_use

__all__ = [
    "ENGINE",
    "DownloadProgress",
    "assets_dir",
    "assets_ready",
    "cache_dir",
    "fetch_assets",
    "repair_assets",
    "verify_assets",
]

FORMAT = 1
"""Increased when files of the same origin are laid out in another way."""

ENTRY = "build/assets.ts"
"""Makes the assets. It and all that it imports decide what they contain."""

OTHERS = (
    *("deno.lock", "languages/python/requirements.txt"),
    *("languages/python/build/stdlib_bytecode.ts", "languages/python/build/compile_stdlib.py"),
)
"""So do these. What stdlib_bytecode.ts imports only starts Python, which compiles. That does not count: a change to the
engine's file system should not download everything again."""


def cache_dir() -> Path:
    """The folder for everything that can be fetched or built again: CLOCHE_CACHE, else the user's own cache folder."""
    # Resolved: paths inside the sandbox are those of the host, without links.
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
    """The folder of this version's assets, whether it exists or not."""
    return cache_dir() / "assets" / asset_key()


def assets_ready() -> bool:
    """Whether the assets exist and none is truncated, by sizes alone."""
    folder = assets_dir()
    hold_in_use(folder)
    return is_whole(folder)


def verify_assets(folder: Path | None = None) -> list[str]:
    """The assets, by default this version's, that are missing or whose contents have changed."""
    return find_damage(folder or assets_dir())


async def fetch_assets(progress: Report | None = None, *, anew: bool = False) -> Path:
    """Fetch the assets unless they are ready, or with `anew` in any case; returns their folder. Safe in several
    processes at once."""
    target = await to_thread.run_sync(assets_dir)
    if not anew and await to_thread.run_sync(assets_ready):
        return target
    with _explain_write_errors(target):
        await ensure_folder(target, _fill_assets(progress), whole=lambda: not anew and assets_ready())
    return target


async def repair_assets() -> bool:
    """Fetch the assets again if they are proved damaged; returns whether they were."""
    target = await to_thread.run_sync(assets_dir)
    with _explain_write_errors(target):
        return await folder_store.repair_folder(target, _fill_assets(None))


def _fill_assets(progress: Report | None) -> Fill:
    report: Report = progress or (lambda _: None)

    async def fill(stage: Path, whole: Path) -> None:
        await download_npm(stage, whole / "node_modules", report)
        await download_wheels(stage, whole / "python" / "site.zip", report)

    return fill


def _explain_write_errors(target: Path) -> AbstractContextManager[None]:
    return folder_store.explain_write_errors(f"the engine's files to {target}", "; then run `cloche fetch`")


@functools.cache
def asset_key() -> str:
    digest = hashlib.sha256(f"{FORMAT} {importlib.metadata.version('deno')}".encode())
    for path in [*(ENGINE / name for name in OTHERS), *imported_files([ENGINE / ENTRY])]:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
