"""Checks whether what is stored is complete, and repairs it."""

from pathlib import Path

from cloche.errors import SandboxError
from cloche.sandbox.cache import assets, packs, snapshots
from cloche.sandbox.cache.checksummed_file import is_intact
from cloche.sandbox.cache.folder_store import find_damage
from cloche.sandbox.cache.inventory import ENGINE_KINDS, CacheEntry, remove_entry
from cloche.sandbox.process.warm_up import warm_up


def describe_fault(entry: CacheEntry) -> str | None:
    """What is wrong with an entry, or None. Reads all of it; blocks."""
    if entry.kind == "leftover" or not (entry.current or entry.kind in ENGINE_KINDS):
        # Other versions have other ways to check what they wrote, or none.
        return None
    return _folder_fault(entry.path) if entry.path.is_dir() else _file_fault(entry.path)


async def repair_entry(entry: CacheEntry) -> str:
    """Rebuild an entry that this version needs, remove any other; returns what was done, "" for nothing."""
    if not entry.current or entry.kind not in ENGINE_KINDS:
        return "removed" if await remove_entry(entry, broken=True) else ""
    try:
        if entry.kind == "assets":
            await assets.repair_assets()
        elif entry.kind == "pack":
            await packs.ensure_pack(entry.name.rpartition("-")[0])
        else:
            await snapshots.repair_prepared(warm_up)
    except SandboxError as error:
        return f"could not be made again: {error}"
    return "made again"


def _folder_fault(folder: Path) -> str | None:
    wrong = find_damage(folder)
    if not wrong:
        return None
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{wrong[0]}{more} missing or changed"


def _file_fault(path: Path) -> str | None:
    try:
        return None if is_intact(path) else "cut short or changed"
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
