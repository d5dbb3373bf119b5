"""Combines a sandbox's folders, the engine's flags and the confinement into the command that is started."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cloche.limits import MB, MEMORY_OVERHEAD_MB, engine_limits
from cloche.sandbox.cache.assets import ENGINE, assets_dir
from cloche.sandbox.cache.packs import packs_dir
from cloche.sandbox.cache.snapshots import PreparedStart
from cloche.sandbox.confinement.confine import BindPath, LayerName, confine_command
from cloche.sandbox.files.guest_files import Folder
from cloche.sandbox.process.engine_paths import find_deno, join_paths
from cloche.sandbox.process.engine_process import Launch
from cloche.sandbox.process.v8_flags import V8_FLAGS
from cloche.sandbox.saving.saved import MemoryImage

MALLOC = {"MALLOC_MMAP_THRESHOLD_": "32768", "MALLOC_TRIM_THRESHOLD_": "32768"}
"""Returns freed memory to the system."""


class LaunchPlan(msgspec.Struct, frozen=True):
    """What the process of one sandbox needs."""

    folders: Sequence[Folder]
    control: Path
    """A private folder for the socket."""
    blobs: Path
    """The folder that holds its packages."""
    env: Mapping[str, str]
    preload: Sequence[str]
    memory_mb: int
    layer: LayerName
    prepared: PreparedStart
    packages: Sequence[Mapping[str, str]] = ()
    auto_install: bool = False
    """Whether a failed import installs the missing package."""
    images: Mapping[str, MemoryImage] = {}
    """Saved memory that languages start from."""
    added: Mapping[str, str] = {}
    """Variables on top of those that were saved."""
    shell: str | None = None
    """The state of the shell in the previous process."""
    warm: Sequence[str] = ()
    """Languages whose code is loaded at once, without a start."""
    building: bool = False
    """Whether the code cache is being filled rather than only read."""


def build_launch(plan: LaunchPlan) -> Launch:
    socket = str(plan.control / "s")
    assets = str(assets_dir())
    deno_bin = str(Path(find_deno()).resolve())
    packs = packs_dir()
    # It must exist before it is bound: languages that are fetched later appear in it.
    packs.mkdir(parents=True, exist_ok=True)
    readable = [assets, str(ENGINE), str(plan.prepared.snapshot), str(plan.blobs), str(packs)]
    readable += [*(folder.host for folder in plan.folders)]
    images = sorted({str(image.path) for image in plan.images.values()})
    writable = [folder.host for folder in plan.folders if not folder.read_only]
    argv = [deno_bin, "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--cached-only"]
    argv += ["--node-modules-dir=manual", "--unstable-worker-options", f"--import-map={assets}/import_map.json"]
    argv += [f"--v8-flags={','.join(V8_FLAGS)}"]
    argv += [
        f"--allow-read={_join_real_paths([*readable, *images, socket])}",
        f"--allow-write={_join_real_paths([*writable, socket])}",
    ]
    argv += [f"--allow-net=unix:{socket}"]
    argv += [str(ENGINE / "main.ts"), socket, assets, ",".join([*plan.preload, *plan.warm])]
    code_cache = _pick_code_cache(plan)
    env = {"DENO_DIR": str(code_cache), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1", **MALLOC}
    binds = [
        BindPath(deno_bin),
        BindPath(assets),
        BindPath(str(ENGINE)),
        BindPath(str(plan.prepared.snapshot)),
        BindPath(str(plan.blobs)),
    ]
    binds += [
        BindPath(str(packs)),
        BindPath(str(code_cache), writable=plan.building),
        BindPath(str(plan.control), writable=True),
    ]
    binds += [BindPath(folder.host, writable=not folder.read_only) for folder in plan.folders]
    binds += [BindPath(image) for image in images]
    confined = confine_command(argv, binds=binds, env=env, layer=plan.layer)
    return Launch(
        argv=confined.argv,
        env=confined.env,
        socket=socket,
        pass_fds=confined.pass_fds,
        close_after=confined.close_after,
        config=_engine_config(plan),
        memory_bytes=(plan.memory_mb + MEMORY_OVERHEAD_MB) * MB,
    )


def _pick_code_cache(plan: LaunchPlan) -> Path:
    """The compiled code; a process that is not confined gets its own copy, because it could write to the shared one."""
    shared = plan.prepared.code_cache
    if plan.building or plan.layer != "none":
        return shared
    return _copy_tree(shared, plan.control / "deno")


def _copy_tree(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(source, target, symlinks=True)


def _engine_config(plan: LaunchPlan) -> dict[str, Any]:
    return {
        "folders": [
            {"target": folder.target, "host": folder.host, "readOnly": folder.read_only} for folder in plan.folders
        ],
        "packages": [dict(package) for package in plan.packages],
        "autoInstall": plan.auto_install,
        "env": dict(plan.env),
        "snapshot": str(plan.prepared.snapshot),
        "saved": {name: {"path": str(image.path), "at": image.at} for name, image in plan.images.items()},
        "added": dict(plan.added),
        "memory": plan.memory_mb * MB,
        "limits": engine_limits(),
        "preload": list(plan.preload),
        "shell": plan.shell,
        "building": plan.building,
    }


def _join_real_paths(paths: Sequence[str]) -> str:
    return join_paths(map(os.path.realpath, paths))
