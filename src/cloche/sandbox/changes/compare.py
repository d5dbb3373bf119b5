"""Compares a folder with a mark."""

import os
from typing import NamedTuple

from cloche.limits import DIFF_FILE_LIMIT, DIFF_LIMIT, DIFF_STEPS, KB, MB
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.changes.content_store import ContentStore
from cloche.sandbox.changes.diff import Diff, FileChange, Status
from cloche.sandbox.changes.line_diff import WorkBudget
from cloche.sandbox.changes.mark import (
    FolderWalk,
    FoundFile,
    Mark,
    MarkedFile,
    file_stamp,
    is_plain,
    is_same,
    read_content,
)
from cloche.sandbox.changes.patch import FileSide, quote_path, render_change

UNSEEN = "not all of the folder could be looked at: it has too many files, or some may not be read"


class _Change(NamedTuple):
    path: str
    old: MarkedFile | None
    new: FileSide | None
    present: bool
    """Whether the path exists now, even if it is too large or not a file."""
    why: str | None
    """Why the contents are not available."""


def compare_with_mark(mark: Mark, top: OpenFolder, store: ContentStore) -> Diff:
    """What changed in the folder since the mark."""
    changes: list[_Change] = []
    seen: set[str] = set()
    walk = FolderWalk(top)
    for found in walk:
        seen.add(found.path)
        change = _compare_file(found, mark.entries.get(found.path), store)
        if change is not None:
            changes.append(change)
    complete = walk.complete and mark.complete
    # If the folder was not listed completely, a file that was not seen may still exist.
    if walk.complete:
        gone = [(path, entry) for path, entry in mark.entries.items() if path not in seen]
        changes += [_Change(path, entry, None, False, _explain_unkept(entry)) for path, entry in gone]
    return _Writer(store, complete).write(sorted(changes, key=lambda change: os.fsencode(change.path)))


def _explain_unkept(entry: MarkedFile) -> str | None:
    return None if entry.name is not None else _too_large(entry.size)


def _too_large(size: int) -> str:
    if size > DIFF_FILE_LIMIT:
        return f"{size} bytes, more than the {DIFF_FILE_LIMIT // MB} MB that are compared"
    return "no room was left to keep its contents"


def _compare_file(found: FoundFile, old: MarkedFile | None, store: ContentStore) -> _Change | None:
    """The change of one file, or None if it is unchanged."""
    info, path = found.info, found.path
    if not is_plain(info):
        return _Change(path, old, None, True, "a pipe, a socket or a device")
    if old and is_same(old, info):
        return None
    new = read_content(found)
    if new is None:
        same = old is not None and old.name is None and old.size == info.st_size and old.stamp == file_stamp(info)
        return None if same else _Change(path, old, None, True, _too_large(info.st_size))
    if old is None:
        return _Change(path, None, new, True, None)
    if old.name is None:
        return _Change(path, old, new, True, _too_large(old.size))
    if old.mode == new.mode and old.size == len(new.data) and store.read(old.name) == new.data:
        return None
    return _Change(path, old, new, True, None)


class _Writer:
    """Collects the patches until they are too large."""

    def __init__(self, store: ContentStore, complete: bool) -> None:
        self._store = store
        self._complete = complete
        self._work = WorkBudget(DIFF_STEPS)
        self._left = DIFF_LIMIT

    def write(self, changes: list[_Change]) -> Diff:
        files: list[FileChange] = []
        patches: list[str] = []
        for change in changes:
            file, patch = self._one(change)
            files.append(file)
            patches.append(patch)
        notes = [f"# {quote_path(file.path)}: {file.left_out}\n" for file in files if file.left_out]
        if not self._complete:
            notes.insert(0, f"# {UNSEEN}\n")
        return Diff("".join([*notes, *patches]), tuple(files), self._complete and not notes)

    def _one(self, change: _Change) -> tuple[FileChange, str]:
        status: Status = "added" if change.old is None else "changed" if change.present else "deleted"
        if change.why is not None:
            return FileChange(change.path, status, None, None, change.why), ""
        old = None
        if change.old is not None and change.old.name is not None:
            old = FileSide(change.old.mode, self._store.read(change.old.name))
        size = len(old.data if old else b"") + len(change.new.data if change.new else b"")
        # Not even started: a patch that is too large is not built in memory first.
        if size > self._left:
            return self._left_out(change.path, status)
        text, added, deleted = render_change(change.path, old, change.new, self._work)
        if len(text) > self._left:
            return self._left_out(change.path, status)
        self._left -= len(text)
        return FileChange(change.path, status, added, deleted), text

    def _left_out(self, path: str, status: Status) -> tuple[FileChange, str]:
        return FileChange(path, status, None, None, f"the patch has reached {DIFF_LIMIT // KB} KB"), ""
