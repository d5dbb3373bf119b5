"""Python's memory right after start, IPython in it: built on first use, kept in the cache, read at every start."""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import AssetsUnavailable
from cloche.sandbox.assets import ENGINE, assets_dir, cache_dir
from cloche.sandbox.filelock import locked
from cloche.sandbox.flags import V8_FLAGS
from cloche.sandbox.program import find_deno
from cloche.sandbox.usage import use

BUILD_TIMEOUT = 300.0
"""Seconds that building a snapshot may take on a slow machine."""

_APART = ("packs/", "cases/")
"""Folders of the engine that no sandbox loads."""


class Seal(msgspec.Struct, frozen=True):
    """Says what a complete snapshot is, so that a cut one is noticed."""

    size: int


class Prepared(msgspec.Struct, frozen=True):
    """Files that make later starts quick."""

    snapshot: Path
    code_cache: Path
    """Deno's own cache of compiled code."""


Warm = Callable[[Prepared], Awaitable[None]]


def prepared_dir() -> Path:
    return cache_dir() / "snapshots" / key()


def find() -> Prepared | None:
    """The snapshot of this version, if it is there and whole."""
    folder = prepared_dir()
    use(folder)
    return _in(folder) if is_whole(folder) else None


def is_whole(folder: Path) -> bool:
    """Whether a folder holds a snapshot that is complete."""
    try:
        seal = msgspec.json.decode((folder / "seal.json").read_bytes(), type=Seal)
        return (folder / "python.snapshot").stat().st_size == seal.size and (folder / "deno").is_dir()
    except (OSError, msgspec.DecodeError):
        return False


async def build(warm: Warm) -> Prepared:
    """Build it unless it is there; `warm` runs the engine so that its compiled code is cached too."""
    if found := await to_thread.run_sync(find):
        return found
    folder = await to_thread.run_sync(prepared_dir)
    try:
        await to_thread.run_sync(functools.partial(folder.parent.mkdir, parents=True, exist_ok=True))
        async with locked(folder.parent / ".lock"):
            if found := await to_thread.run_sync(find):
                return found
            return await _build(folder, warm)
    except OSError as error:
        raise AssetsUnavailable(
            f"Could not write the snapshot to {folder}: {error.strerror or error}. Make room there, or make it "
            "writable, or set CLOCHE_CACHE to another folder."
        ) from error


def discard() -> None:
    """Forget a snapshot that proved broken."""
    shutil.rmtree(prepared_dir(), ignore_errors=True)


async def _build(folder: Path, warm: Warm) -> Prepared:
    stage = await to_thread.run_sync(_open_stage, folder.parent)
    try:
        made = _in(stage)
        await _run_builder(made)
        await warm(made)
        await to_thread.run_sync(_finish, stage, folder)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(functools.partial(shutil.rmtree, stage, ignore_errors=True))
    return _in(folder)


def _in(folder: Path) -> Prepared:
    return Prepared(folder / "python.snapshot", folder / "deno")


def _open_stage(parent: Path) -> Path:
    for leftover in parent.glob(".tmp-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
    _in(stage).code_cache.mkdir()
    return stage


def _finish(stage: Path, folder: Path) -> None:
    seal = Seal(_in(stage).snapshot.stat().st_size)
    (stage / "seal.json").write_bytes(msgspec.json.encode(seal))
    shutil.rmtree(folder, ignore_errors=True)
    stage.rename(folder)


async def _run_builder(made: Prepared) -> None:
    argv, env = await to_thread.run_sync(_command, made)
    with anyio.move_on_after(BUILD_TIMEOUT):
        done = await anyio.run_process(argv, env=env, stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return
        said = done.stderr.decode(errors="replace").strip()[-2000:]
        raise AssetsUnavailable(
            f"Building the Python snapshot failed: {said}. `cloche doctor` checks the engine's files; "
            "`cloche fetch --force` fetches them anew."
        )
    raise AssetsUnavailable(
        f"Building the Python snapshot took more than {BUILD_TIMEOUT:.0f} s: try again when this machine is less busy."
    )


def _command(made: Prepared) -> tuple[list[str], dict[str, str]]:
    assets = assets_dir()
    argv = [find_deno(), "run", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
    argv += ["--node-modules-dir=manual", f"--import-map={assets}/import_map.json"]
    argv += [f"--allow-read={assets},{ENGINE}", f"--allow-write={made.snapshot}"]
    argv += [str(ENGINE / "snapshot.ts"), str(assets), str(made.snapshot)]
    return argv, {"DENO_DIR": str(made.code_cache), "HOME": os.environ.get("HOME", "/"), "NO_COLOR": "1"}


@functools.cache
def key() -> str:
    """Names the engine: memory of one cannot be used by another."""
    digest = hashlib.sha256(f"{assets_dir().name} {V8_FLAGS}".encode())
    # All of the engine: the guest's code is in the snapshot, the rest in the code cache.
    for file in sorted(ENGINE.rglob("*")):
        name = file.relative_to(ENGINE).as_posix()
        if file.suffix in (".ts", ".py", ".json") and not name.endswith("_test.ts") and not name.startswith(_APART):
            digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
