"""The store of unpacked packages: one uncompressed zip file each, shared by all sandboxes."""

import email.parser
import hashlib
import logging
import os
import sys
import tempfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from email.message import Message
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread
from packaging.utils import canonicalize_name
from packaging.version import Version

from cloche.errors import ClocheError, PackageDamaged, PackageError
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.checksummed_file import add_zip_checksum, is_intact
from cloche.sandbox.cache.file_lock import lock_file
from cloche.sandbox.cache.folder_store import PASSING, sync_file
from cloche.sandbox.cache.usage import touch_used
from cloche.sandbox.packages.bytecode import compile_blobs
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.python_target import PythonTarget
from cloche.sandbox.packages.wheels import METADATA_LIMIT, Wheel, open_wheel, read_wheel, refuse_foreign_module

log = logging.getLogger(__name__)

FORMAT = 4
"""Increased when blobs of the same wheel are made in another way."""

LEFT_OUT = ("RECORD", "RECORD.jws", "RECORD.p7s", "INSTALLER", "REQUESTED", "direct_url.json")
"""Files of a dist-info folder that are written again or mean nothing here."""

PIECE = 1 << 20

Writer = Callable[[Path], None]

Spend = Callable[[Path, int], None]
"""Counts the bytes of a blob, again if they change; raises PackageError if it is too much."""


def blobs_dir() -> Path:
    """The folder of the blobs."""
    return cache_dir() / "packages" / "blobs"


def blob_path(sha256: str) -> Path:
    """The blob of the file with this hash, if it is stored."""
    return blobs_dir() / f"{sha256}-{FORMAT}.zip"


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def store_wheel(path: Path, sha256: str, target: PythonTarget) -> Package:
    """Check a wheel and make its blob, unless it is stored already."""
    (package,) = await store_wheels({sha256: path}, target)
    return package


async def store_wheels(wheels: Mapping[str, Path], target: PythonTarget, spend: Spend | None = None) -> list[Package]:
    """Like `store_wheel`, for several, given by their SHA-256, which are compiled together."""
    writers = {blob_path(sha256): partial(_write_wheel, path, target) for sha256, path in wheels.items()}
    await store_blobs(writers, spend, compiled=True)
    return [await to_thread.run_sync(describe_blob, blob) for blob in writers]


async def store_library(path: Path, sha256: str, name: str, version: str) -> Package:
    """Make the blob of a shared library: its files as they are."""
    blob = blob_path(sha256)
    await store_blobs({blob: partial(_write_library, path)}, None)
    return Package(name, version, blob, native=True, library=True)


async def store_blobs(writers: Mapping[Path, Writer], spend: Spend | None, *, compiled: bool = False) -> None:
    """Write each missing blob with the function given for it; all of them or none."""
    folder = blobs_dir()
    try:
        await to_thread.run_sync(partial(folder.mkdir, parents=True, exist_ok=True))
        async with AsyncExitStack() as locks:
            # Always in the same order, so that no two processes wait for each other.
            for blob in sorted(await to_thread.run_sync(_list_missing, writers)):
                await locks.enter_async_context(lock_file(blob.with_suffix(".lock")))
            missing = await to_thread.run_sync(_list_missing, writers)
            if missing:
                await _make_blobs({blob: writers[blob] for blob in missing}, spend, compiled)
    except OSError as error:
        raise PackageError(
            f"Could not store a package in {folder}: {error.strerror or error}. Make room there, or set "
            "CLOCHE_CACHE to another folder."
        ) from error


def _list_missing(blobs: Iterable[Path]) -> list[Path]:
    """The missing ones; the others are marked as used."""
    blobs = list(blobs)
    for blob in blobs:
        touch_used(blob)
    return [blob for blob in blobs if not is_sound(blob)]


_read: dict[Path, tuple[tuple[int, ...], bool]] = {}
"""Blobs that were read: the stat fields that show whether they were written to since, and whether they were intact."""


def is_sound(blob: Path) -> bool:
    """Whether a blob is stored and unchanged; each process reads it, and reports damage, once."""
    try:
        found = blob.stat()
        mark = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        known = _read.get(blob)
        if known is None or known[0] != mark:
            known = _read[blob] = mark, is_intact(blob)
            if not known[1]:
                log.warning("damaged in the cache, fetched again: %s", blob)
    except OSError as error:
        if error.errno in PASSING:
            raise
        return False
    return known[1]


