"""Unpacks uploaded zip archives: counts what comes out, and refuses what leads elsewhere; everything blocks."""

import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from cloche.limits import KB
from cloche.server.problems import FULL
from cloche.server.uploads.rules import Refused, Tally
from cloche.server.uploads.staging import StagedFile

GROWTH = 100
"""How many times its size an archive may grow, if it has more than one file may have: more is taken for a bomb."""
PIECE = 256 * KB
ENTRY = 512
"""Bytes that the table of an archive may have for each file."""
_END = b"PK\x05\x06"
_END_SIZE = 22
_COMMENT = 1 << 16
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What an archive is like that is damaged, encrypted, or packed in a way that is not known."""


class _Bomb(Exception):
    """It grows and grows."""


def unpack_archive(archive: StagedFile, name: str, folder: Path, tally: Tally) -> None:
    """Take the files of an archive, and note those that are refused; of a bomb none is taken."""
    unpacking = _Unpacking(archive, name, folder, tally)
    try:
        _check_table(archive, tally.files)
        with zipfile.ZipFile(archive.file) as opened:
            for number, info in enumerate(opened.infolist()):
                unpacking.take(opened, info, number)
    except _Bomb:
        unpacking.forget()
        tally.refuse(name, f"it grows to more than {unpacking.most} bytes, as a bomb does")
    except _UNREADABLE as error:
        unpacking.forget()
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        tally.refuse(name, f"it cannot be unpacked: {_shorten(error)}")
    finally:
        archive.file.unlink()
        tally.give_back(archive.size)


class _Unpacking:
    def __init__(self, archive: StagedFile, name: str, folder: Path, tally: Tally) -> None:
        self.most = max(tally.file_size, GROWTH * archive.size)
        self._archive = archive
        self._name = name
        self._folder = folder
        self._tally = tally
        self._grown = 0
        self._own: list[str] = []

    def take(self, opened: zipfile.ZipFile, info: zipfile.ZipInfo, number: int) -> None:
        """Unpack one file."""
        if info.is_dir():
            return
        place = self._folder / f"{self._archive.file.name}-{number}"
        try:
            name = self._tally.begin(_check_entry(info))
            size = self._pour(opened, info, place)
        except Refused as refused:
            self._tally.refuse(f"{self._name}: {info.filename}", str(refused))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            self._tally.refuse(f"{self._name}: {info.filename}", f"it cannot be unpacked: {_shorten(error)}")
        else:
            self._own.append(name)
            self._tally.taken[name] = StagedFile(place, size)

    def forget(self) -> None:
        """Take none of its files."""
        for name in self._own:
            staged = self._tally.taken.pop(name)
            staged.file.unlink()
            self._tally.give_back(staged.size)

    def _pour(self, opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> int:
        size = 0
        try:
            with opened.open(info) as source, place.open("wb") as to:
                while piece := source.read(PIECE):
                    self._grown += len(piece)
                    if self._grown > self.most:
                        raise _Bomb
                    size = self._tally.weigh(size, len(piece))
                    to.write(piece)
            # Programs stay programs; nothing else of the mode is taken.
            place.chmod(0o644 | (info.external_attr >> 16 & 0o111))
        except BaseException:
            self._tally.give_back(size)
            place.unlink(missing_ok=True)
            raise
        return size


def _check_entry(info: zipfile.ZipInfo) -> str:
    """The name of a file; Refused if it is none."""
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise Refused("it is a link" if stat.S_ISLNK(mode) else "it is no file")
    if info.flag_bits & 1:
        raise Refused("it is encrypted")
    return info.orig_filename


def _check_table(archive: StagedFile, files: int) -> None:
    """Refuse a table of contents that is too large to be read whole; the table stands at the end."""
    with archive.file.open("rb") as file:
        size = _find_table_size(file, archive.size)
    if size > files * ENTRY + 64 * KB:
        raise ValueError(f"it has more than {files} files")


def _find_table_size(file: BinaryIO, size: int) -> int:
    file.seek(max(0, size - _END_SIZE - _COMMENT))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise zipfile.BadZipFile("it is no zip archive")
    # An archive of more than 4 GB says the largest number here, which is too large too.
    found: int = struct.unpack_from("<I", tail, at + 12)[0]
    return found


def _shorten(error: BaseException) -> str:
    text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return (text or type(error).__name__)[:200]
