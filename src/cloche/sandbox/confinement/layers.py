"""Remembers which layer of the operating system works, so that the self-test runs once per boot and not per start."""

import hashlib
import logging
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
from anyio import to_thread

from cloche.errors import ConfinementUnavailable
from cloche.options import Confinement
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.cache.checksummed_file import SUFFIX, strip_checksum, write_checksummed
from cloche.sandbox.cache.thread_lock import ForkSafeLock
from cloche.sandbox.confinement.probe import Layer, choose_best, survey_host
from cloche.sandbox.process.engine_paths import find_deno

log = logging.getLogger(__name__)

KEPT = 8
"""Records that are kept for one machine: installations that share a cache have one each."""

_known: dict[str, Layer] = {}


_turn = ForkSafeLock()
"""Held while the self-test runs."""


async def choose_layer(confinement: Confinement) -> Layer:
    """The strongest layer that works. ConfinementUnavailable if none does and one is required or worked earlier."""
    if confinement == "none":
        return choose_best("none")
    layer = await to_thread.run_sync(_recall_layer)
    if not layer.holds and confinement == "require":
        raise ConfinementUnavailable(
            f"the operating system cannot confine a sandbox here, and confinement is required: {layer.detail}. "
            'Mend one of these, or pass confinement="auto" to run with the other layers only.'
        )
    return layer


def _recall_layer() -> Layer:
    # One test for all sandboxes that start at once.
    with _turn.lock:
        key = _survey_key()
        if key not in _known:
            layer = find_layer(cache_dir() / "layers", key, partial(choose_best, "auto"))
            if not layer.tested:
                return layer
            _known[key] = layer
        return _known[key]


def find_layer(folder: Path, key: str, test: Callable[[], Layer]) -> Layer:
    """The recorded layer, else the result of the test; raises if none works now and one did earlier."""
    path = folder / f"{_host_id()}-{key}{SUFFIX}"
    with suppress(OSError):
        if known := _read_record(path):
            return known
        log.warning("damaged in the cache, tested again: %s", path)
    layer = test()
    # A failure is not recorded: bubblewrap may be installed later.
    if layer.holds and layer.tested:
        _write_record(path, layer)
    elif not layer.holds and (before := _find_earlier_layer(folder)):
        raise ConfinementUnavailable(
            f"the operating system confined sandboxes here ({before}), and does not now: {layer.detail}. Mend one of "
            'these, or pass confinement="none" to run with the other layers only.'
        )
    return layer


def _find_earlier_layer(folder: Path) -> str | None:
    """The layer that worked on this machine earlier, if one did."""
    for path in folder.glob(f"{_host_id()}-*"):
        with suppress(OSError):
            # Only a layer that works is recorded.
            return known.name if (known := _read_record(path)) else "by which layer is no longer to be read"
    return None


def _read_record(path: Path) -> Layer | None:
    """Read a record; None if it is damaged."""
    data = strip_checksum(path.read_bytes())
    try:
        return None if data is None else msgspec.json.decode(data, type=Layer)
    except msgspec.MsgspecError:
        return None


def _write_record(path: Path, layer: Layer) -> None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        known = sorted(path.parent.glob(f"{_host_id()}-*"), key=lambda each: each.stat().st_mtime)
        for old in known[: 1 - KEPT]:
            old.unlink()
        write_checksummed(path, msgspec.json.encode(layer))


def _host_id() -> str:
    """Names this machine, or container, and this user: they may share a cache with others."""
    parts: list[object] = [platform.node(), getattr(os, "getuid", int)()]
    with suppress(OSError):
        parts.append(Path("/etc/machine-id").read_text())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _survey_key() -> str:
    """Identifies everything else that could change the result: the boot, the programs, the features of this machine."""
    host = survey_host()
    parts: list[object] = [msgspec.json.encode(host)]
    executables = [path for path in (find_deno(), host.bubblewrap) if path is not None]
    parts += [Path(path).stat().st_mtime_ns for path in executables]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
