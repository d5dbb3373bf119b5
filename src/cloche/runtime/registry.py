"""Finds the class of a runtime by its name."""

from importlib import import_module
from importlib.metadata import entry_points

from cloche.errors import ConfigError
from cloche.runtime.base import Runtime

GROUP = "cloche.runtimes"
_OWN = {"pyodide": "cloche.runtime.pyodide:PyodideRuntime"}


def get_runtime_cls(name: str) -> type[Runtime]:
    """The class behind a name: one of ours, one that a package registers, or a dotted path such as `pkg.mod.Class`."""
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        return _checked(name, getattr(import_module(module), attribute))
    for entry in entry_points(group=GROUP, name=name):
        return _checked(name, entry.load())
    if "." in name:
        return _checked(name, _load(name))
    raise ConfigError(
        f"the runtime {name!r} is not known: {_known()}, or give the path of a class, `package.module.Class`"
    )


def _load(path: str) -> object:
    module, _, attribute = path.rpartition(".")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the runtime {path!r} could not be loaded: {error}") from error


def _checked(name: str, found: object) -> type[Runtime]:
    if not (isinstance(found, type) and issubclass(found, Runtime)):
        raise ConfigError(f"the runtime {name!r} is {found!r}, which is no subclass of cloche.runtime.Runtime")
    return found


def _known() -> str:
    return f"known are {', '.join(sorted({*_OWN, *(entry.name for entry in entry_points(group=GROUP))}))}"
