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
    group = f"cloche.{what}s"
    load: Callable[[], object] | None = partial(_load_attribute, own[name]) if name in own else None
    for entry in entry_points(group=group, name=name) if load is None else ():
        load = entry.load
    if load is None:
        known = sorted({*own, *entry_points(group=group).names})
        raise ConfigError(f"the {what} {name!r} is not known: known are {', '.join(known)}{hint}")
    try:
        found = load()
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"the {what} {name!r} could not be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise ConfigError(f"the {what} {name!r} is {found!r}, which is no subclass of cloche.runtime.{kind.__name__}")
    return found


def _load_attribute(path: str) -> object:
    module, _, attribute = path.rpartition(".")
    return getattr(import_module(module), attribute)
