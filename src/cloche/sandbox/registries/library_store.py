"""Turns the chosen versions into blobs, one zip file each, shared by all sandboxes."""

import hashlib
import re
import zipfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread

from cloche.errors import PackageUnsupported
from cloche.sandbox.cache.usage import touch_used
from cloche.sandbox.packages.blobs import FORMAT, Spend, Writer, blobs_dir, is_sound, store_blobs
from cloche.sandbox.packages.package import Package
from cloche.sandbox.registries.index_cache import IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry

PACKING = 1
"""Increased when blobs of the same archive are made in another way."""

_NAMED = re.compile(r"(?P<language>[a-z]+)-(?P<rest>.+)-[0-9a-f]{24}-\d+\.zip")


async def store_picks(
    picks: Sequence[PickedVersion], registry: Registry, web: IndexCache, spend: Spend
) -> list[Package]:
    """Fetch and store what is missing; optional packages that cannot be used here are left out."""
    blobs = {pick: _blob_path(registry.language, pick) for pick in picks}
    unusable: set[Path] = set()
    # If one is needed in several places, a place where it is required decides.
    once = {blobs[pick]: pick for pick in sorted(picks, key=lambda each: not each.optional)}
    try:
        async with anyio.create_task_group() as tasks:
            for blob, pick in once.items():
                tasks.start_soon(_store_library, registry, (pick, blob), web, (spend, unusable))
    except ExceptionGroup as failed:
        # The first failure has ended the others.
        raise failed.exceptions[0] from None
    found = [_make_package(registry, pick, blob) for pick, blob in blobs.items() if blob not in unusable]
    for each in found:
        spend(each.blob, (await to_thread.run_sync(each.blob.stat)).st_size)
    return found


async def _store_library(
    registry: Registry, what: tuple[PickedVersion, Path], web: IndexCache, notes: tuple[Spend, set[Path]]
) -> None:
    pick, blob = what
    await to_thread.run_sync(touch_used, blob)
    if await to_thread.run_sync(is_sound, blob):
        return
    try:
        archive = await web.fetch(pick.address, pick.checks, base=pick.base)
        await store_blobs({blob: partial(_write_blob, registry, pick, archive)}, notes[0])
    except PackageUnsupported:
        if not pick.optional:
            raise
        notes[1].add(blob)


def _write_blob(registry: Registry, pick: PickedVersion, archive: Path, stage: Path) -> None:
    with zipfile.ZipFile(stage, "w", zipfile.ZIP_STORED) as target:
        registry.pack(pick, archive, target)


def _make_package(registry: Registry, pick: PickedVersion, blob: Path) -> Package:
    at = f"{registry.language}/{pick.at}".rstrip("/")
    return Package(pick.name, pick.version, blob, requires=pick.requires, language=registry.language, at=at)


async def store_index(registry: Registry, packages: Sequence[Package]) -> list[Package]:
    """A package with the files about all packages together, if the language needs them."""
    files = await to_thread.run_sync(registry.index, packages)
    if not files:
        return []
    key = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    blob = blobs_dir() / f"{registry.language}-index-{key[:24]}-{FORMAT}.zip"
    writers: Mapping[Path, Writer] = {blob: partial(_write_files, files)}
    await store_blobs(writers, None)
    return [Package("index", key[:8], blob, library=True, language=registry.language, at=registry.language)]


def _write_files(files: Mapping[str, bytes], stage: Path) -> None:
    with zipfile.ZipFile(stage, "w", zipfile.ZIP_STORED) as target:
        for name, data in sorted(files.items()):
            target.writestr(zipfile.ZipInfo(name), data)


def _blob_path(language: str, pick: PickedVersion) -> Path:
    hashes = " ".join(f"{each.algorithm}:{each.digest}" for each in pick.checks)
    identity = f"{PACKING} {language} {pick.name} {pick.version} {hashes or pick.identity or pick.address}"
    label = re.sub(r"[^\w.+-]", "", f"{pick.name.replace('/', '+')}-{pick.version}", flags=re.ASCII)[:100]
    return blobs_dir() / f"{language}-{label}-{hashlib.sha256(identity.encode()).hexdigest()[:24]}-{FORMAT}.zip"


def describe_library(blob: Path) -> str | None:
    """Describes a blob by its name; None for those of Python."""
    found = _NAMED.fullmatch(blob.name)
    return f"{found['rest'].replace('+', '/')} ({found['language']})" if found else None
