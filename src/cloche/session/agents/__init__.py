"""Agents: they choose the next actions of a session."""

from cloche.session.agents.agent import Agent, StepState
from cloche.session.agents.registry import find_agent, list_agents

__all__ = ["Agent", "StepState", "find_agent", "list_agents"]
