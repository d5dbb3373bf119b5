"""Finds the package that provides a module, with care: a misspelt name may be a malicious package."""

import sys
from difflib import get_close_matches

from cloche.errors import PackageNotFound
from cloche.sandbox.packages.known_names import MODULES, POPULAR
from cloche.sandbox.packages.pyodide_lock import PyodideLock

CLOSE = 0.8
"""How similar two names are, from 0 to 1, if one is taken for a misspelling of the other."""


def find_package(module: str, lock: PyodideLock) -> str:
    """The package to install for `import MODULE`; raises PackageNotFound if it would be too bold a guess."""
    if not module.isidentifier() or module.startswith("_") or len(module) > 100:
        raise PackageNotFound(f"{module[:100]!r} is no module that a package could bring.")
    if module in sys.stdlib_module_names:
        raise PackageNotFound(f"{module} belongs to Python itself, but WebAssembly has no such thing.")
    if name := lock.modules.get(module) or MODULES.get(module):
        return name
    same = module.lower().replace("_", "-")
    if same in lock.packages or same in POPULAR:
        return same
    if near := get_close_matches(module, {*sys.stdlib_module_names, *lock.modules, *MODULES, *POPULAR}, 1, CLOSE):
        raise PackageNotFound(
            f"No module named {module!r}; did you mean {near[0]!r}? If not, install the package that brings it by name."
        )
    return same
