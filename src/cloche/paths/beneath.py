"""Opens files strictly below a folder, whatever links, pipes and races a guest puts there.

An `OpenFolder` is an open directory and acts only on direct children, never through a link. `find_beneath` walks a path
over such directories and resolves links itself, by name, in the namespace of its `View`. So every step stays in a
directory that was reached from a root: renaming things meanwhile changes which file is found, not where it is.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from cloche.limits import LINKS_FOLLOWED
from cloche.paths import openat2

HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether the system has directory handles; without them (Windows) paths are checked and then used."""

_PIECE = 1000

_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _CLOSED
_PASSAGE = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY
_DATA = _NOFOLLOW | _CLOSED | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_Listing = AbstractContextManager[Iterator[os.DirEntry[str]]]


@contextmanager
def _name_path_in_errors(label: str) -> Generator[None]:
    """Make errors of the system name `label`, the path that the caller knows, not the path on the host."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), label) from None


class OpenFolder:
    """An open directory; its contents are reached only through it."""

    __slots__ = ("_fd", "_host", "frozen", "label")

    def __init__(self, fd: int | None, host: str, label: str, frozen: str) -> None:
        self._fd = fd
        self._host = host
        self.label = label
        """The path shown in errors."""
        self.frozen = frozen
        """The read-only mount it belongs to, if any."""

    @classmethod
    def at(cls, host: str, label: str, frozen: str = "") -> Self:
        """Open a resolved host path; one in which a link has appeared since is refused."""
        with _name_path_in_errors(label):
            if not HANDLES:
                return cls(None, host, label, frozen)
            fd = openat2.open_plain(host, _PASSAGE)
            if fd is None:
                if os.path.realpath(host) != host:
                    raise OSError(errno.ELOOP, "")
                fd = os.open(host, _PASSAGE)
            return cls(fd, "", label, frozen)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the handle."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)
            self._host = "\0closed"

    def path(self, name: str) -> str:
        """The path of a child as errors show it."""
        return self.label if name == "." else f"{self.label.rstrip('/')}/{name}"

    def stat(self, name: str) -> os.stat_result:
        """The stat of a child; a link is not followed."""
        with _name_path_in_errors(self.path(name)):
            return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def link(self, name: str) -> str | None:
        """The target of a link, or None if the child is not a link."""
        try:
            return os.readlink(self._at(name), dir_fd=self._fd)
        except OSError:
            return None

    def scan(self) -> Iterator[tuple[str, os.stat_result]]:
        """Open the directory and yield each child; a child that vanishes meanwhile is left out."""
        with _name_path_in_errors(self.label):
            if self._fd is None:
                return self._children(os.scandir(self._host), None)
            fd = os.open(".", os.O_RDONLY | _DIRECTORY, dir_fd=self._fd)
            return self._children(os.scandir(fd), fd)

    def _children(self, listing: _Listing, fd: int | None) -> Iterator[tuple[str, os.stat_result]]:
        try:
            with listing as entries, _name_path_in_errors(self.label):
                for entry in entries:
                    with suppress(FileNotFoundError):
                        yield entry.name, entry.stat(follow_symlinks=False)
        finally:
            if fd is not None:
                os.close(fd)

    def folder(self, name: str) -> "OpenFolder":
        """Open a child that is a real directory."""
        path = self._at(name)
        with _name_path_in_errors(self.path(name)):
            if self._fd is not None:
                return OpenFolder(os.open(path, _PASSAGE, dir_fd=self._fd), "", self.path(name), self.frozen)
            info = os.lstat(path)
            if not stat.S_ISDIR(info.st_mode) or getattr(info, "st_reparse_tag", 0):
                raise OSError(errno.ENOTDIR, "")
            return OpenFolder(None, path, self.path(name), self.frozen)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a regular file; anything else is refused without blocking on it."""
        if flags & (os.O_WRONLY | os.O_RDWR):
            self._thaw()
        with suppress(FileNotFoundError):
            self._check_data(name, self.stat(name))
        with _name_path_in_errors(self.path(name)):
            # Truncated only after the second check: the file that was checked by name may have been replaced.
            fd = os.open(self._at(name), flags & ~os.O_TRUNC | _DATA, mode, dir_fd=self._fd)
            try:
                info = os.fstat(fd)
                self._check_data(name, info)
                # ext4 flushes a truncated file when it is closed, even an empty one: many times slower.
                if flags & os.O_TRUNC and info.st_size:
                    os.ftruncate(fd, 0)
            except BaseException:
                os.close(fd)
                raise
            return fd

    def make(self, name: str, mode: int = 0o777) -> None:
        """Create a directory."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            os.mkdir(self._at(name), mode, dir_fd=self._fd)

    def symlink(self, name: str, target: str) -> None:
        """Create a link."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            os.symlink(target, self._at(name), dir_fd=self._fd)

    def chmod(self, name: str, mode: int) -> None:
        """Set the permission bits of a file or directory."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            fd = os.open(self._at(name), os.O_RDONLY | _DATA, dir_fd=self._fd)
            try:
                if not stat.S_ISDIR(os.fstat(fd).st_mode):
                    self._check_data(name, os.fstat(fd))
                os.fchmod(fd, mode)
            finally:
                os.close(fd)

    def unlink(self, name: str) -> None:
        """Remove a child that is not a directory."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            os.unlink(self._at(name), dir_fd=self._fd)

    def rmdir(self, name: str) -> None:
        """Remove an empty directory."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            os.rmdir(self._at(name), dir_fd=self._fd)

    def rename(self, name: str, to: "OpenFolder", new: str) -> None:
        """Move a child into another directory."""
        self._thaw()
        to._thaw()
        with _name_path_in_errors(self.path(name)):
            os.rename(self._at(name), to._at(new), src_dir_fd=self._fd, dst_dir_fd=to._fd)

    def unlock(self, name: str) -> None:
        """Give the owner all rights on a child directory again."""
        self._thaw()
        with _name_path_in_errors(self.path(name)):
            if self._fd is None:
                Path(self._at(name)).chmod(0o700)
            elif os.chmod in os.supports_follow_symlinks:
                os.chmod(name, 0o700, dir_fd=self._fd, follow_symlinks=False)
            else:
                with self.folder(name) as below:
                    Path(f"/proc/self/fd/{below._fd}").chmod(0o700)

    def descend(self, parts: Sequence[str], *, make: bool = False) -> tuple["OpenFolder", int]:
        """Descend through real directories as far as possible; returns the last one and the number of steps taken."""
        if (there := self._leap(parts)) is not None:
            return there, len(parts)
        here = self._copy()
        try:
            for count, name in enumerate(parts):
                below = here._enter(name, make)
                if below is None:
                    return here, count
                here.close()
                here = below
        except BaseException:
            here.close()
            raise
        return here, len(parts)

    def reach(self, parts: Sequence[str], *, make: bool = False) -> "OpenFolder":
        """Open a directory below this one; each step must be a real directory."""
        here, count = self.descend(parts, make=make)
        if count == len(parts):
            return here
        with here:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), here.path(parts[count]))

    def _enter(self, name: str, make: bool) -> "OpenFolder | None":
        if name == "..":
            return None
        try:
            return self.folder(name)
        except FileNotFoundError:
            if not make:
                return None
        except OSError:
            return None
        with suppress(FileExistsError):
            self.make(name)
        return self.folder(name)

    def _leap(self, parts: Sequence[str]) -> "OpenFolder | None":
        """Descend in one call, or in a few if the path is longer than the system allows; None if that does not work."""
        if self._fd is None or not parts or ".." in parts:
            return None
        path, here = "/".join(parts), self._copy()
        for piece in _cut_path(path):
            fd = openat2.open_plain(piece, _PASSAGE, beneath=here._fd)
            here.close()
            if fd is None:
                return None
            here = OpenFolder(fd, "", self.path(path), self.frozen)
        return here

    def _copy(self) -> "OpenFolder":
        return OpenFolder(None if self._fd is None else os.dup(self._fd), self._host, self.label, self.frozen)

    def _at(self, name: str) -> str:
        if self._fd is not None:
            return name
        if not name or name == ".." or any(mark in name for mark in "/\\:\0"):
            raise PermissionError(f"{self.path(name)} is not a name that this system can hold")
        return self._host if name == "." else f"{self._host}{os.sep}{name}"

    def _thaw(self) -> None:
        if self.frozen:
            raise PermissionError(f"{self.frozen} is mounted read-only")

    def _check_data(self, name: str, info: os.stat_result) -> None:
        if stat.S_ISREG(info.st_mode):
            return
        if stat.S_ISDIR(info.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), self.path(name))
        if stat.S_ISLNK(info.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self.path(name))
        raise PermissionError(f"{self.path(name)} is a pipe, a socket or a device, not a file")


class StartFolder(NamedTuple):
    """Where a walk starts: a root, the whole path, and how many parts of it the root stands for."""

    root: OpenFolder
    parts: list[str]
    depth: int


View = Callable[[Sequence[str]], StartFolder]
"""Finds the root above an absolute path; raises PermissionError if there is none."""


class FoundPath(NamedTuple):
    """The result of a walk: the directory, owned by the caller, and the name in it (`.` for a root itself)."""

    folder: OpenFolder
    name: str

    @property
    def path(self) -> str:
        """The path without links."""
        return self.folder.path(self.name)

    def stat(self) -> os.stat_result:
        """The stat of the path; raises FileNotFoundError if nothing is there."""
        return self.folder.stat(self.name)

    def exists(self) -> bool:
        """Whether anything is at the path; a link is not followed."""
        try:
            self.stat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Whether the path is a directory."""
        try:
            return stat.S_ISDIR(self.stat().st_mode)
        except FileNotFoundError:
            return False

    def enter(self) -> OpenFolder:
        """Open the directory at the path."""
        return self.folder.folder(self.name)


