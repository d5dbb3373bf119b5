"""Adds bytecode to packages once, when they are stored, so that no sandbox has to compile them."""

import logging
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import anyio
import deno
from anyio import to_thread

from cloche.sandbox import snapshots
from cloche.sandbox.assets import ENGINE, assets_dir, ready
from cloche.sandbox.snapshots import Prepared
from cloche.sandbox.warm import warm_up

log = logging.getLogger(__name__)

COMPILE_TIMEOUT = 300.0
"""Seconds that compiling one package may take; the largest known need a tenth of it."""

MADE = "compiled.zip"


async def compile_blob(source: Path, target: Path) -> None:
    """Write `source`, an archive of stored files, to `target` with the bytecode of its modules added.

    Modules that do not compile are left to whoever imports them. If the compiler itself fails, `target` is a copy.
    """
    stage = Path(await to_thread.run_sync(lambda: tempfile.mkdtemp(prefix=".compile-", dir=target.parent)))
    try:
        problem = await _compile(source, stage)
        if problem is not None:
            log.warning("%s could not be compiled, its imports will be slow: %s", source.name, problem)
            await to_thread.run_sync(shutil.copyfile, source, stage / MADE)
        await to_thread.run_sync((stage / MADE).replace, target)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(stage, ignore_errors=True))


async def _compile(source: Path, stage: Path) -> str | None:
    """Why it failed, or nothing."""
    if not await to_thread.run_sync(ready):
        return "the engine's files are not here"
    prepared = await snapshots.build(warm_up)
    argv, env = await to_thread.run_sync(_command, prepared, source, stage)
    with anyio.move_on_after(COMPILE_TIMEOUT):
        done = await anyio.run_process(argv, env=env, stdout=subprocess.DEVNULL, check=False)
        said = done.stderr.decode(errors="replace").strip()
        return None if done.returncode == 0 else said[-1000:] or f"the compiler ended with code {done.returncode}"
    return f"it took more than {COMPILE_TIMEOUT:.0f} s"


def _command(prepared: Prepared, source: Path, stage: Path) -> tuple[list[str], dict[str, str]]:
    assets, source, stage = assets_dir(), source.resolve(), stage.resolve()
    argv = [deno.find_deno_bin(), "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
    argv += ["--node-modules-dir=manual", f"--import-map={assets}/import_map.json"]
    readable = ",".join(str(path).replace(",", ",,") for path in (assets, ENGINE, prepared.snapshot, source, stage))
    argv += [f"--allow-read={readable}", f"--allow-write={str(stage).replace(',', ',,')}"]
    argv += [str(ENGINE / "compile.ts"), str(assets), str(prepared.snapshot), str(source), str(stage)]
    # Beside the sandboxes' own, which belongs to other flags of V8 and is only read once it is made.
    cache = prepared.snapshot.parent / "compiler"
    return argv, {"DENO_DIR": str(cache), "HOME": os.environ.get("HOME", "/"), "NO_COLOR": "1"}
