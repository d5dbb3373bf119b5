"""The interface of plugins, which are set up in a runtime before the first action."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from cloche.class_lookup import find_class
from cloche.sandbox.pool.template import Template

if TYPE_CHECKING:
    from cloche.runtime.base import Runtime

_OWN = {
    "jupyter": "cloche.plugins.jupyter.JupyterPlugin",
    "agent_skills": "cloche.plugins.agent_skills.AgentSkillsPlugin",
}


class PluginRequirement(Struct, frozen=True):
    """A plugin that a session needs, by its name."""

    name: str


class Plugin(ABC):
    """Something that is set up in a runtime."""

    name: ClassVar[str]

    def template(self) -> Template:
        """Files and code that a pool puts into its spares, so that `initialize` finds its work done."""
        return Template()

    @abstractmethod
    async def initialize(self, runtime: "Runtime") -> None:
        """Set it up; the runtime is connected."""


def find_plugin(name: str) -> Plugin:
    """A plugin of ours or of a package that registers one under the entry point `cloche.plugins`."""
    kind: type[Plugin] = find_class("plugin", name, Plugin, _OWN)
    return kind()
