"""The sandbox's folders as the host sees them: takes guest paths, returns bytes, touches nothing outside."""

import errno
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import BinaryIO, Literal
from uuid import uuid4

import msgspec

from cloche.paths.beneath import FoundPath, OpenFolder, StartFolder, find_beneath, split_path
from cloche.sandbox.files.tree_copy import CopiedTree, Progress, TreeCopy, remove_tree

GuestPath = str | PurePath
Kind = Literal["file", "dir", "link", "other"]

_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link"}


class Folder(msgspec.Struct, frozen=True):
    """A host folder that the guest sees."""

    target: str
    """Where the guest sees it, such as `/workspace` or `/mnt/data`."""
    host: str
    read_only: bool = False
    alias_of: str | None = None
    """The target that this is a second spelling of."""


class FileInfo(msgspec.Struct, frozen=True):
    """Information about a file."""

    path: str
    """Its guest path, without links."""
    kind: Kind
    size: int
    mtime: float
    mode: int
    """The permission bits."""


_Infos = list[FileInfo]


class GuestFiles:
    """The guest's file system as far as it lies on the host.

    Paths are the guest's; relative ones start at `cwd`. Links are resolved as the guest would see them, so one that
    leads to a file of the host leads nowhere. Every error names the guest's path, never the host's.
    """

    def __init__(self, folders: Sequence[Folder], cwd: str = "/workspace") -> None:
        self._cwd = split_path(cwd)
        self._roots: dict[tuple[str, ...], Folder] = {}
        for folder in folders:
            self._add(folder)

    def _add(self, folder: Folder) -> None:
        parts = tuple(split_path(folder.target))
        for other in self._roots:
            if parts[: len(other)] == other or other[: len(parts)] == parts:
                raise ValueError(f"{folder.target} and {_guest_path(other)} overlap")
        # Resolved now, before a guest runs: a link that it puts there later is then noticed and refused.
        self._roots[parts] = msgspec.structs.replace(folder, host=str(Path(folder.host).resolve()))

    def read(self, path: GuestPath, *, limit: int | None = None) -> bytes:
        """The bytes of a file; a file of more than `limit` is refused."""
        with self.open_read(path) as file:
            size = os.fstat(file.fileno()).st_size
            if limit is not None and size > limit:
                raise OSError(
                    errno.EFBIG, f"{size} bytes are more than the limit of {limit}", _guest_path(self._parts(path))
                )
            return file.read(size)

    def write(self, path: GuestPath, data: bytes | str) -> None:
        """Write a file and missing parents; an existing file is truncated and keeps its mode."""
        with self.open_write(path) as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def open_read(self, path: GuestPath) -> BinaryIO:
        """Open a file for reading."""
        with self._found(path) as found:
            return os.fdopen(found.folder.open(found.name, os.O_RDONLY), "rb")

    def open_write(self, path: GuestPath) -> BinaryIO:
        """Open a file for writing, created or truncated, with missing parents."""
        with self._found(path, make=True) as found:
            return os.fdopen(found.folder.open(found.name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")

    def stat(self, path: GuestPath, *, follow: bool = True) -> FileInfo:
        """Information about a path; with `follow=False` a link is reported as a link."""
        parts = self._parts(path)
        if self._above(parts):
            return FileInfo(_guest_path(parts), "dir", 0, 0.0, 0o555)
        with self._found(path, follow=follow) as found:
            return _file_info(found.path, found.stat())

    def mkdir(self, path: GuestPath) -> None:
        """Create a directory and its parents; it may exist already."""
        with self._found(path, make=True) as found:
            if found.is_dir():
                return
            with suppress(FileExistsError):
                found.folder.make(found.name)
            found.enter().close()

    def symlink(self, path: GuestPath, target: str) -> None:
        """Create a symbolic link with this text; it may lead anywhere in the guest."""
        with self._found(path, follow=False) as found:
            found.folder.symlink(found.name, target)

    def read_link(self, path: GuestPath) -> str | None:
        """The text of a symbolic link; None if the path is not a link."""
        with self._found(path, follow=False) as found:
            return found.folder.link(found.name)

    def chmod(self, path: GuestPath, mode: int) -> None:
        """Set the permission bits of a file or directory."""
        with self._found(path, follow=False) as found:
            found.folder.chmod(found.name, mode & 0o777)

    def remove(self, path: GuestPath, recursive: bool = False) -> None:
        """Remove a file, a link itself, an empty directory or, if `recursive`, a whole one."""
        with self._found(path, follow=False) as found:
            if found.name == ".":
                raise PermissionError(f"{found.path} is a folder of the sandbox itself and stays")
            if not stat.S_ISDIR(found.stat().st_mode):
                found.folder.unlink(found.name)
            elif recursive:
                remove_tree(found.folder, found.name)
            else:
                found.folder.rmdir(found.name)

    def move(self, path: GuestPath, destination: GuestPath, *, overwrite: bool = False) -> None:
        """Move a file, a link itself or a directory, and make missing parents; `overwrite` replaces what is there."""
        with self._found(path, follow=False) as found:
            found.stat()
            with self._found(destination, follow=False, make=True) as to:
                for each in (found, to):
                    if each.name == ".":
                        raise PermissionError(f"{each.path} is a folder of the sandbox itself and stays")
                if not overwrite and to.exists():
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), to.path)
                found.folder.rename(found.name, to.folder, to.name)

    def place(self, source: Path, path: GuestPath) -> None:
        """Copy a host file to a guest path, where it appears whole or not at all; missing parents are made.

        A file that is there is replaced, and its mode stays.
        """
        with self._found(path, make=True) as found, OpenFolder.at(str(source.parent.resolve()), "upload") as top:
            if found.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), found.path)
            fresh = f".{uuid4().hex}.part"
            try:
                TreeCopy().file(top, source.name, found.folder, fresh)
                if found.exists():
                    found.folder.chmod(fresh, stat.S_IMODE(found.stat().st_mode) & 0o777)
                found.folder.rename(fresh, found.folder, found.name)
            except BaseException:
                with suppress(OSError):
                    found.folder.unlink(fresh)
                raise

    def upload(self, source: str | Path, path: GuestPath, *, progress: Progress | None = None) -> CopiedTree:
        """Copy a host file, or what a host folder holds, to a guest path.

        A file goes into `path` if that is a directory. Links are copied if they stay in the tree, else skipped.
        """
        given, copy = Path(source), TreeCopy(progress)
        real = given.resolve(strict=True)
        if real.is_dir():
            self.mkdir(path)
            with self._found(path) as found, found.enter() as dest, OpenFolder.at(str(real), str(given)) as top:
                copy.tree(top, dest)
            return copy.result
        with OpenFolder.at(str(real.parent), str(given.parent)) as top, self._found(path, make=True) as found:
            if found.is_dir():
                with found.enter() as dest:
                    copy.file(top, real.name, dest, given.name)
            else:
                copy.file(top, real.name, found.folder, found.name)
        return copy.result

    def download(self, path: GuestPath, dest: str | Path, *, progress: Progress | None = None) -> CopiedTree:
        """Copy a guest file, or what a guest directory holds, to a host path.

        A file goes into `dest` if that is a directory. Links are copied if they stay in the tree, else skipped, as are
        pipes and devices.
        """
        to, copy = Path(dest), TreeCopy(progress)
        with self._found(path) as found:
            if stat.S_ISDIR(found.stat().st_mode):
                to.mkdir(parents=True, exist_ok=True)
                with found.enter() as top, OpenFolder.at(str(to.resolve()), str(to)) as folder:
                    copy.tree(top, folder)
                return copy.result
            if to.is_dir():
                to = to / PurePath(path).name
            to.parent.mkdir(parents=True, exist_ok=True)
            with OpenFolder.at(str(to.parent.resolve()), str(to.parent)) as folder:
                copy.file(found.folder, found.name, folder, to.name)
        return copy.result

    @contextmanager
    def enter(self, path: GuestPath) -> Generator[OpenFolder]:
        """Open a directory."""
        with self._found(path) as found, found.enter() as top:
            yield top

    def list(self, path: GuestPath = ".", recursive: bool = False) -> _Infos:
        """The contents of a directory, by path; links are reported, not followed."""
        parts = self._parts(path)
        infos: _Infos = []
        for name in self._above(parts):
            infos.append(self.stat(_guest_path((*parts, name))))
            if recursive:
                infos.extend(self.list(infos[-1].path, recursive=True))
        if not infos:
            with self._found(path) as found, found.enter() as top:
                infos.extend(_list_children(top, recursive))
        return sorted(infos, key=lambda info: info.path.split("/"))

    @contextmanager
    def _found(self, path: GuestPath, *, follow: bool = True, make: bool = False) -> Generator[FoundPath]:
        asked = self._parts(path)
        found = find_beneath(lambda parts: self._view(parts, asked), asked, follow=follow, make=make)
        with found.folder:
            yield found

    def _parts(self, path: GuestPath) -> tuple[str, ...]:
        text = path.as_posix() if isinstance(path, PurePath) else path
        return tuple(split_path(text) if text.startswith("/") else [*self._cwd, *split_path(text)])

    def _view(self, parts: Sequence[str], asked: Sequence[str]) -> StartFolder:
        folder, walked, depth = self._root(parts, asked)
        root = OpenFolder.at(folder.host, folder.target, folder.target if folder.read_only else "")
        return StartFolder(root, [*walked], depth)

    def _root(self, parts: Sequence[str], asked: Sequence[str] = ()) -> tuple[Folder, tuple[str, ...], int]:
        """Find the folder that a path starts in; above the folders there are no links, so `..` is resolved by name."""
        seen: tuple[str, ...] = ()
        for count, part in enumerate(parts, 1):
            seen = seen[:-1] if part == ".." else (*seen, part)
            folder = self._roots.get(seen)
            if folder is not None and (count == len(parts) or parts[count] != ".."):
                return folder, (*seen, *parts[count:]), len(seen)
        known = ", ".join(folder.target for folder in self._roots.values())
        subject = (
            _guest_path(seen)
            if not asked or parts is asked
            else f"{_guest_path(asked)} leads to {_guest_path(seen)}, which"
        )
        raise PermissionError(f"{subject} is outside the sandbox's folders ({known})")

    def _above(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The names below a path that is above the folders, such as `/mnt`."""
        depth, start = len(parts), tuple(parts)
        return tuple(sorted({root[depth] for root in self._roots if len(root) > depth and root[:depth] == start}))


def _guest_path(parts: Sequence[str]) -> str:
    return "/" + "/".join(parts)


def _file_info(path: str, info: os.stat_result) -> FileInfo:
    kind = _KINDS.get(stat.S_IFMT(info.st_mode), "other")
    return FileInfo(path, kind, info.st_size, info.st_mtime, stat.S_IMODE(info.st_mode))


def _list_children(top: OpenFolder, recursive: bool) -> Iterator[FileInfo]:
    pending: list[tuple[str, ...]] = [()]
    while pending:
        parts = pending.pop()
        try:
            with top.reach(parts) as here:
                for name, info in here.scan():
                    yield _file_info(here.path(name), info)
                    if recursive and stat.S_ISDIR(info.st_mode):
                        pending.append((*parts, name))
        except OSError:
            # Below the top, a folder that is locked or has just been removed is listed, but not entered.
            if not parts:
                raise
