"""Imports from installed packages: as `FileFinder` does it, but folders are listed once, the bytecode of all modules of
a folder is read at once, and no file is looked at twice, since packages change only when the host says so."""

from __future__ import annotations

import _warnings
import gc
import importlib.util
import marshal
import posix
import sys
from _io import FileIO
from collections.abc import Iterable, Iterator
from importlib import _bootstrap
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import ModuleType
from typing import Any

FOLDER = "/opt/packages"
_BELOW = FOLDER + "/"
_MAGIC = importlib.util.MAGIC_NUMBER
_TAG = f".{sys.implementation.cache_tag}.pyc"
_CODES = f".{sys.implementation.cache_tag}.codes"
_HELD = 4 << 20
"""The most bytes of bytecode that wait for their modules."""
_CALM = 50_000
"""Allocations between two garbage collections, while a package is imported."""

HIDDEN = "<frozen importlib._bootstrap_external>"
"""Tracebacks leave out the import system's own frames, by this name."""

_folders: dict[str, frozenset[str] | None] = {}
_plain: dict[str, frozenset[str]] = {}
"""Modules that are a single source file, by folder."""
_codes: dict[str, dict[str, bytes]] = {}
"""Bytecode by folder and module; dropped after its first use."""
_sizes: dict[str, int] = {}

replaced: set[str] = set()
"""Modules of packages that others replace."""


def _names(folder: str) -> frozenset[str] | None:
    """The names in a folder; None if it is not a folder."""
    try:
        return _folders[folder]
    except KeyError:
        try:
            found = frozenset(posix.listdir(folder))
        except OSError:
            found = None
        _folders[folder] = found
        _plain[folder] = frozenset(_plain_modules(found or ()))
        return found


def _plain_modules(names: Iterable[str]) -> Iterator[str]:
    others = {name.partition(".")[0] for name in names if not name.endswith(".py")}
    return (name[:-3] for name in names if name.endswith(".py") and name[:-3] not in others)


def _code(folder: str, name: str) -> bytes | None:
    try:
        return _codes[folder].pop(name)
    except KeyError:
        return _read_codes(folder).pop(name, None)


def _read_codes(folder: str) -> dict[str, bytes]:
    """The bytecode of the modules in a folder; each package with modules there has a file of it."""
    cache = f"{folder}/__pycache__"
    found: dict[str, bytes] = {}
    size = 0
    try:
        for name in posix.listdir(cache):
            if name.endswith(_CODES) and (data := _read(f"{cache}/{name}"))[:4] == _MAGIC:
                found.update(marshal.loads(memoryview(data)[4:]))
                size += len(data)
    except OSError:
        pass
    if sum(_sizes.values()) + size > _HELD:
        _forget_codes()
    _codes[folder], _sizes[folder] = found, size
    return found


def _read(path: str) -> bytes:
    with FileIO(path) as file:
        return file.readall()


def _forget_codes() -> None:
    _codes.clear()
    _sizes.clear()


class Loader(SourceFileLoader):
    """Loads a module from its bytecode, without reading the source."""

    def get_code(self, fullname: str) -> Any:
        folder, _, name = self.path.rpartition("/")
        data = _code(folder, name[:-3])
        return super().get_code(fullname) if data is None else marshal.loads(data)


class PackageLoader(Loader):
    """The same for a package that is imported from outside, including everything that it imports."""

    def exec_module(self, module: Any) -> None:
        before = gc.get_threshold()
        gc.set_threshold(max(before[0], _CALM) if before[0] else 0, *before[1:])
        try:
            super().exec_module(module)
        finally:
            gc.set_threshold(*before)


PackageLoader.exec_module.__code__ = PackageLoader.exec_module.__code__.replace(co_filename=HIDDEN)


def _find(folder: str, name: str, top: bool) -> ModuleSpec | None:
    names = _names(folder)
    if names is None:
        return None
    last = name.rpartition(".")[2]
    path = f"{folder}/{last}"
    if last in names and (inside := _names(path)) is not None:
        if "__init__.py" in inside:
            return _spec(name, f"{path}/__init__.py", (PackageLoader if top else Loader), path)
        if found := _other(name, f"{path}/__init__", inside, "__init__", path):
            return found
    for suffix in EXTENSION_SUFFIXES:
        if last + suffix in names:
            return _spec(name, path + suffix, ExtensionFileLoader, None)
    if last + ".py" in names:
        return _spec(name, path + ".py", Loader, None)
    if found := _other(name, path, names, last, None):
        return found
    if last in names and _names(path) is not None:
        spec = ModuleSpec(name, None)
        spec.submodule_search_locations = [path]
        return spec
    return None


