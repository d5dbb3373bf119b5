"""Finds a runtime class by name."""

from cloche.class_lookup import find_class, list_names
from cloche.runtime.base import Runtime

_OWN = {
    "pyodide": "cloche.runtime.pyodide.PyodideRuntime",
    "remote": "cloche.runtime.remote.remote_runtime.RemoteRuntime",
}


def get_runtime_cls(name: str) -> type[Runtime]:
    """Find a runtime class: one of ours, one that a package registers, or a dotted path such as `pkg.mod.Class`."""
    own = {**_OWN, name: name} if "." in name else _OWN
    return find_class("runtime", name, Runtime, own, hint=", or give the path of a class, `package.module.Class`")


def list_runtimes() -> list[str]:
    """The names of all runtimes."""
    return list_names("runtime", _OWN)