async def _make_blobs(writers: Mapping[Path, Writer], spend: Spend | None, compiled: bool) -> None:
    stages: dict[Path, Path] = {}
    try:
        for blob, write in writers.items():
            stages[blob] = await to_thread.run_sync(_open_stage, blob.parent)
            await to_thread.run_sync(write, stages[blob])
            if spend:
                spend(blob, (await to_thread.run_sync(stages[blob].stat)).st_size)
        if compiled:
            await _compile_stages(list(stages.values()))
        for blob, stage in stages.items():
            await to_thread.run_sync(_publish_stage, stage, blob)
    finally:
        with anyio.CancelScope(shield=True):
            for stage in stages.values():
                await to_thread.run_sync(partial(stage.unlink, missing_ok=True))


def _open_stage(folder: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=".tmp-", dir=folder)
    os.close(handle)
    return Path(name)


async def _compile_stages(stages: list[Path]) -> None:
    try:
        await compile_blobs(stages)
    except ClocheError as error:
        # A package works without its bytecode too, but slowly at first.
        log.warning("packages could not be compiled, their imports will be slow: %s", error)


def _publish_stage(stage: Path, blob: Path) -> None:
    # Every user of the cache may read it, none may write to it: sandboxes have links to it.
    add_zip_checksum(stage)
    if sys.platform != "win32":
        stage.chmod(0o444)
    sync_file(stage)
    stage.replace(blob)
    sync_file(blob.parent)


def _write_wheel(path: Path, target: PythonTarget, stage: Path) -> None:
    wheel = read_wheel(path, target)
    record: list[str] = []
    with open_wheel(path) as source, zipfile.ZipFile(stage, "w", zipfile.ZIP_STORED) as archive:
        for name, place in sorted(_list_wanted(wheel)):
            refuse_foreign_module(path, source, name)
            record.append(_copy_file(source, name, archive, place))
        _add_file(archive, f"{wheel.info}/INSTALLER", b"cloche\n", record)
        record.append(f"{wheel.info}/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{wheel.info}/RECORD"), "\n".join(record) + "\n")


def _list_wanted(wheel: Wheel) -> Iterator[tuple[str, str]]:
    taken: set[str] = set()
    for name, place in wheel.places.items():
        top, _, rest = place.partition("/")
        if (top == wheel.info and rest in LEFT_OUT) or place.endswith((".pyc", ".pyo")):
            continue
        if place in taken:
            raise PackageDamaged(f"{wheel.name} {wheel.version} brings {place!r} twice. It was refused.")
        taken.add(place)
        yield name, place


def _copy_file(source: zipfile.ZipFile, name: str, archive: zipfile.ZipFile, place: str) -> str:
    digest = hashlib.sha256()
    size = 0
    # Without a time of its own, the same wheel always results in the same file.
    with source.open(name) as reader, archive.open(zipfile.ZipInfo(place), "w") as writer:
        while piece := reader.read(PIECE):
            writer.write(piece)
            digest.update(piece)
            size += len(piece)
    return _format_record(place, digest.digest(), size)


def _add_file(archive: zipfile.ZipFile, place: str, data: bytes, record: list[str]) -> None:
    archive.writestr(zipfile.ZipInfo(place), data)
    record.append(_format_record(place, hashlib.sha256(data).digest(), len(data)))


def _format_record(place: str, digest: bytes, size: int) -> str:
    quoted = '"' + place.replace('"', '""') + '"' if "," in place or '"' in place else place
    return f"{quoted},sha256={urlsafe_b64encode(digest).rstrip(b'=').decode()},{size}"


def _write_library(path: Path, target: Path) -> None:
    with open_wheel(path) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for entry in source.infolist():
            if not entry.is_dir():
                _copy_file(source, entry.filename, archive, entry.filename)


def describe_blob(blob: Path) -> Package:
    """What is known about the blob of a wheel."""
    with zipfile.ZipFile(blob) as archive:
        names = archive.namelist()
        metadata = read_metadata(archive)
    requires = tuple(str(each) for each in metadata.get_all("Requires-Dist", []))
    native = any(name.endswith(".so") for name in names)
    name, version = canonicalize_name(metadata["Name"]), str(Version(metadata["Version"]))
    return Package(name, version, blob, _find_modules(names), native, requires)


def read_metadata(archive: zipfile.ZipFile) -> Message:
    """The METADATA of the one package in a blob."""
    found = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA") and name.count("/") == 1]
    if not found:
        raise PackageDamaged("The package has no METADATA.")
    with archive.open(found[0]) as file:
        return email.parser.Parser().parsestr(file.read(METADATA_LIMIT).decode(errors="replace"))


def _find_modules(names: Iterable[str]) -> tuple[str, ...]:
    """The modules and packages at the top of a tree."""
    found: set[str] = set()
    for name in names:
        top, slash, rest = name.partition("/")
        if slash and top.isidentifier() and rest.endswith((".py", ".so")):
            found.add(top)
        elif not slash and name.endswith((".py", ".so")) and (stem := name.partition(".")[0]).isidentifier():
            found.add(stem)
    return tuple(sorted(found))
