"""Packs the guest's files into a saved sandbox and unpacks them, only below their folders."""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import BinaryIO

from cloche.errors import SavedStateError
from cloche.limits import FILES_LIMIT, SAVED_FILES
from cloche.sandbox.files.guest_files import FileInfo, Folder, GuestFiles
from cloche.sandbox.saving.saved import PIECE, SavedFile

ROOTS = ("/workspace", "/tmp", "/home/user")
"""The folders of a sandbox that are saved with it; mounts belong to the host."""

LATEST = 1 << 33
"""A time later than that of any file."""


def list_own_folders(folders: Iterable[Folder], *, workspace: bool = True) -> list[Folder]:
    """The folders that belong to the sandbox alone; a workspace may be a folder of the user."""
    return [folder for folder in folders if folder.target in ROOTS[0 if workspace else 1 :]]


def pack_files(own: Sequence[Folder], write: Callable[[bytes], object]) -> list[SavedFile]:
    """Write the bytes of all files and return their entries; unreadable files are left out. Blocks."""
    files, entries, total = GuestFiles(own), list[SavedFile](), 0
    for folder in own:
        for info in files.list(folder.target, recursive=True):
            entry = _pack_file(files, info, write, FILES_LIMIT - total)
            if entry is not None:
                entries.append(entry)
                total += entry.size
    if len(entries) > SAVED_FILES:
        raise SavedStateError(f"cannot save: {len(entries)} files are more than the {SAVED_FILES} that can be saved")
    return entries


def _pack_file(files: GuestFiles, info: FileInfo, write: Callable[[bytes], object], room: int) -> SavedFile | None:
    match info.kind:
        case "dir":
            return SavedFile(_encode_name(info.path), "dir", mode=info.mode)
        case "link":
            target = files.read_link(info.path)
            return None if target is None else SavedFile(_encode_name(info.path), "link", target=_encode_name(target))
        case "file":
            if info.size > room:
                raise SavedStateError(
                    f"cannot save: the files are larger than the {FILES_LIMIT} bytes that can be saved"
                )
            try:
                file = files.open_read(info.path)
            except OSError:
                return None
            with file:
                _copy_bytes(file, write, info.size)
            return SavedFile(_encode_name(info.path), "file", info.size, info.mode, info.mtime)
        case "other":
            return None


def _copy_bytes(file: BinaryIO, write: Callable[[bytes], object], size: int) -> None:
    """Exactly this many bytes; a file that got shorter meanwhile is padded."""
    while size > 0:
        piece = file.read(min(size, PIECE)) or bytes(min(size, PIECE))
        write(piece)
        size -= len(piece)


def unpack_files(own: Sequence[Folder], entries: Sequence[SavedFile], source: BinaryIO) -> None:
    """Create the files in these folders; an entry outside of them is left out. Blocks."""
    files = GuestFiles(own)
    for entry in _list_inside(own, entries, "dir"):
        files.mkdir(_decode_name(entry.path))
    start = source.tell()
    places = dict(zip(map(id, entries), accumulate((entry.size for entry in entries), initial=start), strict=False))
    for entry in _list_inside(own, entries, "file"):
        source.seek(places[id(entry)])
        with files.open_write(_decode_name(entry.path)) as file:
            _copy_bytes(source, file.write, entry.size)
            file.flush()
            _set_attributes(file.fileno(), entry)
    # Links after everything that could lead through them, closed folders last.
    for entry in _list_inside(own, entries, "link"):
        files.symlink(_decode_name(entry.path), _decode_name(entry.target))
    for entry in reversed(_list_inside(own, entries, "dir")):
        files.chmod(_decode_name(entry.path), entry.mode & 0o777)


def _list_inside(own: Sequence[Folder], entries: Sequence[SavedFile], kind: str) -> list[SavedFile]:
    starts = tuple(f"{folder.target}/" for folder in own)
    return [
        entry
        for entry in entries
        if entry.kind == kind and entry.path.startswith(starts) and ".." not in entry.path.split("/")
    ]


def _set_attributes(fd: int, entry: SavedFile) -> None:
    if 0 <= entry.mtime < LATEST and os.utime in os.supports_fd:
        os.utime(fd, (entry.mtime, entry.mtime))
    if hasattr(os, "fchmod"):
        os.fchmod(fd, entry.mode & 0o777)


def _encode_name(name: str) -> str:
    """A name as a string that JSON can hold, whatever its bytes are."""
    return os.fsencode(name).decode("latin-1")


def _decode_name(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))
