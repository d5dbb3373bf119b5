"""Installs a wheel from a file, of the host or of the sandbox."""

import errno
import os
import shutil
from pathlib import Path, PurePath, PurePosixPath

import msgspec
from anyio import to_thread
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from cloche.errors import ConfigError, PackageDamaged
from cloche.limits import PACKAGE_LIMIT, WHEEL_LIMIT
from cloche.sandbox.packages.blobs import hash_file, store_wheel
from cloche.sandbox.packages.installer import ReadFile
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from cloche.sandbox.packages.requirements import parse_requirement
from cloche.sandbox.packages.staging import open_stage
from cloche.sandbox.packages.wheels import REQUIRES


async def store_local_wheel(where: str | PurePath, read: ReadFile, lock: PyodideLock) -> Package:
    """Check a wheel and store it."""
    name = PurePosixPath(where).name if isinstance(where, str) else where.name
    if "\\" in name or ":" in name:
        raise ConfigError(f"The wheel {where} cannot be read: {name!r} is not the name of a wheel.")
    try:
        async with open_stage() as folder:
            # A copy that the guest cannot change: it may write to the wheel's own folder.
            copy = folder / name
            if isinstance(where, str):
                await to_thread.run_sync(copy.write_bytes, await read(where, WHEEL_LIMIT))
            else:
                await to_thread.run_sync(_copy_file, Path(where), copy)
            return await store_wheel(copy, await to_thread.run_sync(hash_file, copy), lock.target)
    except OSError as error:
        raise ConfigError(f"The wheel {where} cannot be read: {error.strerror or error}.") from None


def check_requires(package: Package, where: str | PurePath) -> None:
    """Refuse a package that requires something by address."""
    if bad := next(filter(_leads_away, package.requires), None):
        raise PackageDamaged(f"{where} needs {bad[:200]!r}: packages come by name, not by address.")


def check_adopted(package: Package) -> Package:
    """A package of a saved sandbox, which may be forged, without anything that would lead pip to an address."""
    try:
        sound = canonicalize_name(package.name, validate=True) == package.name and str(Version(package.version))
    except (InvalidName, InvalidVersion):
        sound = False
    if not sound or len(package.requires) > REQUIRES:
        raise PackageDamaged(f"{package.name[:100]!r} {package.version[:100]!r} is no package.")
    # Everything they name is installed.
    kept = tuple(each for each in package.requires if not _leads_away(each))
    return msgspec.structs.replace(package, requires=kept)


def check_root(name: str, text: str) -> str:
    """A requirement of a saved sandbox."""
    try:
        requirement = parse_requirement(text)
    except ConfigError as error:
        raise PackageDamaged(str(error)) from None
    if requirement.url or canonicalize_name(requirement.name) != name:
        raise PackageDamaged(f"{text[:100]!r} is no requirement for {name[:100]!r}.")
    return str(requirement)


async def read_host_file(path: str, limit: int) -> bytes:
    """Read a file of the host."""
    try:
        return await to_thread.run_sync(_read_file, Path(path), limit)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None


def _read_file(path: Path, limit: int) -> bytes:
    _check_size(path, limit)
    return path.read_bytes()


def _copy_file(source: Path, target: Path) -> None:
    _check_size(source, PACKAGE_LIMIT)
    shutil.copyfile(source, target)


def _check_size(path: Path, limit: int) -> None:
    if path.stat().st_size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))


def _leads_away(text: str) -> bool:
    try:
        return Requirement(text).url is not None
    except InvalidRequirement:
        return True
