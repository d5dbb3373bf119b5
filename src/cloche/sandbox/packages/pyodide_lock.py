"""The packages of the Pyodide distribution, from its lock file."""

import hashlib
import os
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec
from packaging.utils import canonicalize_name

from cloche.errors import ConfigError
from cloche.sandbox.cache.assets import assets_dir
from cloche.sandbox.packages.python_target import PythonTarget

VARIABLE = "CLOCHE_PYODIDE_LOCK"


class LockedPackage(msgspec.Struct, frozen=True):
    """One file of the distribution."""

    name: str
    version: str
    file_name: str
    sha256: str
    depends: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    package_type: str = "package"

    @property
    def library(self) -> bool:
        """Whether it is a shared library."""
        return self.package_type == "shared_library"

    @property
    def packaged(self) -> bool:
        """Whether it is a wheel; the rest are libraries and the tests of packages."""
        return self.file_name.endswith(".whl")


class _Info(msgspec.Struct, frozen=True):
    abi_version: str
    python: str


class _File(msgspec.Struct, frozen=True):
    info: _Info
    packages: dict[str, LockedPackage]


class PyodideLock:
    """A parsed lock file."""

    def __init__(self, data: bytes) -> None:
        file = msgspec.json.decode(data, type=_File)
        self.digest = hashlib.sha256(data).hexdigest()[:16]
        self.target = PythonTarget(file.info.python, f"pyemscripten_{file.info.abi_version}_wasm32")
        self.packages: dict[str, LockedPackage] = {
            str(canonicalize_name(each.name)): each for each in file.packages.values() if each.packaged or each.library
        }
        """Wheels and libraries by normalised name."""

    @cached_property
    def modules(self) -> dict[str, str]:
        """The package that provides each module."""
        return {module: name for name, each in self.packages.items() for module in each.imports}

    def libraries(self, names: Iterable[str]) -> list[str]:
        """The shared libraries that these packages need, and those that the libraries need."""
        found: dict[str, None] = {}
        ahead = [canonicalize_name(name) for name in names]
        while ahead:
            known = self.packages.get(ahead.pop())
            for name in map(canonicalize_name, known.depends if known else ()):
                if name not in found and name in self.packages and self.packages[name].library:
                    found[name] = None
                    ahead.append(name)
        return list(found)


def lock_path() -> Path:
    """The lock file: CLOCHE_PYODIDE_LOCK, else the one that came with the engine."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else assets_dir() / "node_modules" / "pyodide" / "pyodide-lock.json"


def load_lock() -> PyodideLock:
    """Read the lock file; cached until it changes."""
    path = lock_path()
    try:
        return _load_lock(path, path.stat().st_mtime_ns)
    except (OSError, msgspec.MsgspecError) as error:
        raise ConfigError(f"The lock file of the Pyodide distribution, {path}, cannot be read: {error}.") from error


@lru_cache(4)
def _load_lock(path: Path, _: int) -> PyodideLock:
    return PyodideLock(path.read_bytes())
