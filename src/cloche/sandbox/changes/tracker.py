"""The marks of one sandbox."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from cloche.errors import ConfigError
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.changes.compare import compare_with_mark
from cloche.sandbox.changes.content_store import ContentStore
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.mark import Mark, take_mark
from cloche.sandbox.files.guest_files import GuestPath

Open = Callable[[GuestPath], AbstractContextManager[OpenFolder]]
"""Opens a folder of the guest."""

NEVER = (
    "nothing was noted of {path} when this sandbox started: open it with track=True, or call mark() before the changes "
    "and give its answer to diff()"
)


class ChangeTracker:
    """Takes marks and compares folders with them; everything blocks."""

    def __init__(self, open_folder: Open, file: Path) -> None:
        self._open = open_folder
        self._store = ContentStore(file)
        self._first: dict[str, Mark] = {}

    def begin(self, path: str, *, empty: bool = False) -> None:
        """Record a folder at the start; one that is known to be empty costs nothing."""
        self._first[path] = Mark(path, {}, complete=True) if empty else self.mark(path)

    def mark(self, path: GuestPath) -> Mark:
        """Record a folder as it is now."""
        with self._open(path) as top:
            return take_mark(top, top.label, self._store)

    def diff(self, since: Mark | None, path: GuestPath) -> Diff:
        """What changed since a mark, or since the start."""
        mark = since or self._started(path)
        places = self._store.places
        if any(entry.name is not None and entry.name not in places for entry in mark.entries.values()):
            raise ConfigError("this mark belongs to another sandbox: compare with one that this sandbox took")
        with self._open(mark.path) as top:
            return compare_with_mark(mark, top, self._store)

    def _started(self, path: GuestPath) -> Mark:
        with self._open(path) as top:
            name = top.label
        if name not in self._first:
            raise ConfigError(NEVER.format(path=name))
        return self._first[name]
