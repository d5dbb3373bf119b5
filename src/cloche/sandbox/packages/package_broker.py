"""Finds, downloads and stores what a set of requirements needs, and remembers it for use without a network."""

import hashlib
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import to_thread
from packaging.utils import canonicalize_name

from cloche.errors import PackageError
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.checksummed_file import SUFFIX, read_checksummed, write_checksummed
from cloche.sandbox.cache.downloads import DownloadProgress, Report
from cloche.sandbox.cache.file_lock import lock_file
from cloche.sandbox.cache.usage import hold_in_use, touch_used
from cloche.sandbox.packages import blobs
from cloche.sandbox.packages.blobs import (
    Spend,
    blob_path,
    blobs_dir,
    describe_blob,
    hash_file,
    is_sound,
    store_library,
    store_wheels,
)
from cloche.sandbox.packages.host_pip.resolver import PipQuery, ResolvedPackages, resolve_with_pip
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.pyodide_files import fetch_locked
from cloche.sandbox.packages.pyodide_lock import LockedPackage, PyodideLock
from cloche.sandbox.packages.staging import open_stage

FORMAT = 1
DAY = 86400.0
"""Seconds after which an index is asked again, if it answers quickly."""

AT_ONCE = max(2, min(4, os.cpu_count() or 1))
"""Files of the distribution that are fetched at once."""

LATER = 600.0
"""Seconds until the next such attempt, if it did not."""


class FoundPackages(msgspec.Struct, frozen=True):
    """Packages that fit together."""

    packages: tuple[Package, ...]
    """What must be installed besides."""
    here: tuple[str, ...] = ()
    """What was installed and is needed."""


class _KeptAnswer(msgspec.Struct, frozen=True):
    when: float
    packages: list[dict[str, Any]]
    here: tuple[str, ...]


async def find_packages(query: PipQuery, lock: PyodideLock, report: Report, spend: Spend) -> FoundPackages:
    """Find what the requirements need, and store every blob of it."""
    path = _answer_path(query, lock)
    try:
        return await _load_fresh(path) or await _find_packages(_PackageSearch(query, lock, report, spend), path)
    except OSError as error:
        raise PackageError(
            f"Could not keep packages in {cache_dir()}: {error.strerror or error}. Make room there, or set "
            "CLOCHE_CACHE to another folder."
        ) from error


class _PackageSearch(msgspec.Struct, frozen=True):
    query: PipQuery
    lock: PyodideLock
    report: Report
    spend: Spend


async def _find_packages(hunt: _PackageSearch, path: Path) -> FoundPackages:
    await to_thread.run_sync(partial(path.parent.mkdir, parents=True, exist_ok=True))
    async with lock_file(path.with_suffix(".lock")):
        # The previous holder of the lock may have found everything.
        if fresh := await _load_fresh(path):
            return fresh
        try:
            return await _renew_answer(hunt, path)
        except PackageError:
            # Asking for a package that does not exist leaves nothing behind.
            await to_thread.run_sync(partial(path.with_suffix(".lock").unlink, missing_ok=True))
            raise


async def _load_fresh(path: Path) -> FoundPackages | None:
    known = await to_thread.run_sync(_load_answer, path)
    return known[1] if known is not None and time.time() - known[0] < DAY else None


async def _renew_answer(hunt: _PackageSearch, path: Path) -> FoundPackages:
    """Ask the index; if it cannot be reached, use an older answer."""
    known = await to_thread.run_sync(_load_answer, path)
    when = time.time()
    try:
        async with open_stage() as stage:
            found = await resolve_with_pip(hunt.query, hunt.lock, stage, hunt.report, hurry=known is not None)
            answer = await _store_packages(found, hunt, stage)
    except PackageError:
        if known is None:
            raise
        answer, when = known[1], when - DAY + LATER
    await to_thread.run_sync(_save_answer, path, answer, when)
    return answer


async def _store_packages(found: ResolvedPackages, hunt: _PackageSearch, stage: Path) -> FoundPackages:
    lock = hunt.lock
    names = [*found.locked, *lock.libraries(found.locked)]
    wheels = {await to_thread.run_sync(hash_file, wheel): wheel for wheel in found.wheels}
    packages: list[Package] = []
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def fetch(entry: LockedPackage) -> None:
        async with limiter:
            package = await to_thread.run_sync(_find_stored, entry)
            path = None if package else await fetch_locked(entry, stage)
        if path and entry.library:
            package = await store_library(path, entry.sha256, str(canonicalize_name(entry.name)), entry.version)
        elif path:
            wheels[entry.sha256] = path
        if package:
            packages.append(package)
            await to_thread.run_sync(_count_package, package, hunt.spend)
        hunt.report(DownloadProgress("packages", len(wheels) + len(packages), len(found.wheels) + len(names)))

    try:
        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(fetch, lock.packages[name])
    except ExceptionGroup as failed:
        # The first failure has ended the others.
        raise failed.exceptions[0] from None
    stored = await store_wheels(wheels, lock.target, hunt.spend)
    for package in stored:
        await to_thread.run_sync(_count_package, package, hunt.spend)
    return FoundPackages(tuple(sorted([*packages, *stored], key=lambda each: each.name)), tuple(found.here))


def _count_package(package: Package, spend: Spend) -> None:
    spend(package.blob, package.blob.stat().st_size)


def _find_stored(entry: LockedPackage) -> Package | None:
    blob = blob_path(entry.sha256)
    touch_used(blob)
    if not is_sound(blob):
        return None
    if entry.library:
        return Package(str(canonicalize_name(entry.name)), entry.version, blob, native=True, library=True)
    return describe_blob(blob)


def _answer_path(query: PipQuery, lock: PyodideLock) -> Path:
    what = f"{FORMAT} {blobs.FORMAT} {lock.digest} ".encode() + msgspec.json.encode(query)
    key = hashlib.sha256(what).hexdigest()[:32]
    return cache_dir() / "packages" / "resolved" / f"{key}{SUFFIX}"


def _load_answer(path: Path) -> tuple[float, FoundPackages] | None:
    """The stored answer and its time, if every blob of it is still there."""
    folder = blobs_dir()
    hold_in_use(folder.parent)
    try:
        kept = msgspec.json.decode(read_checksummed(path), type=_KeptAnswer)
        found = [msgspec.convert({**each, "blob": folder / each["blob"]}, Package) for each in kept.packages]
    except (OSError, msgspec.MsgspecError, KeyError):
        return None
    for used in (path, *(each.blob for each in found)):
        touch_used(used)
    return (kept.when, FoundPackages(tuple(found), kept.here)) if all(is_sound(each.blob) for each in found) else None


def _save_answer(path: Path, answer: FoundPackages, when: float) -> None:
    packages = [{**msgspec.structs.asdict(each), "blob": each.blob.name} for each in answer.packages]
    # By rename: if the lock file was removed meanwhile, two processes may be here.
    write_checksummed(path, msgspec.json.encode(_KeptAnswer(when, packages, answer.here)))
