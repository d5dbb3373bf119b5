"""What a configuration file may contain."""

from msgspec.structs import FieldInfo, fields

from cloche.config.sections import (
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    NamedServer,
    SandboxConfig,
    Section,
    SecurityConfig,
)

SECTIONS: dict[str, type[Section]] = {
    "core": CoreConfig,
    "sandbox": SandboxConfig,
    "mcp": MCPConfig,
    "agent": AgentConfig,
    "llm": LLMConfig,
    "security": SecurityConfig,
}

NAMED: dict[str, type[Section]] = {"mcp": NamedServer, "agent": AgentConfig, "llm": LLMConfig}
"""The kind of [section.NAME], if the section has named ones."""

UNUSED = ("condenser", "kubernetes", "extended", "cli", "model_routing")
"""Sections of OpenHands that have no meaning here."""

NO_EFFECT_YET: dict[str, frozenset[str]] = {
    "core": frozenset({"default_agent", "max_iterations", "max_budget_per_task"}),
    "agent": frozenset(field.name for field in fields(AgentConfig)),
    "llm": frozenset(field.name for field in fields(LLMConfig)),
    "security": frozenset(field.name for field in fields(SecurityConfig)),
}
"""Settings that are read and checked, but not used in this version: those of agents."""

OTHER_NAMES = {"volumes": "mounts", "runtime_startup_env_vars": "env"}
"""OpenHands' names for keys of [sandbox]."""


def list_options(kind: type[Section]) -> dict[str, FieldInfo]:
    """The options of a section, as in a file."""
    known = {field.name: field for field in fields(kind)}
    if kind is MCPConfig:
        # These are sections of their own: [mcp.NAME].
        del known["servers"]
    return known
