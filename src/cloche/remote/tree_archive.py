"""A file or folder as one stream of bytes, on its way between a client and a server. Everything here blocks."""

import errno
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from cloche.limits import FILE_NAMES, MB
from cloche.paths.beneath import OpenFolder
from cloche.sandbox.files.tree_copy import Progress, stays_inside

PIECE = 1 * MB


def pack_tree(source: Path, name: str, out: BinaryIO, progress: Progress | None = None) -> None:
    """Write a file, or a folder with all in it, under this name; links that lead out of the folder are left out."""
    real = source.resolve(strict=True)
    done = 0
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for path, depth in _walk_tree(real):
            inside = PurePosixPath(name, *path.relative_to(real).parts)
            done += _add_member(archive, path, str(inside), depth)
            if progress is not None:
                progress(done)


def unpack_tree(data: BinaryIO, dest: Path, limit: int) -> None:
    """Put what `pack_tree` wrote into a folder, and nothing anywhere else; ValueError if it is something else."""
    room, names = limit, FILE_NAMES
    try:
        with OpenFolder.at(str(dest.resolve()), str(dest)) as top, tarfile.open(fileobj=data, mode="r|") as archive:
            for member in archive:
                names, room = names - 1, room - member.size
                if names < 0 or room < 0:
                    raise OSError(errno.EFBIG, f"it holds more than {limit} bytes, or {FILE_NAMES} files")
                _unpack_member(archive, member, top)
    except tarfile.TarError as error:
        raise ValueError(f"the archive cannot be read: {error}") from error


def _walk_tree(real: Path) -> Iterator[tuple[Path, int]]:
    """What is in a tree, folders before what is in them, each with the number of folders above it."""
    pending = [(real, 0)]
    while pending:
        path, depth = pending.pop()
        yield path, depth
        if path.is_dir() and (depth == 0 or not path.is_symlink()):
            try:
                pending.extend((each, depth + 1) for each in path.iterdir())
            except PermissionError:
                # A folder that is locked is copied without what is in it, as everywhere.
                continue


def _add_member(archive: tarfile.TarFile, path: Path, name: str, depth: int) -> int:
    """Add one of them; returns its size."""
    info = path.lstat()
    member = tarfile.TarInfo(name)
    member.mode = stat.S_IMODE(info.st_mode) & 0o777
    if stat.S_ISLNK(info.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, str(path.readlink())
        if stays_inside(member.linkname, depth - 1):
            archive.addfile(member)
    elif stat.S_ISDIR(info.st_mode):
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
    elif stat.S_ISREG(info.st_mode):
        try:
            file = path.open("rb")
        except PermissionError:
            if depth == 0:
                raise
            return 0
        with file:
            member.size = os.fstat(file.fileno()).st_size
            archive.addfile(member, file)
        return member.size
    return 0


def _unpack_member(archive: tarfile.TarFile, member: tarfile.TarInfo, top: OpenFolder) -> None:
    parts = PurePosixPath(member.name).parts
    if not parts or member.name.startswith("/") or ".." in parts:
        raise ValueError(f"the archive holds {member.name[:200]!r}, which leads elsewhere")
    with top.reach(parts[:-1], make=True) as folder:
        if member.type == tarfile.DIRTYPE:
            folder.make(parts[-1], member.mode & 0o777 | 0o700)
        elif member.type == tarfile.SYMTYPE and stays_inside(member.linkname, len(parts) - 2):
            folder.symlink(parts[-1], member.linkname)
        elif member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and member.sparse is None:
            source = archive.extractfile(member)
            assert source is not None, "a file has data"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(folder.open(parts[-1], flags, member.mode & 0o777 | 0o600), "wb") as out:
                while piece := source.read(PIECE):
                    out.write(piece)
        else:
            raise ValueError(f"the archive holds {member.name[:200]!r}, which is neither file nor folder")
