"""Tools of MCP servers."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk

__all__ = ["MCPAction", "MCPObservation"]


class MCPAction(Struct, frozen=True):
    """Call a tool of an MCP server."""

    kind: ClassVar[str] = "call_tool_mcp"
    runnable: ClassVar[bool] = True

    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return (
            f"I am interacting with the MCP server with name:\n```\n{self.name}\n```\n"
            f"and arguments:\n```\n{self.arguments}\n```"
        )


class MCPObservation(Struct, frozen=True):
    """What a tool of an MCP server answered, as JSON."""

    kind: ClassVar[str] = "mcp"

    content: str
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def message(self) -> str:
        return self.content


ToolAction = MCPAction
ToolObservation = MCPObservation
