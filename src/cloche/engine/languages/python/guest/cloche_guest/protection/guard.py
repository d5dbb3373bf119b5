"""Repairs damage that a cell did to the interpreter itself, so that the next cell works."""

from __future__ import annotations

import builtins
import contextlib
import os
import signal
import sys
from importlib.machinery import FileFinder
from types import ModuleType
from typing import Any

from cloche_guest.programs import streams

_KEPT = ("IPython", "traitlets", "pygments", "asyncio", "os", "posix", "io", "_io", "sys", "builtins", "time", "json",
         "traceback", "linecache", "tokenize", "ast", "re", "types", "signal", "subprocess", "contextlib", "codeop",
         "collections", "copy", "dataclasses", "enum", "functools", "inspect", "itertools", "keyword", "operator",
         "reprlib", "string", "textwrap", "typing", "warnings", "weakref", "codecs", "encodings", "stat", "posixpath",
         "contextvars", "abc", "token", "pyodide", "threading")  # fmt: skip
_CORE = (
    "len", "isinstance", "issubclass", "getattr", "setattr", "hasattr", "delattr", "type", "dict", "list", "str",
    "int", "float", "tuple", "set", "frozenset", "super", "callable", "id", "iter", "next", "repr", "sorted",
    "any", "all", "zip", "map", "range", "min", "max", "sum", "bool", "bytes", "object", "property", "vars",
    "compile", "exec", "eval", "enumerate", "reversed", "filter", "abs", "hash", "__import__", "__build_class__",
    "BaseException", "Exception",
)  # fmt: skip

_names = builtins.__dict__
_saved_names: dict[str, Any] = {}
_saved_keys: frozenset[str] = frozenset()
_core: dict[str, Any] = {}
_modules = sys.modules
_saved_modules: dict[str, Any] = {}
_saved_contents: list[tuple[dict[str, Any], dict[str, Any]]] = []
_saved_finders: dict[str, list[Any]] = {}
_folders: dict[str, Any] = {"count": -1, "finders": []}
_interrupt: list[Any] = [signal.default_int_handler]


def remember_interpreter(on_interrupt: Any) -> None:
    """Note the state of a working interpreter."""
    global _saved_keys
    _saved_names.update(_names)
    for volatile in ("_", "get_ipython"):
        _saved_names.pop(volatile, None)
    _saved_keys = frozenset(_saved_names)
    _core.update({name: _saved_names[name] for name in _CORE})
    modules = {name: module for name, module in _modules.items() if type(module) is ModuleType}
    _saved_modules.update({name: module for name, module in modules.items() if name.split(".")[0] in _KEPT})
    _saved_contents[:] = [(vars(module), dict(vars(module))) for module in _saved_modules.values() if module is not sys]
    _interrupt[0] = on_interrupt
    remember_finders()


def remember_finders() -> None:
    """Note where modules are searched."""
    for name in ("meta_path", "path_hooks", "path"):
        _saved_finders[name] = list(getattr(sys, name))


def restore_builtins() -> None:
    """Restore built-in names; nothing here may use one before that."""
    if not _saved_keys <= _names.keys():
        for name in _saved_keys:
            if name not in _names:
                _names[name] = _saved_names[name]
    if not _core.items() <= _names.items():
        _names.update(_core)


def restore_everything() -> None:
    """Restore every built-in name and everything in important modules, even where a cell has put its own."""
    _names.update(_saved_names)
    _modules.update(_saved_modules)
    for names, saved in _saved_contents:
        names.update(saved)
    restore_interpreter()
    _restore_folder()


def restore_interpreter() -> None:
    """Restore whatever the machinery needs."""
    restore_builtins()
    sys.settrace(None)
    sys.setprofile(None)
    if sys.getrecursionlimit() < 500:
        sys.setrecursionlimit(1000)
    if sys.modules is not _modules:
        sys.modules = _modules
    if not _saved_modules.keys() <= _modules.keys():
        _modules.update({name: module for name, module in _saved_modules.items() if name not in _modules})
    for name, finders in _saved_finders.items():
        present = getattr(sys, name, None)
        if not isinstance(present, list) or not present:
            setattr(sys, name, list(finders))
    streams.restore_streams()
    restore_interrupt()
    _forget_folders()


def restore_interrupt() -> None:
    """Reclaim the interrupt from a cell that took it."""
    if signal.getsignal(signal.SIGINT) is not _interrupt[0]:
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, _interrupt[0])


def _restore_folder() -> None:
    try:
        os.stat(".")  # noqa: PTH116 - the cheapest look at the current folder
    except OSError:
        for folder in ("/workspace", "/"):
            with contextlib.suppress(OSError):
                os.chdir(folder)
                return


def _forget_folders() -> None:
    # The shell and the host change files too, faster than a folder's time stamp shows.
    known = sys.path_importer_cache
    if len(known) != _folders["count"]:
        found = [one for one in known.values() if type(one) is FileFinder and not one.path.startswith(("/lib", "/opt"))]
        _folders.update(count=len(known), finders=found)
    for finder in _folders["finders"]:
        finder.invalidate_caches()
