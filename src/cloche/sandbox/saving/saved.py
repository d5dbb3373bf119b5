"""The file format of saved sandboxes: memory, files and packages in sequence, with an index at the end."""

import errno
import functools
import hashlib
import os
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from cloche.errors import ConfigError, SavedStateError
from cloche.limits import FILES_LIMIT, MB, PACKAGES_LIMIT, SAVED_FILES
from cloche.sandbox.options import check_env
from cloche.sandbox.packages.package import Package

MAGIC = b"CLOCHE-SAVED-1\r\n"
# Files may come from anybody: these bound what reading an index takes. No sandbox gets near them.
INDEX_LIMIT = 64 * MB
QUOTES_LIMIT = 10 * SAVED_FILES
"""Quotation marks in an index: they bound what reading it takes, and each text of an entry needs two."""

PACKAGES_MOST = 10_000
VARIABLES_MOST = 10_000
SHELL_LIMIT = 8 * MB
"""The most bytes of the state of a shell."""

PIECE = 1 * MB
_HEAD = struct.Struct("<16sQQ32s")


class Saved(msgspec.Struct, frozen=True):
    """A saved sandbox, returned by `save()` and accepted by `Sandbox(from_=...)`."""

    path: Path
    python: bool = True
    """Whether it contains the memory of Python and the other languages; for `from_`, whether to restore it."""
    files: bool = True
    """Whether it contains the files; for `from_`, whether to restore them."""
    without: tuple[str, ...] = ()
    """Languages that were in use, and whose variables are not in the file."""

    def __post_init__(self) -> None:
        # Callers may pass a string.
        msgspec.structs.force_setattr(self, "path", Path(self.path))


class MemoryImage(msgspec.Struct, frozen=True):
    """The memory of a language in a file, ready to be restored."""

    path: Path
    at: int


class SavedSection(msgspec.Struct, frozen=True):
    """A section of the file."""

    at: int
    size: int
    sha256: str


class SavedFile(msgspec.Struct, frozen=True, array_like=True):
    """One file, folder or link of the guest."""

    path: str
    kind: Literal["file", "dir", "link"]
    size: int = 0
    mode: int = 0o644
    mtime: float = 0.0
    target: str = ""


class SavedPackage(msgspec.Struct, frozen=True):
    package: Package
    """Its `blob` is only a file name."""
    data: SavedSection


class SavedMemory(msgspec.Struct, frozen=True):
    """Memory of a language other than Python."""

    pack: str
    """The files of the language that this memory belongs to: with others it cannot be restored."""
    data: SavedSection


class SavedIndex(msgspec.Struct, frozen=True):
    """What a saved sandbox consists of."""

    engine: str
    """The engine that this memory belongs to: another one cannot restore it."""
    env: dict[str, str] = {}
    shell: str | None = None
    image: SavedSection | None = None
    entries: list[SavedFile] = []
    data: SavedSection | None = None
    """The bytes of all files, in the order of the entries."""
    packages: list[SavedPackage] = []
    roots: dict[str, str] = {}
    """The packages that were asked for."""
    memories: dict[str, SavedMemory] = {}
    """The memory of the other languages, by name."""


