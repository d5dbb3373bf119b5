"""Finds a runtime class by name."""

from cloche.runtime.base import Runtime
from cloche.runtime.class_lookup import find_class

_OWN = {"pyodide": "cloche.runtime.pyodide.PyodideRuntime"}


def get_runtime_cls(name: str) -> type[Runtime]:
    """Find a runtime class: one of ours, one that a package registers, or a dotted path such as `pkg.mod.Class`."""
    own = {**_OWN, name: name} if "." in name else _OWN
    return find_class("runtime", name, Runtime, own, hint=", or give the path of a class, `package.module.Class`")