def _other(name: str, path: str, names: frozenset[str], last: str, folder: str | None) -> ModuleSpec | None:
    """A module without source."""
    loaders = [(ExtensionFileLoader, EXTENSION_SUFFIXES)] if folder else []
    for loader, suffixes in (*loaders, (SourcelessFileLoader, BYTECODE_SUFFIXES)):
        for suffix in suffixes:
            if last + suffix in names:
                return _spec(name, path + suffix, loader, folder)
    return None


def _spec(name: str, path: str, loader: Any, folder: str | None) -> ModuleSpec:
    spec = ModuleSpec(name, loader(name, path), origin=path)
    # The effect of `has_location` and `cached`, without their calls.
    spec._set_fileattr = True
    if folder is not None:
        spec.submodule_search_locations = [folder]
    if issubclass(loader, Loader):
        parent, _, file = path.rpartition("/")
        spec._cached = f"{parent}/__pycache__/{file[:-3]}{_TAG}"
    return spec


class Finder(FileFinder):
    """Finds the modules of one folder of the packages."""

    def find_spec(self, fullname: str, target: Any = None) -> ModuleSpec | None:
        return _find(self.path, fullname, "." not in fullname)


class Within:
    """Finds modules of packages that are already imported, before all other finders."""

    @staticmethod
    def find_spec(name: str, path: Any = None, _target: Any = None) -> ModuleSpec | None:
        if type(path) is not list or len(path) != 1 or type(path[0]) is not str or name in replaced:
            return None
        return _find(path[0], name, False) if path[0].startswith(_BELOW) else None

    @staticmethod
    def invalidate_caches() -> None:
        """Forget the listings of folders."""
        _folders.clear()
        _plain.clear()
        _forget_codes()


def _hook(path: str) -> Finder:
    if path != FOLDER and not path.startswith(_BELOW):
        raise ImportError("not a folder of packages", path=path)
    return Finder(path)


def _find_and_load(name: str, import_: Any) -> Any:
    """Import a plain module of an imported package in one step, and everything else as usual."""
    parent, _, last = name.rpartition(".")
    above = sys.modules.get(parent)
    if above is None or name in sys.modules or name in replaced or sys.meta_path[:1] != [Within]:
        return _find_and_load_anything(name, import_)
    path, package = getattr(above, "__path__", None), getattr(above, "__spec__", None)
    if type(path) is not list or len(path) != 1 or type(path[0]) is not str or type(package) is not ModuleSpec:
        return _find_and_load_anything(name, import_)
    if last not in _plain.get(path[0], ()) or (data := _code(path[0], last)) is None:
        return _find_and_load_anything(name, import_)
    spec = _spec(name, f"{path[0]}/{last}.py", Loader, None)
    package._uninitialized_submodules.append(last)
    try:
        module = _load(spec, parent, data)
    finally:
        package._uninitialized_submodules.pop()
    try:
        setattr(sys.modules[parent], last, module)
    except AttributeError:
        _warnings.warn(f"Cannot set an attribute on {parent!r} for child module {last!r}", ImportWarning, stacklevel=2)
    return module


def _load(spec: ModuleSpec, parent: str, data: bytes) -> Any:
    name = spec.name
    module = ModuleType(name)
    names = module.__dict__
    names["__package__"], names["__loader__"], names["__spec__"] = parent, spec.loader, spec
    names["__file__"], names["__cached__"] = spec.origin, spec._cached
    spec._initializing = True
    try:
        sys.modules[name] = module
        try:
            exec(marshal.loads(data), names)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        # If the module has replaced itself in sys.modules, the replacement counts, and comes last.
        sys.modules[name] = module = sys.modules.pop(name)
    finally:
        spec._initializing = False
    return module


_find_and_load_anything = _bootstrap._find_and_load
_find_and_load.__code__ = _find_and_load.__code__.replace(co_filename=HIDDEN)
_load.__code__ = _load.__code__.replace(co_filename=HIDDEN, co_name="_call_with_frames_removed")


class _NoLock:
    """Replaces the locks of the import system: there is one thread, and locking takes a third of an import."""

    def __init__(self, _name: str = "") -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def install() -> None:
    """Install the finders."""
    _bootstrap._ModuleLockManager = _bootstrap._ImportLockContext = _NoLock
    _bootstrap._lock_unlock_module = lambda _name: None
    _bootstrap._find_and_load = _find_and_load
    sys.path_hooks.insert(0, _hook)
    sys.meta_path.insert(0, Within)
    sys.path_importer_cache.pop(FOLDER, None)
