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
"""The kind of [section.NAME], where there is one."""

UNUSED = ("condenser", "kubernetes", "extended", "cli", "model_routing")
"""Sections that OpenHands has, and that say nothing here."""

NO_EFFECT_YET: dict[str, frozenset[str]] = {
    "core": frozenset({"default_agent", "max_iterations", "max_budget_per_task"}),
    "agent": frozenset(field.name for field in fields(AgentConfig)),
    "llm": frozenset(field.name for field in fields(LLMConfig)),
    "security": frozenset(field.name for field in fields(SecurityConfig)),
}
"""Settings that are read and checked, but that no part of this version uses: those of agents."""

OTHER_NAMES = {"volumes": "mounts", "runtime_startup_env_vars": "env"}
"""Keys of [sandbox] as OpenHands has them."""


def list_options(kind: type[Section]) -> dict[str, FieldInfo]:
    """The options of a section as a file gives them."""
    known = {field.name: field for field in fields(kind)}
    if kind is MCPConfig:
        # These are sections of their own, [mcp.NAME].
        del known["servers"]
    return known
