"""Empty wheels that tell pip a package is already there, so that it does not look for it."""

import logging
import re
import shutil
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import msgspec
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from cloche.sandbox.cache.assets import ENGINE, cache_dir
from cloche.sandbox.cache.file_lock import hold_lock
from cloche.sandbox.cache.folder_store import find_new_damage, replace_folder, write_manifest
from cloche.sandbox.cache.usage import touch_used
from cloche.sandbox.packages.pyodide_lock import PyodideLock

log = logging.getLogger(__name__)

FORMAT = 2
LAST = "py30-none-any"
"""The tag that pip likes least: every other wheel of the same version is preferred."""


_EXTRA = re.compile(r"extra *== *['\"]([^'\"]+)['\"]")


class StubWheel(msgspec.Struct, frozen=True):
    """A package that pip should take for installed."""

    name: str
    version: str
    requires: tuple[str, ...] = ()

    def file_name(self, tag: str) -> str:
        """The name of its wheel."""
        return f"{self.name.replace('-', '_')}-{Version(self.version)}-{tag}.whl"

    def write(self, folder: Path, tag: str) -> None:
        """Write its wheel into a folder."""
        info = f"{self.name.replace('-', '_')}-{Version(self.version)}.dist-info"
        head = f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n"
        extras = sorted({extra for each in self.requires for extra in _EXTRA.findall(each)})
        head += "".join(f"Provides-Extra: {extra}\n" for extra in extras)
        files = {
            "METADATA": head + "".join(f"Requires-Dist: {' '.join(each.split())}\n" for each in self.requires),
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: cloche\nRoot-Is-Purelib: true\nTag: {tag}\n",
        }
        with zipfile.ZipFile(folder / self.file_name(tag), "w") as archive:
            for name, text in files.items():
                archive.writestr(f"{info}/{name}", text)
            archive.writestr(f"{info}/RECORD", "".join(f"{info}/{name},,\n" for name in [*files, "RECORD"]))


def ensure_distribution_stubs(lock: PyodideLock) -> Path:
    """The folder with a stub of each package of the Pyodide distribution; made if it is missing or damaged."""
    target = cache_dir() / "packages" / "stubs" / f"{lock.digest}-{FORMAT}"
    touch_used(target)
    if not find_new_damage(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # Pruning holds this lock too.
    with hold_lock(target.with_suffix(".lock")):
        # Its previous holder may have made them.
        if wrong := find_new_damage(target):
            if target.is_dir():
                log.warning("damaged in the cache, made again: %s/%s", target, wrong[0])
            _make_stubs(lock, target)
    return target


def _make_stubs(lock: PyodideLock, target: Path) -> None:
    stage = Path(tempfile.mkdtemp(prefix=".tmp-", dir=target.parent))
    try:
        whole = stage / "whole"
        whole.mkdir()
        for stub in _list_stubs(lock):
            stub.write(whole, LAST)
        write_manifest(whole)
        replace_folder(stage, whole, target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


@cache
def list_base_stubs() -> tuple[StubWheel, ...]:
    """The packages that every sandbox comes with."""
    lines = (ENGINE / "languages" / "python" / "requirements.txt").read_text().splitlines()
    pinned = (line.split()[0].split("==") for line in lines if "==" in line)
    return tuple(StubWheel(canonicalize_name(name), version) for name, version in pinned)


def _list_stubs(lock: PyodideLock) -> list[StubWheel]:
    """Shared libraries are left out: an index must not be asked for their names."""
    wheels = {name: each for name, each in lock.packages.items() if not each.library and _is_version(each.version)}
    return [
        StubWheel(name, each.version, tuple(dep for dep in map(canonicalize_name, each.depends) if dep in wheels))
        for name, each in wheels.items()
    ]


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
