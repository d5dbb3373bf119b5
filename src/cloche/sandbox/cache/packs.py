"""The files of languages that are downloaded on first use: one folder each, shared by all sandboxes."""

import functools
import hashlib
import importlib.metadata
import logging
from pathlib import Path

from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.downloads import ENGINE, Report, download_pack
from cloche.sandbox.cache.folder_store import PASSING, ensure_folder, find_new_damage, is_whole
from cloche.sandbox.cache.import_closure import imported_files
from cloche.sandbox.cache.usage import hold_in_use
from cloche.sandbox.languages import languages

log = logging.getLogger(__name__)

FORMAT = 1
"""Increased when files of the same origin are laid out in another way."""


def packs_dir() -> Path:
    """The folder of all packs; a sandbox may read it."""
    return cache_dir() / "packs"


def pack_dir(language: str) -> Path:
    """The folder of a language's files, whether it exists or not."""
    return packs_dir() / f"{language}-{_pack_key(language)}"


def pack_ready(language: str) -> bool:
    """Whether a language's files exist and none is truncated; a language without a pack is always ready."""
    if not languages()[language].pack:
        return True
    folder = pack_dir(language)
    hold_in_use(folder)
    return is_whole(folder)


def _is_sound(language: str) -> bool:
    """Like `pack_ready`, by hashes: a program that differs by a byte may start and compute something else."""
    if not pack_ready(language):
        return False
    wrong = find_new_damage(pack_dir(language)) if languages()[language].pack else []
    if wrong:
        log.warning("damaged in the cache, fetched again: %s/%s", pack_dir(language), wrong[0])
    return not wrong


async def ensure_pack(language: str, progress: Report | None = None, *, anew: bool = False) -> Path:
    """Fetch a language's files unless they are ready, or with `anew` in any case; returns their folder. Safe in several
    processes at once."""
    target = await to_thread.run_sync(pack_dir, language)
    if not anew and await to_thread.run_sync(_is_sound, language):
        return target
    report: Report = progress or (lambda _: None)
    try:
        await ensure_folder(
            target,
            lambda stage, whole: download_pack(language, stage, whole, report),
            whole=lambda: not anew and _is_sound(language),
        )
    except OSError as error:
        if error.errno in PASSING:
            raise
        raise AssetsUnavailable(
            f"Could not write the files of {languages()[language].title} to {target}: {error.strerror or error}. Make "
            f"room there, or make it writable, or set CLOCHE_CACHE to another folder; then `cloche fetch {language}`."
        ) from error
    return target


@functools.cache
def _pack_key(language: str) -> str:
    digest = hashlib.sha256(f"{FORMAT} {importlib.metadata.version('deno')}".encode())
    folder = ENGINE / "languages" / language
    for path in [folder / "deno.json", folder / "deno.lock", *imported_files([folder / "pack.ts"])]:
        digest.update(path.relative_to(ENGINE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
