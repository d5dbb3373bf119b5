"""Reads package archives without trusting them: nothing leads out of its folder, sizes are limited."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol, cast

from cloche.errors import PackageDamaged
from cloche.limits import MB, PACKAGE_FILES, PACKAGE_LIMIT
from cloche.sandbox.packages.wheels import open_wheel

PIECE = 1 << 20
NAME = 1000
"""The most characters of a file's name."""

BROKEN = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, UnicodeError)

MAGIC = {"gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ"}
"""How compressed archives start."""

Entry = tuple[str, IO[bytes]]
"""Name and contents of a file; read them before the next file."""


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int = -1, /) -> bytes: ...


class _Bounded(io.RawIOBase):
    """Reads up to a limit, and raises beyond it."""

    def __init__(self, source: IO[bytes], label: str) -> None:
        self._source = source
        self._label = label
        self._left = PACKAGE_LIMIT + 16 * MB

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._label)
        return len(data)


class JudgeEntry:
    """Checks the names and sizes of one archive's files."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._size = 0

    def admit(self, name: str, size: int) -> None:
        """Count a file; raises PackageDamaged if it is not allowed."""
        if problem := _find_problem(name):
            raise self.refuse(name, problem)
        parents = {str(each) for each in PurePosixPath(name).parents}
        if name in self._files:
            raise self.refuse(name, "appears twice")
        if name in self._folders or not parents.isdisjoint(self._files):
            raise self.refuse(name, "is a file and a folder")
        self._files.add(name)
        self._folders |= parents
        self._size += size
        if len(self._files) > PACKAGE_FILES:
            raise PackageDamaged(f"{self._label} holds more than {PACKAGE_FILES} files. It was refused.")
        if self._size > PACKAGE_LIMIT:
            raise _too_large(self._label)

    def refuse(self, name: str, problem: str) -> PackageDamaged:
        """The error for an entry."""
        return PackageDamaged(f"{self._label}: the entry {name[:200]!r} {problem}. The package was refused.")


@contextmanager
def open_tar(path: Path, label: str) -> Generator[Iterator[Entry]]:
    """The files of a tar archive, compressed by gzip, bzip2, xz or not at all; links that stay inside are left out."""
    with path.open("rb") as file:
        head = file.read(6)
        file.seek(0)
        packed = next((kind for kind, magic in MAGIC.items() if head.startswith(magic)), "")
        try:
            yield read_tar(file, label, packed=packed)
        except (*BROKEN, OSError) as error:
            # An OSError about the data has no errno; one about a disk has.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise PackageDamaged(f"{label} is not a whole archive: {error}. It was refused.") from error


@contextmanager
def open_zip(path: Path, label: str) -> Generator[Iterator[Entry]]:
    """The files of a zip archive."""
    with open_wheel(path) as archive:
        yield _zip_entries(archive, JudgeEntry(label))


def is_zip(path: Path) -> bool:
    """Whether a file starts like a zip file."""
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def read_tar(file: IO[bytes], label: str, *, packed: str) -> Iterator[Entry]:
    """The files of a tar archive that is read as a stream, compressed by `gz`, `bz2`, `xz` or nothing."""
    bounded = io.BufferedReader(_Bounded(_open_packed(file, packed), label), PIECE)
    judge = JudgeEntry(label)
    with tarfile.open(fileobj=bounded, mode="r|") as archive:
        for member in archive:
            name = member.name.removeprefix("./").rstrip("/")
            if member.issym() or member.islnk():
                _check_link(judge, name, member)
            elif member.isfile():
                judge.admit(name, member.size)
                contents = archive.extractfile(member)
                assert contents is not None
                yield name, contents
            elif not member.isdir():
                raise judge.refuse(name, "is no plain file")


def _open_packed(file: IO[bytes], packed: str) -> IO[bytes]:
    match packed:
        case "gz":
            return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
        case "bz2":
            return cast("IO[bytes]", bz2.BZ2File(file))
        case "xz":
            return cast("IO[bytes]", lzma.LZMAFile(file))
        case _:
            return file


def _check_link(judge: JudgeEntry, name: str, member: tarfile.TarInfo) -> None:
    """Links are not unpacked; a link that leads out means that the archive is hostile."""
    target = PurePosixPath(member.linkname) if member.islnk() else PurePosixPath(name).parent / member.linkname
    depth = 0
    for part in target.parts:
        depth += -1 if part == ".." else 0 if part == "." else 1
        if depth < 0 or part == "/":
            raise judge.refuse(name, "is a link that leads out of its folder")


def _zip_entries(archive: zipfile.ZipFile, judge: JudgeEntry) -> Iterator[Entry]:
    for entry in archive.infolist():
        if not entry.is_dir():
            judge.admit(entry.filename, entry.file_size)
            with archive.open(entry) as contents:
                yield entry.filename, contents


def _find_problem(name: str) -> str | None:
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts) or ":" in parts[0] or "\\" in name:
        return "leads out of its folder"
    if not name.isprintable() or len(name) > NAME:
        return "has no proper name"
    return None


def _too_large(label: str) -> PackageDamaged:
    return PackageDamaged(f"{label} unpacks to more than {PACKAGE_LIMIT // MB} MB. It was refused.")


def remove_top(name: str) -> str:
    """The name without the first folder, which archives have around everything."""
    return name.partition("/")[2]


def copy_entry(source: IO[bytes], target: zipfile.ZipFile, name: str) -> None:
    """Write one file, always in the same way."""
    with target.open(zipfile.ZipInfo(name), "w") as writer:
        while piece := source.read(PIECE):
            writer.write(piece)


def add_entry(target: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Write one file with these bytes."""
    target.writestr(zipfile.ZipInfo(name), data)


def read_small(source: Readable, limit: int, label: str) -> bytes:
    """All of a file that must be small."""
    data = source.read(limit + 1)
    if len(data) > limit:
        raise PackageDamaged(f"{label} is larger than {limit // 1024} KB. The package was refused.")
    return data
