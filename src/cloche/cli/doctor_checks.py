"""The checks of `cloche doctor`."""

import time
from pathlib import Path

import msgspec
from anyio import to_thread

from cloche.errors import ClocheError
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.confinement.probe import Layer, probe_layers
from cloche.sandbox.info import HeldLayer, installed_versions, list_layers
from cloche.sandbox.sandbox import Sandbox


class DoctorCheck(msgspec.Struct, frozen=True):
    """One check and its result."""

    name: str
    ok: bool
    detail: str
    advice: str = ""
    """What to do about it; empty if there is nothing to do."""


class DoctorReport(msgspec.Struct, frozen=True):
    """The results of all checks; `ok` if sandboxes work here."""

    ok: bool
    summary: str
    versions: dict[str, str]
    checks: list[DoctorCheck]
    layers: list[HeldLayer]
    system: list[Layer]
    """The tested ways to confine a process, strongest first."""


async def examine_host() -> DoctorReport:
    """Run all checks; fetches and builds only what they need."""
    tried = await to_thread.run_sync(probe_layers)
    outer = next((layer for layer in tried if layer.holds), Layer("none", False, _join_reasons(tried)))
    checks = [await to_thread.run_sync(look) for look in (_check_cache, _check_files, _check_snapshot)]
    checks.append(await _check_run(all(check.ok for check in checks)))
    ok = all(check.ok for check in checks)
    found = await to_thread.run_sync(installed_versions)
    return DoctorReport(ok, _summarise_checks(ok, outer), found, checks, list_layers(outer), tried)


def _summarise_checks(ok: bool, outer: Layer) -> str:
    if not ok:
        return "Sandboxes do not work here yet: see what FAILs above."
    if not outer.holds:
        return (
            "Sandboxes work here, but the operating system does not confine them: do what is said above, or do not "
            "run code of strangers."
        )
    return "Sandboxes work here, and every layer holds."


def _join_reasons(tried: list[Layer]) -> str:
    return "; ".join(f"{layer.name}: {layer.detail}" for layer in tried)


def _check_cache() -> DoctorCheck:
    folder = assets.cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe_file = folder / ".doctor"
        probe_file.write_bytes(b"")
        probe_file.unlink()
    except OSError as error:
        # A cache that was filled before can be read-only.
        return DoctorCheck(
            "cache",
            assets.assets_ready() and snapshots.find_prepared() is not None,
            f"{folder} cannot be written: {error.strerror}",
            "make it writable, or set CLOCHE_CACHE to another folder",
        )
    return DoctorCheck("cache", True, str(folder))


def _check_files() -> DoctorCheck:
    folder = assets.assets_dir()
    changed = assets.verify_assets()
    if not changed:
        return DoctorCheck("files", True, f"{folder.name}, {_measure_folder(folder) >> 20} MB, all hashes right")
    if not folder.exists():
        return DoctorCheck("files", False, "not fetched yet", "run `cloche fetch`, or just use Cloche: it fetches them")
    return DoctorCheck(
        "files", False, f"{len(changed)} missing or changed, {changed[0]} among them", "run `cloche fetch --force`"
    )


def _check_snapshot() -> DoctorCheck:
    found = snapshots.find_prepared()
    if found is None:
        return DoctorCheck(
            "snapshot", True, "not built yet: the first run takes some seconds longer", "run `cloche fetch`"
        )
    return DoctorCheck("snapshot", True, f"{found.snapshot.parent.name}, {found.snapshot.stat().st_size >> 20} MB")


def _measure_folder(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def _check_run(possible: bool) -> DoctorCheck:
    if not possible:
        return DoctorCheck("first run", False, "not tried")
    began = time.monotonic()
    try:
        async with Sandbox() as box:
            result = await box.run("6 * 7")
            memory = box.info.memory_bytes >> 20
    except ClocheError as error:
        return DoctorCheck("first run", False, str(error))
    detail = f"6 * 7 = {result.value}, after {time.monotonic() - began:.2f} s, in {memory} MB"
    return DoctorCheck("first run", result.value == "42", detail)
