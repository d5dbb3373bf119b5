"""Finds agents by name."""

from typing import Any

from cloche.class_lookup import find_class, list_names
from cloche.config import AppConfig
from cloche.session.agents.agent import Agent

_OWN = {
    "CodeActAgent": "cloche.session.agents.tool_agent.ToolAgent",
    "CodeCellAgent": "cloche.session.agents.code_agent.CodeAgent",
    "ScriptedAgent": "cloche.session.agents.scripted_agent.ScriptedAgent",
}


def find_agent(config: AppConfig, name: str | None = None) -> Agent:
    """The agent of this name, made without arguments; by default the one that the configuration names."""
    return find_agent_class(config, name)()


def find_agent_class(config: AppConfig, name: str | None = None) -> type[Agent]:
    """The class of the agent of this name. It reads what is installed: call it in a thread."""
    name = name or config.core.default_agent
    own = _list_own(config)
    if "." in name and name not in own:
        own[name] = name
    return _find(name, own, hint=", or give the path of a class, `package.module.Class`")


def find_delegate_class(config: AppConfig, name: str) -> type[Agent]:
    """The same for a name that a model gives. It must be a registered one: a path would be code of its choice."""
    return _find(name, _list_own(config))


def _list_own(config: AppConfig) -> dict[str, str]:
    """The paths of our own agents, and of those that the configuration names."""
    default = {config.core.default_agent: config.find_agent()}
    return _OWN | {name: each.classpath for name, each in (default | config.agents).items() if each.classpath}


def _find(name: str, own: dict[str, str], hint: str = "") -> type[Agent]:
    protocol: Any = Agent
    return find_class("agent", name, protocol, own, hint=hint)


def list_agents(config: AppConfig) -> list[str]:
    """The names of all agents, those that the configuration adds included. It reads what is installed."""
    return list_names("agent", _list_own(config))


def needs_model(config: AppConfig, name: str) -> bool:
    """Whether an agent is one of ours that does nothing without a model."""
    return name in ("CodeActAgent", "CodeCellAgent") and not config.find_agent(name).classpath


def is_script(config: AppConfig, name: str) -> bool:
    """Whether an agent only takes the steps that it was given, whatever it is told."""
    return name == "ScriptedAgent" and not config.find_agent(name).classpath
