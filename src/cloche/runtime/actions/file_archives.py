"""Copies files into and out of a runtime, as zip archives in base64."""

import base64
import errno
import io
import os
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from cloche.limits import COPY_FILES, COPY_LIMIT
from cloche.runtime.machine import FolderEntry, Machine

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""Errors for an archive that is truncated, encrypted or has an unknown method."""


_MUCH = f"it holds more than {COPY_LIMIT} bytes"


class _CopyBudget:
    """How much may still be copied; raises OSError if it is too much."""

    def __init__(self) -> None:
        self.room = COPY_LIMIT
        self._names = COPY_FILES

    def count(self, names: int) -> None:
        """Count this many files and folders."""
        self._names -= names
        if self._names < 0:
            raise OSError(errno.EFBIG, f"it holds more than {COPY_FILES} files and folders")

    def weigh(self, size: int) -> None:
        """Count this many bytes."""
        self.room -= size
        if self.room < 0:
            raise OSError(errno.EFBIG, _MUCH)


def pack_host_files(source: Path, recursive: bool) -> str:
    """A file or folder of the host, under its name, as an archive; links that lead out of the folder are left out."""
    if source.is_dir() and not recursive:
        raise IsADirectoryError(f"{source} is a folder: say `recursive` to copy it with all that is in it")
    if source.name in ("", ".."):
        source = source.resolve()
    files: dict[str, bytes] = {}
    load = _CopyBudget()
    real = source.resolve()
    for path in [source, *source.rglob("*")] if source.is_dir() else [source]:
        load.count(1)
        # A folder may come from a stranger: its links must not reach other files of the host.
        if path.is_symlink() and path != source and not path.resolve().is_relative_to(real):
            continue
        name = path.relative_to(source.parent).as_posix()
        if path.is_dir():
            files[f"{name}/"] = b""
        elif path.is_file() or path == source:
            load.weigh(path.stat().st_size)
            files[name] = path.read_bytes()
    return pack_files(files)


async def read_tree(machine: Machine, path: str) -> dict[str, bytes]:
    """The files of a folder by their relative paths, or the file itself."""
    try:
        pending = [(path, "", await machine.list(path))]
    except NotADirectoryError:
        return {PurePosixPath(path).name: await machine.read(path, COPY_LIMIT)}
    files: dict[str, bytes] = {}
    load = _CopyBudget()
    while pending:
        folder, inside, entries = pending.pop()
        load.count(len(entries))
        for entry in entries:
            place, name = f"{folder}/{entry.name}", f"{inside}{entry.name}"
            if entry.is_folder:
                pending.append((place, f"{name}/", await machine.list(place)))
            elif (data := await _read_content(machine, place, entry, load.room)) is not None:
                load.weigh(len(data))
                files[name] = data
    return files


async def _read_content(machine: Machine, place: str, entry: FolderEntry, room: int) -> bytes | None:
    """The bytes of a file; None for a dangling link, a pipe or a device."""
    try:
        return await machine.read(place, room)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise OSError(errno.EFBIG, _MUCH, place) from None
        if entry.is_file:
            raise
        return None


def pack_files(files: dict[str, bytes]) -> str:
    """These files, and folders whose names end with a slash, as an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return base64.b64encode(buffer.getvalue()).decode()


def unpack_files(archive: str) -> dict[str, bytes]:
    """The files of an archive, and its folders, whose names end with a slash; ValueError if it leads elsewhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(archive, validate=True))) as opened:
            members = _check_members(opened.infolist())
            return {member.filename: opened.read(member) for member in members}
    except _DAMAGED as error:
        raise ValueError(f"the archive cannot be read: {error}") from error


def _check_members(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    size = sum(member.file_size for member in members)
    if size > COPY_LIMIT:
        raise ValueError(f"the archive holds {size} bytes, at most {COPY_LIMIT} are taken")
    if len(members) > COPY_FILES:
        raise ValueError(f"the archive holds {len(members)} files, at most {COPY_FILES} are taken")
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"the archive holds {member.filename!r}, which leads out of the folder")
    return members


def write_host_files(archive: str) -> Path:
    """The archive as a file on the host."""
    handle, name = tempfile.mkstemp(prefix="cloche-", suffix=".zip")
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64decode(archive))
    return Path(name)
