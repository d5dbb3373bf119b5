"""Files on their way in and out of a runtime, as zip archives in base64."""

import base64
import io
import os
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from cloche.limits import COPY_LIMIT


def pack(source: Path, recursive: bool) -> str:
    """A file or folder of the host as an archive."""
    if source.is_dir() and not recursive:
        raise IsADirectoryError(f"{source} is a folder: say `recursive` to copy it with all that is in it")
    files = [path for path in sorted(source.rglob("*")) if path.is_file()] if source.is_dir() else [source]
    base = source if source.is_dir() else source.parent
    return pack_files({str(path.relative_to(base)): path.read_bytes() for path in files})


def pack_files(files: dict[str, bytes]) -> str:
    """These files as an archive."""
    size = sum(map(len, files.values()))
    if size > COPY_LIMIT:
        raise OSError(f"{size} bytes are too many to copy at once: at most {COPY_LIMIT}. Copy them in parts.")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return base64.b64encode(buffer.getvalue()).decode()


def unpack(archive: str) -> dict[str, bytes]:
    """The files of an archive by their relative paths; ValueError for one that leads elsewhere or is too large."""
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(archive, validate=True))) as opened:
        members = [member for member in opened.infolist() if not member.is_dir()]
        size = sum(member.file_size for member in members)
        if size > COPY_LIMIT:
            raise ValueError(f"the archive holds {size} bytes, at most {COPY_LIMIT} are taken")
        for member in members:
            path = PurePosixPath(member.filename)
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"the archive holds {member.filename!r}, which leads out of the folder")
        return {member.filename: opened.read(member) for member in members}


def keep(archive: str) -> Path:
    """The archive as a file on the host."""
    handle, name = tempfile.mkstemp(prefix="cloche-", suffix=".zip")
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64decode(archive))
    return Path(name)