class SavedWriter:
    """Writes a saved sandbox beside its final path, and moves it there when it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, self._stage = tempfile.mkstemp(prefix=".saving-", dir=path.parent)
        self._file: BinaryIO = os.fdopen(fd, "wb")
        self._file.write(bytes(_HEAD.size))
        self.begin()

    def begin(self) -> None:
        """Start a new section."""
        self._at = self._file.tell()
        self._digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        if self._file.closed:
            raise SavedStateError("this sandbox is not being saved any more")
        self._file.write(data)
        self._digest.update(data)

    def end(self) -> SavedSection:
        return SavedSection(self._at, self._file.tell() - self._at, self._digest.hexdigest())

    def close(self) -> None:
        """Close the file; an unfinished one is removed."""
        self._file.close()
        with suppress(FileNotFoundError):
            Path(self._stage).unlink()

    def finish(self, index: SavedIndex) -> None:
        """Write the index and move the file to its final path."""
        text = _encode_index(index)
        at = self._file.tell()
        self._file.write(text)
        self._file.seek(0)
        self._file.write(_HEAD.pack(MAGIC, at, len(text), hashlib.sha256(text).digest()))
        self._file.close()
        Path(self._stage).replace(self._path)


def check_savable(index: SavedIndex) -> None:
    """Raise SavedStateError for an index that `read_index` would refuse because it is too large."""
    text = _encode_index(index)
    if _is_long(text) or len(index.entries) > SAVED_FILES or not _is_state(index):
        raise SavedStateError(
            f"this sandbox cannot be saved: at most {SHELL_LIMIT // MB} MB of the shell's variables and functions, "
            f"{VARIABLES_MOST:,} environment variables and {SAVED_FILES:,} files can be"
        )


def _encode_index(index: SavedIndex) -> bytes:
    return msgspec.json.encode(index, enc_hook=str)


def _is_long(text: bytes) -> bool:
    return len(text) > INDEX_LIMIT or text.count(b'"') > QUOTES_LIMIT


def read_index(path: Path) -> SavedIndex:
    """Read the index of a file; everything in it is checked."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            magic, at, length, digest = _HEAD.unpack(file.read(_HEAD.size).ljust(_HEAD.size, b"\0"))
            if magic != MAGIC:
                raise SavedStateError(f"{path} is not a saved sandbox")
            if length > INDEX_LIMIT or at + length != size:
                raise _damage_error(path)
            file.seek(at)
            text = file.read(length)
    except OSError as error:
        raise SavedStateError(f"the saved sandbox {path} cannot be read: {error.strerror or error}") from error
    index = _decode_index(text, at) if hashlib.sha256(text).digest() == digest else None
    if index is None:
        raise _damage_error(path)
    return index


def _decode_index(text: bytes, at: int) -> SavedIndex | None:
    """The index at a position of the file; None if it is not valid."""
    if _is_long(text):
        return None
    try:
        index = msgspec.json.decode(text, type=SavedIndex, dec_hook=lambda kind, value: kind(value))
        return index if _is_sound(index, at) and _is_state(index) else None
    except (msgspec.DecodeError, ConfigError, ValueError, TypeError, OverflowError, RecursionError):
        return None


def _damage_error(path: Path) -> SavedStateError:
    return SavedStateError(f"the saved sandbox {path} is damaged: save it again")


def _is_sound(index: SavedIndex, end: int) -> bool:
    kept = [each.data for each in (*index.packages, *index.memories.values())]
    sections = [part for part in (index.image, index.data, *kept) if part is not None]
    if any(part.at < _HEAD.size or part.size < 0 or part.at + part.size > end for part in sections):
        return False
    if sum(each.data.size for each in index.packages) > PACKAGES_LIMIT:
        return False
    if len(index.entries) > SAVED_FILES or any(entry.size < 0 for entry in index.entries):
        return False
    total = sum(entry.size for entry in index.entries)
    return total == (index.data.size if index.data else 0) and total <= FILES_LIMIT


def _is_state(index: SavedIndex) -> bool:
    """Whether the environment is valid and the shell's state at least an object; raises if it cannot be read."""
    check_env(index.env)
    if index.shell is not None:
        msgspec.json.decode(index.shell, type=dict[str, msgspec.Raw])
    return (
        len(index.shell or "") <= SHELL_LIMIT
        and len(index.env) <= VARIABLES_MOST
        and len(index.packages) <= PACKAGES_MOST
        and len(index.roots) <= PACKAGES_MOST
    )


def check_section(path: Path, part: SavedSection) -> None:
    """Raise SavedStateError unless the bytes are unchanged; blocks."""
    info = path.stat()
    _check_once(path, part, (info.st_ino, info.st_size, info.st_mtime_ns))


@functools.lru_cache(maxsize=64)
def _check_once(path: Path, part: SavedSection, _file: tuple[int, ...]) -> None:
    # Many sandboxes may start from one file, and reading all of it takes a tenth of a start.
    digest = hashlib.sha256()
    copy_section(path, part, digest.update)
    if digest.hexdigest() != part.sha256:
        raise _damage_error(path)


def copy_section(path: Path, part: SavedSection, write: Callable[[bytes], object]) -> None:
    with path.open("rb") as file:
        file.seek(part.at)
        left = part.size
        while left and (piece := file.read(min(left, PIECE))):
            write(piece)
            left -= len(piece)
    if left:
        raise _damage_error(path)
