"""Takes in a wheel that is a file, of the host or of the sandbox."""

import errno
import os
from pathlib import Path, PurePath, PurePosixPath

from anyio import to_thread
from packaging.requirements import InvalidRequirement, Requirement

from cloche.errors import ConfigError, PackageDamaged
from cloche.limits import MB
from cloche.sandbox.packages.blobs import hash_file, store_wheel
from cloche.sandbox.packages.entrance import ReadFile
from cloche.sandbox.packages.lock import Lock
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.stages import open_stage

LOCAL_LIMIT = 128 * MB
"""Bytes of a wheel that lies in the sandbox."""


async def read_local(where: str | PurePath, read: ReadFile, lock: Lock, *, guest: bool) -> Package:
    """Check a wheel and store it; what it needs from an address is refused when the sandbox asks."""
    try:
        if isinstance(where, str):
            package = await _store(PurePosixPath(where).name, await read(where, LOCAL_LIMIT), lock)
        else:
            path = Path(where)
            package = await store_wheel(path, await to_thread.run_sync(hash_file, path), lock.target)
    except OSError as error:
        raise ConfigError(f"The wheel {where} cannot be read: {error.strerror or error}.") from None
    if guest and (bad := next(filter(_leads_away, package.requires), None)):
        raise PackageDamaged(f"{where} needs {bad[:200]!r}: from inside, packages come by name, not by address.")
    return package


async def read_host(path: str, limit: int) -> bytes:
    """Read a file of the host."""
    try:
        return await to_thread.run_sync(_read, Path(path), limit)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None


def _read(path: Path, limit: int) -> bytes:
    if path.stat().st_size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return path.read_bytes()


async def _store(name: str, data: bytes, lock: Lock) -> Package:
    async with open_stage() as folder:
        path = folder / name
        await to_thread.run_sync(path.write_bytes, data)
        return await store_wheel(path, await to_thread.run_sync(hash_file, path), lock.target)


def _leads_away(text: str) -> bool:
    try:
        return Requirement(text).url is not None
    except InvalidRequirement:
        return True
