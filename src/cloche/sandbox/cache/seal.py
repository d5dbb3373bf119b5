"""Files that carry their own proof: the last 64 bytes are the SHA-256, in hexadecimal, of all that is before them."""

import hashlib
import logging
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from cloche.sandbox.cache.folder_store import write_whole

log = logging.getLogger(__name__)

SUFFIX = ".sealed"
"""Ends the name of a small file that is sealed, so that nothing of another version is taken for one."""

LENGTH = 64
PIECE = 1 << 20


def seal(data: bytes) -> bytes:
    """The data with its proof."""
    return data + hashlib.sha256(data).hexdigest().encode()


def unseal(data: bytes) -> bytes | None:
    """What was sealed; None if anything of it has changed."""
    body, proof = data[:-LENGTH], data[-LENGTH:]
    return body if hashlib.sha256(body).hexdigest().encode() == proof else None


def write_sealed(path: Path, data: bytes) -> None:
    """Write a small file, whole or not at all."""
    write_whole(path, seal(data))


def read_sealed(path: Path) -> bytes:
    """What was written; FileNotFoundError if there is nothing, or if it was damaged, then reported and removed."""
    data = unseal(path.read_bytes())
    if data is None:
        log.warning("damaged in the cache, made again: %s", path)
        with suppress(OSError):
            path.unlink()
        raise FileNotFoundError(path)
    return data


def seal_zip(path: Path) -> None:
    """Seal a zip file in place: the proof is its comment, so that it stays a zip file."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = bytes(LENGTH)
    with path.open("r+b") as file:
        file.write(_read_proof(file))


def is_sealed(path: Path) -> bool:
    """Whether a file is as it was sealed; reads all of it."""
    with path.open("rb") as file:
        return _read_proof(file) == file.read()


def _read_proof(file: IO[bytes]) -> bytes:
    """The proof of all but the end of a file, which is left at the place of the proof."""
    left = file.seek(0, 2) - LENGTH
    file.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (piece := file.read(min(left, PIECE))):
        digest.update(piece)
        left -= len(piece)
    return digest.hexdigest().encode()
