"""Information about a running sandbox."""

import functools
import importlib.metadata
from collections.abc import Sequence

import msgspec

from cloche.sandbox.confinement.probe import Layer
from cloche.sandbox.files.guest_files import Folder
from cloche.sandbox.languages import languages
from cloche.sandbox.process.engine_process import EngineProcess


class HeldLayer(msgspec.Struct, frozen=True):
    """One layer of isolation and whether it works."""

    name: str
    holds: bool
    detail: str


class SandboxInfo(msgspec.Struct, frozen=True):
    """Versions, memory, folders, and the layers of isolation from the inside out."""

    versions: dict[str, str]
    memory_bytes: int
    """Resident memory of the whole sandbox process."""
    memory_limit_mb: int
    folders: list[Folder]
    layers: list[HeldLayer]
    background: dict[str, list[str]] = {}
    """Work that calls have left running, by language."""
    background_seconds: float = 0.0
    """Processor time in seconds that this work has used while no call ran."""


@functools.cache
def installed_versions() -> dict[str, str]:
    found = {name: importlib.metadata.version(name) for name in ("cloche", "deno")}
    return {**found, **{name: f"{language.version} ({language.engine})" for name, language in languages().items()}}


def list_layers(outer: Layer) -> list[HeldLayer]:
    """All layers; those inside the process always work, the outer one as tested."""
    return [
        HeldLayer("wasm", True, "Python runs in WebAssembly, bash in an interpreter: neither has system calls"),
        HeldLayer("javascript", True, "no code from strings, host objects removed, no host file systems to mount"),
        HeldLayer("deno", True, "no network, no programs, no environment; only the assets and the sandbox's folders"),
        HeldLayer("system", outer.holds, f"{outer.name}: {outer.detail}"),
        HeldLayer("limits", True, "memory, output, files, open files, time, and a watchdog"),
    ]


def gather_info(process: EngineProcess, memory_limit_mb: int, outer: Layer, folders: Sequence[Folder]) -> SandboxInfo:
    background = process.background
    return SandboxInfo(
        versions=installed_versions(),
        memory_bytes=process.memory,
        memory_limit_mb=memory_limit_mb,
        folders=list(folders),
        layers=list_layers(outer),
        background=background.work,
        background_seconds=background.seconds,
    )
