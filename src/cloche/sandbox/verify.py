"""Checks whether what is stored is complete."""

from pathlib import Path

import msgspec

from cloche.sandbox.cache import Entry
from cloche.sandbox.packages.blobs import find_fault
from cloche.sandbox.store import damaged


def fault(entry: Entry) -> str | None:
    """What is wrong with an entry; None if nothing is. Reads all of it; blocks."""
    match entry.kind:
        case "assets" | "snapshot" | "code" | "pack":
            return _folder_fault(entry.path)
        case "package":
            return find_fault(entry.path)
        case "resolution":
            return _json_fault(entry.path)
        case _:
            return None


def _folder_fault(folder: Path) -> str | None:
    wrong = damaged(folder)
    if not wrong:
        return None
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{wrong[0]}{more} missing or changed"


def _json_fault(path: Path) -> str | None:
    try:
        msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        return f"cannot be read: {error}"
    return None