def find_beneath(view: View, parts: Sequence[str], *, follow: bool = True, make: bool = False) -> FoundPath:
    """Walk to a path, which need not exist; `follow` includes a link at its end, `make` makes missing parents."""
    for _ in range(LINKS_FOLLOWED + 1):
        root, walked, depth = view(parts)
        with root:
            here, count = root.descend(walked[depth:-1], make=make)
        try:
            onward = _path_after_link(here, walked, depth + count, follow)
            if onward is None:
                return FoundPath(here, walked[-1] if depth < len(walked) else ".")
        except BaseException:
            here.close()
            raise
        here.close()
        parts = onward
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), "/" + "/".join(parts))


def _path_after_link(here: OpenFolder, parts: list[str], done: int, follow: bool) -> list[str] | None:
    """The path to continue with if a link or `..` stopped the walk at `done`; None if the walk is complete."""
    if done >= len(parts):
        return None
    name, last = parts[done], done == len(parts) - 1
    if name == "..":
        return [*parts[: done - 1], *parts[done + 1 :]]
    target = here.link(name) if follow or not last else None
    if target is not None:
        return [*_resolve_link_target(parts[:done], target), *parts[done + 1 :]]
    if last:
        return None
    # If this second try fails, the caller gets its error; if it works, the directory has only just appeared.
    here.folder(name).close()
    return parts


def _resolve_link_target(base: list[str], target: str) -> list[str]:
    """Join the target of a link to `base`, a path without links; only leading `..` can be resolved by name."""
    ahead = split_path(target)
    if target.startswith("/"):
        return ahead
    while ahead[:1] == [".."]:
        base, ahead = base[:-1], ahead[1:]
    return [*base, *ahead]


def _cut_path(path: str) -> Iterator[str]:
    """Cut a path between names, so that each piece is short enough for one call, at four bytes a character."""
    start = 0
    while len(path) - start > _PIECE and (end := path.rfind("/", start, start + _PIECE)) > 0:
        yield path[start:end]
        start = end + 1
    yield path[start:]


def split_path(path: str) -> list[str]:
    """The parts of a path; `..` is kept, because a link before it changes its meaning."""
    if "\0" in path:
        raise ValueError(f"a path cannot hold a NUL: {path!r}")
    return [part for part in path.split("/") if part not in ("", ".")]
