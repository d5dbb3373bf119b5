"""Plugins: set up in a runtime before the first action."""

from cloche.plugins.agent_skills import AgentSkillsPlugin
from cloche.plugins.jupyter import JupyterPlugin

__all__ = ["AgentSkillsPlugin", "JupyterPlugin"]
