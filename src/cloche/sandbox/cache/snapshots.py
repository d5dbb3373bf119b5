"""What makes starts fast, kept in the cache: Python's memory with IPython loaded, and Deno's compiled code.

Both are built on first use. The memory is shared by all installations of a version. Deno stores compiled code by source
path, so each installation has its own: without it Deno would parse the engine again, which needs more of the
operating system than a confined process has.
"""

import functools
import hashlib
import logging
import os
import re
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache import assets, folder_store
from cloche.sandbox.cache.assets import ENGINE, assets_dir, cache_dir
from cloche.sandbox.cache.usage import DAY, hold_in_use, last_used, reserve_unused
from cloche.sandbox.process.engine_paths import find_deno, join_paths
from cloche.sandbox.process.exit_reason import describe_end
from cloche.sandbox.process.v8_flags import V8_FLAGS

log = logging.getLogger(__name__)

BUILD_TIMEOUT = 300.0
"""Seconds that building a snapshot may take on a slow machine."""

_APART = re.compile(r"testing/|languages/((?!python/)\w+/build/|\w+/(pack\.ts|cases\.json|deno\.json)$)")
"""Files of the engine that no sandbox loads and that do not build the snapshot."""

_SNAPSHOT, _CODE, _PLACE = "python.snapshot", "deno", "engine.txt"


class PreparedStart(msgspec.Struct, frozen=True):
    """Files that make later starts fast."""

    snapshot: Path
    code_cache: Path
    """Deno's own cache of compiled code."""


Warm = Callable[[PreparedStart], Awaitable[None]]
"""Runs the engine so that its compiled code is cached."""


def snapshot_dir() -> Path:
    """The folder of this version's snapshot, whether it exists or not."""
    return cache_dir() / "snapshots" / snapshot_key()


def snapshot_file() -> Path:
    """Python's memory, whether it exists or not."""
    return snapshot_dir() / _SNAPSHOT


def code_dir() -> Path:
    """The folder of this installation's compiled code, whether it exists or not."""
    place = hashlib.sha256(str(ENGINE).encode()).hexdigest()
    return cache_dir() / "code" / f"{snapshot_key()}-{place[:8]}"


def find_prepared() -> PreparedStart | None:
    """What was built for this version and this installation, if it exists and nothing is truncated."""
    folders = (snapshot_dir(), code_dir())
    for folder in folders:
        hold_in_use(folder)
    return _find_files() if all(map(folder_store.is_whole, folders)) else None


async def build_prepared(warm: Warm, *, anew: bool = False) -> PreparedStart:
    """Build what is missing, or with `anew` everything."""
    if not anew and (found := await to_thread.run_sync(find_prepared)):
        return found
    await to_thread.run_sync(find_prepared)

    def whole(folder: Path) -> bool:
        return not anew and folder_store.is_whole(folder)

    for folder, fill in await to_thread.run_sync(_fill_snapshot, warm):
        with _explain_write_errors(folder):
            await folder_store.ensure_folder(folder, fill, whole=functools.partial(whole, folder))
    return await to_thread.run_sync(_find_files)


async def repair_prepared(warm: Warm) -> bool:
    """Rebuild what is proved damaged; returns whether anything was."""
    repaired = False
    for folder, fill in await to_thread.run_sync(_fill_snapshot, warm):
        with _explain_write_errors(folder):
            repaired |= await folder_store.repair_folder(folder, fill)
    return repaired


def find_damage(prepared: PreparedStart) -> list[str]:
    """The files of the snapshot and the compiled code that have changed; blocks while it reads them."""
    return [
        *folder_store.find_new_damage(prepared.snapshot.parent),
        *folder_store.find_new_damage(prepared.code_cache.parent),
    ]


def identify_files() -> tuple[int, ...]:
    """Changes when the files are replaced by others."""
    prepared = _find_files()
    found: list[int] = []
    for path in (prepared.snapshot, prepared.code_cache):
        with suppress(OSError):
            found.append(path.stat().st_ino)
    return tuple(found)


def _find_files() -> PreparedStart:
    return PreparedStart(snapshot_file(), code_dir() / _CODE)


def _fill_snapshot(warm: Warm) -> list[tuple[Path, folder_store.Fill]]:
    snapshot, code = snapshot_dir(), code_dir()

    async def fill_snapshot(stage: Path, whole: Path) -> None:
        # Damage that gets into the snapshot would never be found.
        await assets.repair_assets()
        await _run_builder(stage / "deno", whole / _SNAPSHOT)

    async def fill_code(_: Path, whole: Path) -> None:
        await to_thread.run_sync(_begin_code, code.parent, whole)
        await warm(PreparedStart(snapshot / _SNAPSHOT, whole / _CODE))

    return [(snapshot, fill_snapshot), (code, fill_code)]


def _begin_code(parent: Path, whole: Path) -> None:
    _forget_installations(parent)
    (whole / _CODE).mkdir()
    (whole / _PLACE).write_text(str(ENGINE))


def _forget_installations(parent: Path) -> None:
    """Remove the code of deleted installations: environments are created and deleted, and each leaves some."""
    for folder in (each for each in parent.iterdir() if each.is_dir()):
        with suppress(OSError):
            gone = not Path((folder / _PLACE).read_text()).exists()
            # It may exist elsewhere, such as in another container; the time of use is noted once a day.
            if gone and time.time() - last_used(folder) > 2 * DAY:
                with reserve_unused(folder) as free:
                    if free:
                        folder_store.remove_folder(folder)


def _explain_write_errors(folder: Path) -> AbstractContextManager[None]:
    return folder_store.explain_write_errors(f"{folder}, which starts of a sandbox need")


async def _run_builder(deno_dir: Path, target: Path) -> None:
    argv, env = await to_thread.run_sync(_builder_command, deno_dir, target)
    with anyio.move_on_after(BUILD_TIMEOUT):
        done = await anyio.run_process(argv, env=env, stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return
        log.debug("the builder said on stderr: %s", done.stderr.decode(errors="replace").strip())
        raise AssetsUnavailable(
            f"Building the Python snapshot failed{describe_end(done.returncode, done.stderr)}. `cloche doctor` checks "
            "the engine's files; `cloche fetch --force` fetches them anew."
        )
    raise AssetsUnavailable(
        f"Building the Python snapshot took more than {BUILD_TIMEOUT:.0f} s: try again when this machine is less busy."
    )


def _builder_command(deno_dir: Path, target: Path) -> tuple[list[str], dict[str, str]]:
    assets = assets_dir()
    argv = [find_deno(), "run", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
    argv += ["--node-modules-dir=manual", f"--import-map={assets}/import_map.json"]
    argv += [f"--allow-read={join_paths([assets, ENGINE])}", f"--allow-write={join_paths([target])}"]
    argv += [str(ENGINE / "languages/python/build/snapshot.ts"), str(assets), str(target)]
    return argv, {"DENO_DIR": str(deno_dir), "HOME": os.environ.get("HOME", "/"), "NO_COLOR": "1"}


@functools.cache
def snapshot_key() -> str:
    """Identifies the engine: a snapshot works only with the engine that made it."""
    digest = hashlib.sha256(f"{assets_dir().name} {V8_FLAGS}".encode())
    # All of the engine: the guest's code is in the snapshot, the rest in the code cache.
    for file in sorted(ENGINE.rglob("*")):
        name = file.relative_to(ENGINE).as_posix()
        if file.suffix in (".ts", ".py", ".json") and not name.endswith("_test.ts") and not _APART.match(name):
            digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
