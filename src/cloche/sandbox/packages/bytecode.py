"""Adds bytecode to packages when they are stored, so that no sandbox has to compile them."""

import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from cloche.limits import MB
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.assets import ENGINE, assets_dir, assets_ready
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.process.engine_paths import find_deno, join_paths
from cloche.sandbox.process.warm_up import warm_up

log = logging.getLogger(__name__)

COMPILE_TIMEOUT = 300.0
"""Seconds that compiling the packages of one installation may take; the largest known needs a tenth of it."""

SHARE = 8 * MB
"""Bytes of archives that are worth a separate run."""

AT_ONCE = max(1, min(4, os.cpu_count() or 1))

SLOW = "%s could not be compiled, its imports will be slow: %s"


async def compile_blobs(blobs: Sequence[Path]) -> None:
    """Add the bytecode of their modules to archives of stored files, in one run of the engine, except for large ones.

    Modules that do not compile fail when they are imported; an archive that the compiler fails on stays as it is.
    """
    shares = await to_thread.run_sync(_share_blobs, blobs)
    try:
        with anyio.move_on_after(COMPILE_TIMEOUT):
            async with anyio.create_task_group() as tasks:
                for share in shares:
                    tasks.start_soon(_compile_all, share)
    except ExceptionGroup as failed:
        # The first failure has ended the others.
        raise failed.exceptions[0] from None
    for blob in (blob for share in shares for blob in share):
        log.warning(SLOW, blob.name, f"it took more than {COMPILE_TIMEOUT:.0f} s")


def _share_blobs(blobs: Sequence[Path]) -> list[list[Path]]:
    sizes = {blob: blob.stat().st_size for blob in blobs}
    count = max(1, min(AT_ONCE, len(blobs), sum(sizes.values()) // SHARE))
    largest = sorted(blobs, key=sizes.__getitem__, reverse=True)
    return [largest[index::count] for index in range(count)]


async def _compile_all(left: list[Path]) -> None:
    """Compile what is in the list, and remove it from there."""
    while left:
        before = len(left)
        said = (
            await _run_compiler(left) if await to_thread.run_sync(assets_ready) else "the engine's files are not here"
        )
        if len(left) == before:
            # The first one cannot be compiled; the others may be without it.
            log.warning(SLOW, left.pop(0).name, said)


async def _run_compiler(left: list[Path]) -> str:
    """Compile, remove from the list what was compiled, and return the compiler's messages about the rest."""
    prepared = await snapshots.build_prepared(warm_up)
    stage = Path(await to_thread.run_sync(lambda: tempfile.mkdtemp(prefix=".compile-", dir=left[0].parent)))
    try:
        argv, env = await to_thread.run_sync(_build_command, prepared, left, stage)
        done = await anyio.run_process(argv, env=env, stdout=subprocess.DEVNULL, check=False)
        said = done.stderr.decode(errors="replace").strip()[-1000:]
        return said or f"the compiler ended with code {done.returncode}"
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(_take_compiled, left, stage)


def _take_compiled(left: list[Path], stage: Path) -> None:
    made = [(blob, stage / f"{index}.zip") for index, blob in enumerate(left)]
    for blob, path in made:
        if path.exists():
            path.replace(blob)
            left.remove(blob)
    shutil.rmtree(stage, ignore_errors=True)


def _build_command(prepared: PreparedStart, sources: Sequence[Path], stage: Path) -> tuple[list[str], dict[str, str]]:
    assets, stage = assets_dir(), stage.resolve()
    sources = [source.resolve() for source in sources]
    argv = [find_deno(), "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
    argv += ["--node-modules-dir=manual", f"--import-map={assets}/import_map.json"]
    readable = join_paths([assets, ENGINE, prepared.snapshot, stage, *sources])
    argv += [f"--allow-read={readable}", f"--allow-write={join_paths([stage])}"]
    argv += [
        str(ENGINE / "languages/python/build/package_bytecode.ts"),
        str(assets),
        str(prepared.snapshot),
        str(stage),
        *map(str, sources),
    ]
    # A fresh cache: one that is kept could be damaged, and something else would be compiled.
    return argv, {"DENO_DIR": str(stage / "deno"), "HOME": os.environ.get("HOME", "/"), "NO_COLOR": "1"}
