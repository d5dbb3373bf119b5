"""The files of sessions, which a server keeps when their sandboxes are closed."""

import logging
import re
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from cloche.paths.beneath import OpenFolder
from cloche.sandbox.files.scratch import remove_scratch
from cloche.sandbox.files.tree_copy import TreeCopy

log = logging.getLogger(__name__)

_NAME = re.compile(r"[0-9a-f]{32}")
"""What we make here; anything else is left alone."""


class Workspaces:
    """The folder of a server with a folder for the files of each session; everything but `find` and `new` blocks."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspaces"
        self._saved = folder / "saved"

    def find(self, name: str) -> Path:
        """The folder of this name, which may be missing."""
        return self.root / _check_name(name)

    def find_saved(self, name: str) -> Path:
        """The file of this name with the variables that a session starts with."""
        return self._saved / _check_name(name)

    def make_saved(self, name: str) -> Path:
        """The file of this name, in a folder that is there."""
        self._saved.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.find_saved(name)

    def new(self) -> str:
        """The name of a folder that is not there yet: the first sandbox that gets it makes it."""
        return uuid4().hex

    def copy(self, name: str, to: str) -> bool:
        """Copy the files of a session, which may be changing; returns whether it has variables to start with."""
        if self.find(name).is_dir():
            with _open_folder(self.root) as root:
                root.make(to, 0o700)
                with root.folder(name) as source, root.folder(to) as dest:
                    TreeCopy().tree(source, dest)
        saved = self.find_saved(name).is_file()
        if saved:
            # With its mode: it is nobody else's.
            shutil.copy(self.find_saved(name), self.find_saved(to))
        return saved

    def measure(self, names: Iterable[str]) -> int:
        """The bytes that the files in these folders take; a file with several names counts once."""
        sizes: dict[tuple[int, int], int] = {}
        for name in names:
            if (folder := self.find(name)).is_dir():
                with _open_folder(folder) as top:
                    sizes.update(_list_sizes(top))
        return sum(sizes.values())

    def remove(self, *names: str | None) -> None:
        """Remove folders and saved variables of these names, if they exist."""
        for name in filter(None, names):
            remove_scratch(self.find(name))
            remove_scratch(self.find_saved(name))

    def remove_others(self, named: Collection[str]) -> int:
        """Remove everything that no session names; returns how much that was."""
        there = [path for place in (self.root, self._saved) if place.is_dir() for path in place.iterdir()]
        lost = [path for path in there if path.name not in named and _NAME.fullmatch(path.name)]
        for path in lost:
            remove_scratch(path)
        if lost:
            log.info("%d workspaces that belong to no session were removed from %s", len(lost), self.root)
        return len(lost)


def _list_sizes(top: OpenFolder) -> Iterator[tuple[tuple[int, int], int]]:
    """The files below a folder by their numbers, with the room that each takes."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        parts = pending.pop()
        # A folder may be removed, or be locked, meanwhile.
        with suppress(OSError), top.reach(parts) as here:
            for name, info in here.scan():
                if stat.S_ISDIR(info.st_mode):
                    pending.append((*parts, name))
                else:
                    # Holes take no room; systems without blocks say only the length.
                    taken = getattr(info, "st_blocks", None)
                    yield (info.st_dev, info.st_ino), info.st_size if taken is None else taken * 512


def _open_folder(path: Path) -> OpenFolder:
    host = str(path.resolve())
    return OpenFolder.at(host, host)


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a workspace")
    return name
