"""Replaces modules on import that would use a browser's network or raw memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from cloche_guest.net import fetching, httpx2
from cloche_guest.packages import package_imports
from cloche_guest.protection import ctypes_sizes
from cloche_guest.system import accounts, databases, usage


def _no_injection() -> None:
    """Leave urllib3 as it is: its own connections work here."""


def _http() -> dict[str, Any]:
    names = fetching.http_names()
    return {**names, "__all__": [*names, "pyxhr"], "__path__": []}


_MODULES: dict[str, Callable[[], dict[str, Any]]] = {
    "urllib3.contrib.emscripten": lambda: {"inject_into_urllib3": _no_injection, "__path__": []},
    "pyodide.http": _http,
    "httpx2_jsfetch": httpx2.transports,
    "pwd": accounts.users,
    "grp": accounts.groups,
    "resource": usage.names,
    "dbm": databases.package_names,
    "dbm.sqlite3": databases.module_names,
    "pyodide.http.pyxhr": lambda: {**(names := fetching.xhr_names()), "__all__": list(names)},
}


class Finder:
    """Finds our own modules instead of others."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find our module, if there is one."""
        loader: Any = self
        return ModuleSpec(fullname, loader) if fullname in _MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as usual."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module."""
        names = _MODULES[module.__name__]()
        for value in names.values():
            if getattr(value, "__module__", "").startswith("cloche_guest"):
                value.__module__ = module.__name__
        vars(module).update(names)
        if module.__name__ == "pyodide.http":
            import pyodide.http.pyxhr  # noqa: F401 # pyright: ignore[reportUnusedImport] - it is an attribute of the package


def install() -> None:
    """Run before code that has a reference to them, even if that was imported earlier."""
    for name in [name for name in sys.modules if name in _MODULES or name.startswith("pyodide.http")]:
        del sys.modules[name]
    package_imports.replaced.update(_MODULES)
    sys.meta_path.insert(1, Finder())


def close_memory() -> None:
    """Replace ctypes too, from now on; closing the interpreter needs the real one before."""
    _MODULES["ctypes"] = ctypes_sizes.names
    package_imports.replaced.add("ctypes")
