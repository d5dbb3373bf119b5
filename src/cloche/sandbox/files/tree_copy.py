"""Copies and removes whole trees that a guest may be changing at the same time."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from cloche.limits import MB
from cloche.paths.beneath import OpenFolder, split_path

CHUNK = 8 * MB
"""Bytes copied between two reports of progress."""

Progress = Callable[[int], object]
"""Called with the number of bytes copied so far."""


class CopiedTree(msgspec.Struct, frozen=True):
    """What a copy did."""

    files: int
    skipped: tuple[str, ...] = ()
    """What was skipped, each with its path and the reason."""


class TreeCopy:
    """One copy in progress."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress
        self._files = 0
        self._size = 0
        self._skipped: list[str] = []

    @property
    def result(self) -> CopiedTree:
        """What was done so far."""
        return CopiedTree(self._files, tuple(self._skipped))

    def file(self, source: OpenFolder, name: str, dest: OpenFolder, new: str) -> None:
        """Copy one file; a link in its place is replaced, not followed."""
        self._store(source.open(name, os.O_RDONLY), dest, new)

    def tree(self, source: OpenFolder, dest: OpenFolder) -> None:
        """Copy what is below `source` into `dest`; what cannot be read or must not be copied is skipped."""
        top = _folder_identity(dest)
        pending: list[tuple[str, ...]] = [()]
        while pending:
            parts = pending.pop()
            try:
                here = source.reach(parts)
            except OSError as error:
                self._skipped.append(str(error))
                continue
            with here, dest.reach(parts, make=True) as there:
                # A folder copied into a folder of its own would never end.
                if not parts or _folder_identity(here) != top:
                    pending.extend((*parts, name) for name in self._level(here, there, len(parts)))

    def _level(self, here: OpenFolder, there: OpenFolder, depth: int) -> list[str]:
        """Copy the files and links of one directory; returns the names of its folders."""
        folders: list[str] = []
        try:
            children = here.scan()
        except OSError as error:
            self._skipped.append(str(error))
            return folders
        for name, info in children:
            if stat.S_ISDIR(info.st_mode):
                _clear_name(there, name)
                with suppress(FileExistsError):
                    there.make(name, info.st_mode & 0o777 | 0o700)
                folders.append(name)
            elif stat.S_ISLNK(info.st_mode):
                self._link(here, there, name, depth)
            else:
                self._plain(here, there, name)
        return folders

    def _plain(self, here: OpenFolder, there: OpenFolder, name: str) -> None:
        try:
            fd = here.open(name, os.O_RDONLY)
        except OSError as error:
            self._skipped.append(str(error))
        else:
            self._store(fd, there, name)

    def _link(self, here: OpenFolder, there: OpenFolder, name: str, depth: int) -> None:
        target = here.link(name)
        if target is None or not stays_inside(target, depth):
            self._skipped.append(f"{here.path(name)} is a link to {target}, which leads outside")
            return
        _clear_name(there, name)
        there.symlink(name, target)

    def _store(self, fd: int, dest: OpenFolder, name: str) -> None:
        try:
            info = os.fstat(fd)
            _clear_name(dest, name)
            out = dest.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, info.st_mode & 0o777)
            try:
                self._pour(fd, out, info.st_size)
            finally:
                os.close(out)
        finally:
            os.close(fd)
        self._files += 1

    def _pour(self, source: int, dest: int, size: int) -> None:
        """Copy `size` bytes and no more, although the guest may still be writing."""
        os.ftruncate(dest, size)
        transfer = _by_kernel if hasattr(os, "copy_file_range") else _by_hand
        for at, end in _find_extents(source, size):
            while at < end:
                count = transfer(source, dest, at, min(CHUNK, end - at))
                if count is None:
                    transfer = _by_hand
                    continue
                if count == 0:
                    return
                at += count
                self._size += count
                if self._progress:
                    self._progress(self._size)


def stays_inside(target: str, depth: int) -> bool:
    """Whether a link `depth` folders below the top of a tree stays in that tree, wherever the tree is put."""
    steps = split_path(target)
    climb = next((count for count, step in enumerate(steps) if step != ".."), len(steps))
    # After a name, which may be a link itself, it is unknown where `..` leads.
    return not target.startswith(("/", "\\")) and climb <= depth and ".." not in steps[climb:]


def remove_tree(parent: OpenFolder, name: str) -> None:
    """Remove a directory with all below it, locked folders too.

    Each folder is moved up to the top before it is emptied: so depth costs neither handles nor long paths.
    """
    _unlock_folder(parent, name, parent.stat(name))
    with parent.folder(name) as top:
        pending = list(_empty_folder(top, top))
        while pending:
            folder = pending.pop()
            with top.folder(folder) as here:
                pending.extend(_empty_folder(here, top))
            top.rmdir(folder)
    parent.rmdir(name)


def _empty_folder(here: OpenFolder, top: OpenFolder) -> Iterator[str]:
    """Remove the files of a directory and yield its folders, now in `top`."""
    for name, info in here.scan():
        if not stat.S_ISDIR(info.st_mode):
            with suppress(FileNotFoundError):
                here.unlink(name)
            continue
        _unlock_folder(here, name, info)
        new = name if here is top else os.urandom(12).hex()
        if here is not top:
            here.rename(name, top, new)
        yield new


def _unlock_folder(parent: OpenFolder, name: str, info: os.stat_result) -> None:
    if info.st_mode & 0o700 != 0o700:
        parent.unlock(name)


def _clear_name(there: OpenFolder, name: str) -> None:
    if there.link(name) is not None:
        there.unlink(name)


def _folder_identity(folder: OpenFolder) -> tuple[int, int]:
    info = folder.stat(".")
    return info.st_dev, info.st_ino


def _find_extents(fd: int, size: int) -> Iterator[tuple[int, int]]:
    """The ranges with data: a guest's sparse terabyte must not fill the disk."""
    at = 0
    while at < size and hasattr(os, "SEEK_DATA"):
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
            at = min(os.lseek(fd, start, os.SEEK_HOLE), size)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            break
        yield start, at
    if at < size:
        yield at, size


def _by_kernel(source: int, dest: int, at: int, count: int) -> int | None:
    try:
        return os.copy_file_range(source, dest, count, at, at)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            raise
        return None


def _by_hand(source: int, dest: int, at: int, count: int) -> int | None:
    os.lseek(source, at, os.SEEK_SET)
    os.lseek(dest, at, os.SEEK_SET)
    data = memoryview(os.read(source, min(count, MB)))
    done = 0
    while done < len(data):
        done += os.write(dest, data[done:])
    return done
