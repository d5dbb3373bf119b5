"""Finds classes by name: ours, and those that packages register under an entry point."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from cloche.errors import ConfigError

_Kind = TypeVar("_Kind")


def find_class(what: str, name: str, kind: type[_Kind], own: Mapping[str, str], *, hint: str = "") -> type[_Kind]:
    """The class of this name: one of our `own` paths, or one of the entry point `cloche.{what}s`; else ConfigError."""
    group = _group_of(what)
    load: Callable[[], object] | None = partial(_load_attribute, own[name]) if name in own else None
    for entry in entry_points(group=group, name=name) if load is None else ():
        load = entry.load
    if load is None:
        raise ConfigError(f"the {what} {name!r} is not known: known are {', '.join(list_names(what, own))}{hint}")
    try:
        found = load()
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"the {what} {name!r} could not be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, kind)):
        wanted = f"{kind.__module__.rpartition('.')[0]}.{kind.__name__}"
        raise ConfigError(f"the {what} {name!r} is {found!r}, which is no subclass of {wanted}")
    return found


def list_names(what: str, own: Mapping[str, str]) -> list[str]:
    """The names of all classes of a kind: ours, and those that packages register."""
    return sorted({*own, *entry_points(group=_group_of(what)).names})


def _group_of(what: str) -> str:
    return f"cloche.{what.replace(' ', '_')}s"


def _load_attribute(path: str) -> object:
    module, _, attribute = path.rpartition(".")
    return getattr(import_module(module), attribute)
