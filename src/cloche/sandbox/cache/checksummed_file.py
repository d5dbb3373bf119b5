"""Files that end with their checksum: the last 64 bytes are the SHA-256, in hexadecimal, of everything before them."""

import hashlib
import logging
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from cloche.sandbox.cache.folder_store import write_whole

log = logging.getLogger(__name__)

SUFFIX = ".sealed"
"""Ends the name of a small file with a checksum, so that files of other versions are not taken for one."""

LENGTH = 64
PIECE = 1 << 20


def add_checksum(data: bytes) -> bytes:
    """The data with its checksum."""
    return data + hashlib.sha256(data).hexdigest().encode()


def strip_checksum(data: bytes) -> bytes | None:
    """The data without its checksum; None if the checksum is wrong."""
    body, checksum = data[:-LENGTH], data[-LENGTH:]
    return body if hashlib.sha256(body).hexdigest().encode() == checksum else None


def write_checksummed(path: Path, data: bytes) -> None:
    """Write a small file, whole or not at all."""
    write_whole(path, add_checksum(data))


def read_checksummed(path: Path) -> bytes:
    """Read such a file. One that is damaged is reported, removed, and treated as missing (FileNotFoundError)."""
    data = strip_checksum(path.read_bytes())
    if data is None:
        log.warning("damaged in the cache, made again: %s", path)
        with suppress(OSError):
            path.unlink()
        raise FileNotFoundError(path)
    return data


def add_zip_checksum(path: Path) -> None:
    """Add a checksum to a zip file, as its comment, so that it stays a zip file."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = bytes(LENGTH)
    with path.open("r+b") as file:
        file.write(_compute_checksum(file))


def is_intact(path: Path) -> bool:
    """Whether the checksum of a file is right; reads all of it."""
    with path.open("rb") as file:
        return _compute_checksum(file) == file.read()


def _compute_checksum(file: IO[bytes]) -> bytes:
    """The checksum of a file without its end; leaves the file at the position of the stored one."""
    left = file.seek(0, 2) - LENGTH
    file.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (piece := file.read(min(left, PIECE))):
        digest.update(piece)
        left -= len(piece)
    return digest.hexdigest().encode()
