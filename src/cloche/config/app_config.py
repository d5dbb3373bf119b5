"""AppConfig: the whole configuration."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from msgspec import Struct

from cloche.config.sections import (
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    SandboxConfig,
    Section,
    SecurityConfig,
    to_tree,
)
from cloche.config.wording import format_header, variable_name
from cloche.errors import ConfigError

Keys = tuple[str, ...]


class Origin(Struct, frozen=True, kw_only=True):
    """Where a configuration came from."""

    file: Path | None = None
    """The file that was read, if there was one."""
    looked_for: tuple[Path, ...] = ()
    """The files that were looked for, in this order."""
    sources: Mapping[str, str] = {}
    """Where each value came from that is not a default, by `section.key`."""
    notes: tuple[str, ...] = ()
    """What the user should know, a sentence each."""


class AppConfig(Struct, frozen=True, kw_only=True):
    """The configuration of sessions; `AppConfig()` has every default."""

    core: CoreConfig = CoreConfig()
    sandbox: SandboxConfig = SandboxConfig()
    mcp: MCPConfig = MCPConfig()
    agent: AgentConfig = AgentConfig()
    agents: dict[str, AgentConfig] = {}
    """The `[agent.NAME]` sections, by name."""
    llm: LLMConfig = LLMConfig()
    llms: dict[str, LLMConfig] = {}
    """The `[llm.NAME]` sections, by name."""
    security: SecurityConfig = SecurityConfig()
    origin: Origin = Origin()
    """Where it came from."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages for the user about this configuration."""
        return self.origin.notes

    def find_agent(self, name: str | None = None) -> AgentConfig:
        """The settings of an agent: those of `[agent.NAME]`, else of `[agent]`; by default for `core.default_agent`."""
        return self.agents.get(name or self.core.default_agent, self.agent)

    def find_llm(self, name: str | None = None) -> LLMConfig:
        """The settings of `[llm.NAME]`, or of `[llm]` without a name; raises ConfigError if it does not exist."""
        if name is None:
            return self.llm
        if name not in self.llms:
            raise ConfigError(self._missing(("llm", name), "model"))
        return self.llms[name]

    def require(self, path: str) -> Any:
        """The value at `section.key` or `section.NAME.key`; if it is not set, raises a ConfigError that says how to."""
        *above, name = path.split(".")
        section = dict(self.tables()).get(tuple(above))
        value = None if section is None else getattr(section, name)
        if value is None or value == "":
            raise ConfigError(self._missing(tuple(above), name))
        return value

    def tables(self) -> Iterator[tuple[Keys, Section]]:
        """Every section and its keys, in the order of a file."""
        yield ("core",), self.core
        yield ("sandbox",), self.sandbox
        yield ("mcp",), self.mcp
        yield from ((("mcp", name), server) for name, server in self.mcp.servers.items())
        yield ("agent",), self.agent
        yield from ((("agent", name), agent) for name, agent in self.agents.items())
        yield ("llm",), self.llm
        yield from ((("llm", name), llm) for name, llm in self.llms.items())
        yield ("security",), self.security

    def to_tree(self, *, reveal: bool = False) -> dict[str, Any]:
        """The configuration as plain values, as in a file; secrets are masked by default."""
        tree: dict[str, Any] = {}
        for (section, *name), table in self.tables():
            values = to_tree(table, reveal=reveal)
            # Sections of their own, which come next.
            values.pop("servers", None)
            if name:
                tree[section][name[0]] = values
            else:
                tree[section] = values
        return tree

    def _missing(self, keys: Keys, name: str) -> str:
        near = [".".join(each) for each, _ in self.tables() if len(each) == len(keys) == 2]
        close = get_close_matches(".".join(keys), near, n=1, cutoff=0.8)
        hint = f" There is [{close[0]}]: did you mean that?" if close and close[0] != ".".join(keys) else ""
        if self.origin.file:
            place = f"{self.origin.file}: {format_header(keys)} {name} is not set.{hint} Add to this file"
        else:
            looked = ", ".join(map(str, self.origin.looked_for)) or "none was looked for"
            place = (
                f"{format_header(keys)} {name} is not set, and there is no config.toml ({looked}).{hint} Write one with"
            )
        return f'{place}:\n  {format_header(keys)}\n  {name} = "..."\nor set {variable_name(*keys, name)}'
