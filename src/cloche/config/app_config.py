"""AppConfig: the whole configuration."""

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from cloche.config.plain_values import is_table
from cloche.config.secret import Secret
from cloche.config.sections import (
    KEY_NAMES,
    A2AConfig,
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    RemoteConfig,
    SandboxConfig,
    Section,
    SecurityConfig,
    ServerConfig,
    to_tree,
)
from cloche.config.wording import format_header, variable_name
from cloche.errors import ConfigError

Keys = tuple[str, ...]
KEY_LENGTH = 12
"""Secrets with fewer characters are taken for placeholders where text is searched for them."""


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
    a2a: A2AConfig = A2AConfig()
    agent: AgentConfig = AgentConfig()
    agents: dict[str, AgentConfig] = {}
    """The `[agent.NAME]` sections, by name."""
    llm: LLMConfig = LLMConfig()
    llms: dict[str, LLMConfig] = {}
    """The `[llm.NAME]` sections, by name."""
    security: SecurityConfig = SecurityConfig()
    server: ServerConfig = ServerConfig()
    remote: RemoteConfig = RemoteConfig()
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
        yield ("a2a",), self.a2a
        yield ("agent",), self.agent
        yield from ((("agent", name), agent) for name, agent in self.agents.items())
        yield ("llm",), self.llm
        yield from ((("llm", name), llm) for name, llm in self.llms.items())
        yield ("security",), self.security
        yield ("server",), self.server
        yield ("remote",), self.remote

    def to_tree(self, *, reveal: bool = False) -> dict[str, Any]:
        """The configuration as plain values, as in a file; secrets are masked by default."""
        tree: dict[str, Any] = {}
        for (section, *name), table in self.tables():
            values = to_tree(table, reveal=reveal)
            if isinstance(table, MCPConfig):
                # Sections of their own, which come next.
                values.pop("servers", None)
            if name:
                tree[section][name[0]] = values
            else:
                tree[section] = values
        return tree

    def list_secrets(self) -> dict[str, str]:
        """The keys and the values of headers in it, by where they stand: what no event and no log may show.

        What is too short for a key, such as the `none` that local servers are given, is left out.
        """
        found: dict[str, str] = {}
        for keys, section in self.tables():
            for name, value in _find_secrets(section):
                # A header may name a scheme before its key: "Authorization: Bearer ...".
                for number, part in enumerate(value.replace("\n", " ").split()):
                    if len(part) >= KEY_LENGTH and not part.endswith(":"):
                        found[f"{'.'.join((*keys, name))} {number}"] = part
        return found

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


def _find_secrets(section: Section) -> Iterator[tuple[str, str]]:
    """The secrets of a section by their names, also those that the environment holds and those in tables and lists."""
    for variable in filter(None, (getattr(section, name, None) for name in KEY_NAMES.values())):
        if value := os.environ.get(variable):
            yield variable, value
    for name in section.__struct_fields__:
        value: object = getattr(section, name)
        if isinstance(value, Secret):
            yield name, value.reveal()
        elif is_table(value):
            yield from ((f"{name} {key}", each.reveal()) for key, each in value.items() if isinstance(each, Secret))
        elif isinstance(value, tuple):
            several = cast("tuple[object, ...]", value)
            inner = [found for each in several if isinstance(each, Section) for found in _find_secrets(each)]
            yield from ((f"{name} {number} {key}", secret) for number, (key, secret) in enumerate(inner))
