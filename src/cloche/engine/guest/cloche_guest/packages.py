"""What Python remembers of installed packages when they change."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

from cloche_guest import importing
from cloche_guest.importing import FOLDER

_NO_CTYPES = "ctypes is closed in this sandbox: it reaches raw memory; native modules of installed packages do work"


class Finder:
    """Asked last for a module that nobody found."""

    @staticmethod
    def find_spec(name: str, _path: Any = None, _target: Any = None) -> None:
        """Find nothing, and say why where the reason is known."""
        if name == "_ctypes":
            raise ModuleNotFoundError(_NO_CTYPES, name=name)


def install() -> None:
    """Put the finder in place."""
    sys.meta_path.append(Finder)


def forget(removed: str) -> None:
    """Drop the modules of packages that are gone, so that an import finds what is there now.

    `removed` has a list of files for each. A package with native code stays as it is: that cannot be loaded again.
    """
    importing.Within.invalidate_caches()
    for files in json.loads(removed):
        gone = {f"{FOLDER}/{file}" for file in files}
        modules = {name: module for name, module in list(sys.modules.items()) if _file(module) in gone}
        if not any(isinstance(getattr(one, "__loader__", None), ExtensionFileLoader) for one in modules.values()):
            for name in modules:
                del sys.modules[name]


def _file(module: object) -> str | None:
    file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
    return file if isinstance(file, str) else None
