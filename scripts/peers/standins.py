"""Light stand-ins for packages that a suite imports and its tests of a runtime never use."""

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Anything(type):
    """A class of which every attribute is there, as another such class."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _make_class(name)


class _Thing(Exception, metaclass=_Anything):
    """A stand-in for a class or a function. Of Exception, since it may stand in an `except`."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return _make_class(name)()

    def __call__(self, *_: object, **__: object) -> Any:
        return _make_class("result")()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> dict[str, str]:
        return {"type": "any"}


def _make_class(name: str) -> type:
    return _Anything(name, (_Thing,), {"__doc__": "A stand-in."})


class _StandIn(ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, _make_class(name))
        return getattr(self, name)


class StandIns(MetaPathFinder, Loader):
    """Finds stand-ins for the packages and all that is in them."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = tuple(packages)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A stand-in for one of the packages or what is in it."""
        if not any(fullname == each or fullname.startswith(f"{each}.") for each in self._packages):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module that has every name."""
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be done."""


def stand_in(packages: Sequence[str]) -> None:
    """Put stand-ins in the place of these packages, installed or not, so that every machine runs the same."""
    sys.meta_path.insert(0, StandIns(packages))
