"""Lists folders: one, or all below it as far as there is room."""

from collections import deque
from typing import Annotated

from msgspec import Meta, Struct

from cloche.events import ListedFile
from cloche.runtime.file_access import FileAccess
from cloche.server.files.paths import shorten_path, telling_errors

Kind = Annotated[str, Meta(description="`file`, `dir`, `link` or `other`")]


class FileView(Struct, frozen=True):
    """A file or a folder."""

    path: str
    """Relative to the workspace."""
    kind: Kind
    size: int
    modified: float
    """Seconds since 1970."""


class FolderListing(Struct, frozen=True):
    """What is in a folder, folders first; with the folders below it, level by level."""

    path: str
    entries: list[FileView]
    truncated: bool
    """Whether there is more than this."""


async def list_folder(files: FileAccess, path: str, *, recursive: bool, limit: int) -> FolderListing:
    """What is in a folder; links are listed, not followed."""
    found: list[FileView] = []
    folders = deque([path])
    while folders and len(found) <= limit:
        folder = folders.popleft()
        inside = await _list_one(files, folder, optional=folder != path)
        found += [view_file(f"{folder}/{each.name}", each) for each in inside]
        if recursive:
            folders += [f"{folder}/{each.name}" for each in inside if each.kind == "dir"]
    return FolderListing(shorten_path(path), found[:limit], len(found) > limit)


def view_file(path: str, listed: ListedFile) -> FileView:
    """What is told of a file at this path."""
    return FileView(shorten_path(path), listed.kind, listed.size, listed.modified)


async def _list_one(files: FileAccess, folder: str, *, optional: bool) -> list[ListedFile]:
    try:
        with telling_errors(folder):
            inside = await files.list(folder)
    except Exception:  # below the top, running code has removed or locked it meanwhile
        if not optional:
            raise
        return []
    return sorted(inside, key=lambda each: (each.kind != "dir", each.name.casefold(), each.name))
