"""The kinds of actions and observations: one declaration each, and every list made from it."""

import inspect
import pkgutil
from importlib import import_module
from typing import get_args

import pytest

import cloche.events
from cloche.events import kinds
from cloche.events.actions import Action, AgentAction, RunnableAction
from cloche.events.observations import Observation

FAMILIES = [module.name for module in pkgutil.iter_modules(kinds.__path__)]


def declared(family: str) -> dict[str, type]:
    """The structs that a family's file declares."""
    module = import_module(f"cloche.events.kinds.{family}")
    own = inspect.getmembers(module, inspect.isclass)
    return {name: kind for name, kind in own if kind.__module__ == module.__name__ and name == kind.__name__}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_a_family_is_public(family: str) -> None:
    module = import_module(f"cloche.events.kinds.{family}")
    assert set(module.__all__) == set(declared(family))
    assert set(module.__all__) <= set(cloche.events.__all__)
    assert all(getattr(cloche.events, name) is kind for name, kind in declared(family).items())


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_a_family_can_be_read_from_the_wire(family: str) -> None:
    unions = {"Action": get_args(Action), "Observation": get_args(Observation)}
    for name, kind in declared(family).items():
        for ending, union in unions.items():
            assert (kind in union) is name.endswith(ending), name


def test_what_says_that_it_is_runnable_is_executed_by_runtimes() -> None:
    assert all(kind.runnable for kind in get_args(RunnableAction))
    assert not any(kind.runnable for kind in get_args(AgentAction))


def test_no_name_is_listed_twice() -> None:
    assert len(cloche.events.__all__) == len(set(cloche.events.__all__))
