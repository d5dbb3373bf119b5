"""Remembers which layer of the operating system holds, so that the self-test runs once per boot and not per start."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import msgspec
from anyio import to_thread

from cloche.errors import ConfinementUnavailable
from cloche.sandbox.assets import cache_dir
from cloche.sandbox.confinement.probe import Confinement, Layer, choose, survey
from cloche.sandbox.program import find_deno

_known: dict[str, Layer] = {}


async def choose_layer(confinement: Confinement) -> Layer:
    """The strongest layer that holds; raises ConfinementUnavailable if one is required and none does."""
    if confinement == "none":
        return choose("none")
    layer = await to_thread.run_sync(_recall)
    if not layer.holds and confinement == "require":
        raise ConfinementUnavailable(
            f"the operating system cannot confine a sandbox here, and confinement is required: {layer.detail}. "
            'Mend one of these, or pass confinement="auto" to run with the other layers only.'
        )
    return layer


def _recall() -> Layer:
    key = _key()
    if key in _known:
        return _known[key]
    path = cache_dir() / "layers" / key
    try:
        layer = msgspec.json.decode(path.read_bytes(), type=Layer)
    except (OSError, msgspec.DecodeError):
        layer = choose("auto")
        # A layer that does not hold is tried again: bubblewrap may be installed meanwhile.
        if layer.holds:
            _remember(path, layer)
    _known[key] = layer
    return layer


def _remember(path: Path, layer: Layer) -> None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in path.parent.iterdir():
            old.unlink()
        path.write_bytes(msgspec.json.encode(layer))


def _key() -> str:
    """Everything that could change the answer: the boot, the user, the programs, what this machine has."""
    machine = survey()
    parts: list[object] = [msgspec.json.encode(machine), getattr(os, "getuid", int)()]
    programs = [program for program in (find_deno(), machine.bubblewrap) if program is not None]
    parts += [Path(program).stat().st_mtime_ns for program in programs]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
