"""Plugins: what is set up in a runtime before the first action."""

from abc import ABC, abstractmethod
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from cloche.errors import ConfigError

if TYPE_CHECKING:
    from cloche.runtime.base import Runtime

GROUP = "cloche.plugins"
_OWN = {
    "jupyter": "cloche.plugins.jupyter:JupyterPlugin",
    "agent_skills": "cloche.plugins.agent_skills:AgentSkillsPlugin",
}


class PluginRequirement(Struct, frozen=True):
    """A plugin that a session wants, by its name."""

    name: str


class Plugin(ABC):
    """Something that is set up in a runtime."""

    name: ClassVar[str]

    @abstractmethod
    async def initialize(self, runtime: "Runtime") -> None:
        """Set it up; the runtime is connected."""


def find_plugin(name: str) -> Plugin:
    """A plugin of ours or of a package that registers one under the entry point `cloche.plugins`."""
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        return getattr(import_module(module), attribute)()
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = sorted({*_OWN, *(entry.name for entry in entry_points(group=GROUP))})
        raise ConfigError(f"the plugin {name!r} is not known: known are {', '.join(known)}")
    return next(iter(found)).load()()
