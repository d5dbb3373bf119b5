"""Lists a folder for a reader, two levels deep."""

from cloche.runtime.actions.text_edits import NAMES, describe_folder
from cloche.runtime.machine import FolderEntry, Machine


async def list_two_levels(machine: Machine, path: str) -> str:
    """The paths in a folder and in the folders below, without hidden ones."""
    paths: list[str] = []
    hidden = 0
    for entry in _sort_entries(await machine.list(path)):
        if entry.name.startswith("."):
            hidden += 1
            continue
        paths.append(_format_entry(path, entry))
        if entry.is_folder and len(paths) <= NAMES:
            below = _sort_entries(await machine.list(f"{path}/{entry.name}"))
            paths += [_format_entry(f"{path}/{entry.name}", each) for each in below if not each.name.startswith(".")]
    return describe_folder(path, paths, hidden)


def _sort_entries(entries: list[FolderEntry]) -> list[FolderEntry]:
    return sorted(entries, key=lambda entry: entry.name)


def _format_entry(folder: str, entry: FolderEntry) -> str:
    return f"{folder.rstrip('/')}/{entry.name}{'/' if entry.is_folder else ''}"
