"""Imports from installed packages: as `FileFinder` does it, but their folders are listed once and no file is looked at
twice, since packages change only when the host says so."""

from __future__ import annotations

import gc
import importlib.util
import marshal
import os
import posix
import sys
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
from typing import Any

FOLDER = "/opt/packages"
_BELOW = FOLDER + "/"
_HEAD = importlib.util.MAGIC_NUMBER + b"\1\0\0\0"
_TAG = f".{sys.implementation.cache_tag}.pyc"
_PIECE = 1 << 15
_CALM = 50_000
"""Objects that may come up before the garbage collector looks at them, while a package is imported."""

HIDDEN = "<frozen importlib._bootstrap_external>"
"""Tracebacks leave out what the import system itself has on the stack, by this name."""

_folders: dict[str, frozenset[str] | None] = {}


def _names(folder: str) -> frozenset[str] | None:
    """What a folder holds; nothing if it is none."""
    try:
        return _folders[folder]
    except KeyError:
        try:
            found = frozenset(posix.listdir(folder))
        except OSError:
            found = None
        _folders[folder] = found
        return found


class Loader(SourceFileLoader):
    """Loads a module from its bytecode, without a look at the source."""

    def get_code(self, fullname: str) -> Any:
        folder, _, name = self.path.rpartition("/")
        try:
            data = _read(f"{folder}/__pycache__/{name[:-3]}{_TAG}")
        except OSError:
            return super().get_code(fullname)
        if data[:8] != _HEAD:
            return super().get_code(fullname)
        return marshal.loads(memoryview(data)[16:])


class PackageLoader(Loader):
    """The same for a package that is imported from outside: everything it imports comes at once."""

    def exec_module(self, module: Any) -> None:
        before = gc.get_threshold()
        gc.set_threshold(max(before[0], _CALM) if before[0] else 0, *before[1:])
        try:
            super().exec_module(module)
        finally:
            gc.set_threshold(*before)


PackageLoader.exec_module.__code__ = PackageLoader.exec_module.__code__.replace(co_filename=HIDDEN)


def _read(path: str) -> bytes:
    file = posix.open(path, os.O_RDONLY)
    try:
        data = posix.read(file, _PIECE)
        if len(data) < _PIECE:
            return data
        pieces = [data]
        while data := posix.read(file, _PIECE * 8):
            pieces.append(data)
        return b"".join(pieces)
    finally:
        posix.close(file)


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
    spec.has_location = True
    if folder is not None:
        spec.submodule_search_locations = [folder]
    if isinstance(spec.loader, Loader):
        parent, _, file = path.rpartition("/")
        spec.cached = f"{parent}/__pycache__/{file[:-3]}{_TAG}"
    return spec


class Finder(FileFinder):
    """Finds the modules of one folder of the packages."""

    def find_spec(self, fullname: str, target: Any = None) -> ModuleSpec | None:
        return _find(self.path, fullname, "." not in fullname)


class Within:
    """Finds what belongs to a package that is already imported, before anybody else is asked."""

    @staticmethod
    def find_spec(name: str, path: Any = None, _target: Any = None) -> ModuleSpec | None:
        if type(path) is list and len(path) == 1 and type(path[0]) is str and path[0].startswith(_BELOW):
            return _find(path[0], name, False)
        return None

    @staticmethod
    def invalidate_caches() -> None:
        """Forget what the folders hold."""
        _folders.clear()


def _hook(path: str) -> Finder:
    if path != FOLDER and not path.startswith(_BELOW):
        raise ImportError("not a folder of packages", path=path)
    return Finder(path)


class _NoLock:
    """Stands for the locks of the import system: there is one thread, and taking them is a third of an import."""

    def __init__(self, _name: str = "") -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def install() -> None:
    """Put the finders in place."""
    _bootstrap._ModuleLockManager = _bootstrap._ImportLockContext = _NoLock
    _bootstrap._lock_unlock_module = lambda _name: None
    sys.path_hooks.insert(0, _hook)
    sys.meta_path.insert(0, Within)
    sys.path_importer_cache.pop(FOLDER, None)
