"""Marks: the state of every file in a folder, with contents as far as there is room."""

import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from cloche.limits import DIFF_FILE_LIMIT, MARK_FILES
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.changes.content_store import ContentStore
from cloche.sandbox.changes.patch import FileSide, git_mode

RACY = 50_000_000
"""Nanoseconds before a mark in which a file may change again without a trace in its times."""


class MarkedFile(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one file or link."""

    mode: int
    size: int
    stamp: tuple[int, int, int]
    """Inode, and the times of contents and metadata; a guest cannot set the last one."""
    name: str | None
    """The name of the contents in the store; None if they were too large."""
    racy: bool


class Mark(msgspec.Struct, frozen=True):
    """The state of a folder, for `diff` to compare with; only its own sandbox can read it."""

    path: str
    """The folder."""
    entries: dict[str, MarkedFile]
    complete: bool
    """Whether all files were listed."""

    def __repr__(self) -> str:
        return f"Mark(path={self.path!r}, files={len(self.entries)})"


class FoundFile(NamedTuple):
    """Something in a folder that is not a folder itself."""

    path: str
    folder: OpenFolder
    name: str
    info: os.stat_result


def take_mark(top: OpenFolder, path: str, store: ContentStore, known: Mark | None = None) -> Mark:
    """Record the state of a folder; files that are as in the mark `known` of the same store are not read again."""
    before = {} if known is None else known.entries
    entries: dict[str, MarkedFile] = {}
    walk = FolderWalk(top)
    for found in walk:
        if not is_plain(found.info):
            continue
        old = before.get(found.path)
        if old is not None and is_same(old, found.info):
            entries[found.path] = old
            continue
        now = time.time_ns()
        side = read_content(found)
        name = None if side is None else store.keep(side.data)
        racy = found.info.st_ctime_ns > now - RACY
        entries[found.path] = MarkedFile(git_mode(found.info), found.info.st_size, file_stamp(found.info), name, racy)
    store.flush()
    return Mark(path, entries, walk.complete)


class FolderWalk:
    """Everything below a folder except folders and git's own files; bounded, and never through a link."""

    def __init__(self, top: OpenFolder) -> None:
        self._top = top
        self._left = MARK_FILES
        self.complete = True

    def __iter__(self) -> Iterator[FoundFile]:
        pending: list[tuple[str, ...]] = [()]
        while pending:
            parts = pending.pop()
            try:
                with self._top.reach(parts) as here:
                    for found in self._level(here, parts):
                        if stat.S_ISDIR(found.info.st_mode):
                            pending.append((*parts, found.name))
                        else:
                            yield found
            except OSError:
                # Locked, or removed meanwhile: what is below is unknown.
                self.complete = False

    def _level(self, here: OpenFolder, parts: tuple[str, ...]) -> Iterator[FoundFile]:
        for name, info in here.scan():
            if name.lower() == ".git":
                continue
            self._left -= 1
            if self._left < 0:
                self.complete = False
                return
            yield FoundFile("/".join((*parts, name)), here, name, info)


def is_same(old: MarkedFile, info: os.stat_result) -> bool:
    """Whether a file is surely as it was marked; its contents need not be looked at then."""
    return not old.racy and old.stamp == file_stamp(info) and old.mode == git_mode(info)


def is_plain(info: os.stat_result) -> bool:
    """Whether it is a file or a link; nothing else has contents to compare."""
    return stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode)


def file_stamp(info: os.stat_result) -> tuple[int, int, int]:
    """Values that change whenever a file does."""
    return info.st_ino, info.st_mtime_ns, info.st_ctime_ns


def read_content(found: FoundFile) -> FileSide | None:
    """The file as it is now; None if it is too large or cannot be read."""
    try:
        if stat.S_ISLNK(found.info.st_mode):
            target = found.folder.link(found.name)
            return None if target is None else FileSide(0o120000, os.fsencode(target))
        with os.fdopen(found.folder.open(found.name, os.O_RDONLY), "rb") as file:
            info = os.fstat(file.fileno())
            if info.st_size > DIFF_FILE_LIMIT:
                return None
            return FileSide(git_mode(info), file.read(info.st_size))
    except OSError:
        return None
