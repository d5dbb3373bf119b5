"""What a configuration file may contain."""

from msgspec.structs import FieldInfo, fields

from cloche.config.sections import (
    A2AConfig,
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    NamedServer,
    RemoteConfig,
    SandboxConfig,
    Section,
    SecurityConfig,
    ServerConfig,
)

SECTIONS: dict[str, type[Section]] = {
    "core": CoreConfig,
    "sandbox": SandboxConfig,
    "mcp": MCPConfig,
    "a2a": A2AConfig,
    "agent": AgentConfig,
    "llm": LLMConfig,
    "security": SecurityConfig,
    "server": ServerConfig,
    "remote": RemoteConfig,
}

NAMED: dict[str, type[Section]] = {"mcp": NamedServer, "agent": AgentConfig, "llm": LLMConfig}
"""The kind of [section.NAME], if the section has named ones."""

UNUSED = ("condenser", "kubernetes", "extended", "cli", "model_routing")
"""Sections of OpenHands that have no meaning here."""

OTHER_NAMES = {
    "sandbox": {"volumes": "mounts", "runtime_startup_env_vars": "env"},
    "a2a": {"a2a_server_url": "servers"},
}
"""OpenHands' names for keys, by section."""


def list_options(kind: type[Section]) -> dict[str, FieldInfo]:
    """The options of a section, as in a file."""
    known = {field.name: field for field in fields(kind)}
    if kind is MCPConfig:
        # These are sections of their own: [mcp.NAME].
        del known["servers"]
    return known
