"""A folder for a reader: what lies in it, two levels deep."""

from cloche.runtime.machine import Entry, Machine

SHOWN = 1000
"""Names that are told."""


async def two_levels(machine: Machine, path: str) -> str:
    """The paths in a folder and in the folders below, hidden ones left out."""
    paths: list[str] = []
    hidden = 0
    for entry in _ordered(await machine.list(path)):
        if entry.name.startswith("."):
            hidden += 1
            continue
        paths.append(_line(path, entry))
        if entry.is_folder and len(paths) <= SHOWN:
            below = _ordered(await machine.list(f"{path}/{entry.name}"))
            paths += [_line(f"{path}/{entry.name}", each) for each in below if not each.name.startswith(".")]
    more = [f"... and {len(paths) - SHOWN} more: view a folder below."] if len(paths) > SHOWN else []
    first = f"Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    shown = "\n".join([first, f"{path.rstrip('/')}/", *paths[:SHOWN], *more])
    if not hidden:
        return shown
    return (
        f"{shown}\n\n{hidden} hidden files/directories in this directory are excluded. "
        f"You can use 'ls -la {path}' to see them."
    )


def _ordered(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.name)


def _line(folder: str, entry: Entry) -> str:
    return f"{folder.rstrip('/')}/{entry.name}{'/' if entry.is_folder else ''}"
