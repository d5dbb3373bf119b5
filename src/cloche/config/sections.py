"""The sections of the configuration: every option, its default, and what it is for."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from cloche.config.plain_values import without_none
from cloche.config.secret import MASK, Secret, mask_secrets, read_headers
from cloche.config.shared_options import SharedOptions
from cloche.errors import ConfigError
from cloche.paths.user_dirs import data_dir

Seconds = Annotated[float, Meta(gt=0, le=604_800, description="seconds, above 0 and at most a week")]
Count = Annotated[int, Meta(ge=0, description="a whole number, 0 or more")]
Amount = Annotated[float, Meta(ge=0, le=1e9, description="a number, 0 or more")]
Address = Annotated[
    str, Meta(pattern=r"^https?://[^\s/]+\S*$", description="an address that begins with http:// or https://")
]
Variable = Annotated[str, Meta(pattern=r"^[A-Za-z_]\w*$", description="the name of an environment variable")]
Name = Annotated[str, Meta(pattern=r"\S", description="a name in quotes")]


class Section(Struct, frozen=True, kw_only=True):
    """A table of the configuration; secrets are masked when it is printed."""

    def __repr__(self) -> str:
        pairs = ", ".join(f"{name}={mask_secrets(getattr(self, name))!r}" for name in self.__struct_fields__)
        return f"{type(self).__name__}({pairs})"


class CoreConfig(Section, frozen=True, kw_only=True):
    """`[core]`: sessions."""

    runtime: Name = "pyodide"
    """Where actions run: the name of a runtime, or the dotted path of its class."""
    default_agent: Name = "CodeActAgent"
    """The agent of a session that does not name one."""
    workspace_base: str | None = None
    """A folder of this machine to use as /workspace; by default each sandbox has a temporary one."""
    file_store: Literal["local", "memory"] = "local"
    """Where sessions are stored: in files, or in memory until the process ends."""
    file_store_path: str | None = None
    """The folder of these files; by default the user's own data folder."""
    max_iterations: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] = 500
    """Steps an agent may take in one task."""
    max_budget_per_task: Amount | None = None
    """What one task may cost, in the currency of the model's prices; no limit by default."""

    @property
    def store_folder(self) -> Path:
        """The folder in which sessions are kept."""
        return Path(self.file_store_path).expanduser() if self.file_store_path else data_dir()

    @property
    def workspace(self) -> Path | None:
        """The folder to use as /workspace, if one is named."""
        return Path(self.workspace_base).expanduser() if self.workspace_base else None


class SandboxConfig(SharedOptions, Section, frozen=True, kw_only=True):
    """`[sandbox]`: the sandbox of a session, and the time limits of its actions."""

    timeout: Seconds = 120.0
    """Seconds after which an action is answered: a cell is stopped, a command keeps running."""
    no_change_timeout: Seconds = 10.0
    """Seconds without new output after which a command is answered; it keeps running and can be polled."""
    connect_timeout: Seconds = 120.0
    """Seconds to keep trying to reach a runtime."""
    close_delay: Seconds = 3600.0
    """Seconds after which an unused sandbox is closed."""
    plugins: tuple[str, ...] = ("agent_skills", "jupyter")
    """Plugins that are set up in the sandbox."""

    def read_headers(self) -> dict[str, dict[str, str]]:
        """The headers of `secrets`, by host; raises ConfigError for a malformed one."""
        found: dict[str, dict[str, str]] = {}
        for host, secret in self.secrets.items():
            try:
                found[host] = read_headers(secret.reveal().splitlines())
            except ValueError as error:
                raise ConfigError(f"[sandbox] secrets: the secret of {host} {error}.") from None
        return found


class Keyed(Section, frozen=True, kw_only=True):
    """A section with a key, in the file or in an environment variable that it names."""

    api_key: Secret | None = None
    """The key, sent as a bearer token."""
    api_key_env: Variable | None = None
    """The environment variable that holds the key, instead of api_key."""

    def read_key(self, env: Mapping[str, str] = os.environ) -> Secret | None:
        """The key, if there is one; raises ConfigError if the variable that should hold it is not set."""
        if self.api_key_env is None:
            return self.api_key
        if not (value := env.get(self.api_key_env)):
            raise ConfigError(
                f'api_key_env = "{self.api_key_env}": this environment variable is not set. '
                f"Set it to the key, or remove the line"
            )
        return Secret(value)


class StdioServer(Section, frozen=True, kw_only=True):
    """An MCP server that is started as a program on this machine."""

    name: Name
    """The name of the server, for its tools."""
    command: Name
    """The program."""
    args: tuple[str, ...] = ()
    """Its arguments; others on this machine can see them, so put keys into env."""
    env: dict[str, Secret] = {}
    """Environment variables for it."""


class RemoteServer(Keyed, frozen=True, kw_only=True):
    """An MCP server that is reached by its URL."""

    url: Address
    """Its address."""
    timeout: Annotated[float, Meta(gt=0, le=3600, description="seconds, above 0 and at most 3600")] = 60.0
    """Seconds one of its tools may take."""


class NamedServer(RemoteServer, frozen=True, kw_only=True):
    """`[mcp.NAME]`: a named MCP server; the one named pyodide executes the actions of the runtime pyodide."""

    mode: Literal["shttp", "sse"] = "shttp"
    """Its transport: streamable HTTP, or the older event streams."""


class MCPConfig(Section, frozen=True, kw_only=True):
    """`[mcp]`: servers whose tools sessions can call."""

    stdio_servers: tuple[StdioServer, ...] = ()
    """Programs to start: { name, command, args, env }."""
    sse_servers: tuple[RemoteServer, ...] = ()
    """Servers with event streams: an address, or { url, api_key, api_key_env, timeout }."""
    shttp_servers: tuple[RemoteServer, ...] = ()
    """Servers with streamable HTTP, written in the same way."""
    servers: dict[str, NamedServer] = {}
    """The `[mcp.NAME]` sections, by name."""


class AgentConfig(Section, frozen=True, kw_only=True):
    """`[agent]`, and `[agent.NAME]` for one agent, which inherits missing values from `[agent]`."""

    llm_config: Name | None = None
    """The NAME of the `[llm.NAME]` it uses; by default `[llm]`."""
    classpath: Name | None = None
    """The dotted path of its class, if it has no registered name."""


class LLMConfig(Keyed, frozen=True, kw_only=True):
    """`[llm]`, and `[llm.NAME]` for another model, which inherits missing values from `[llm]`."""

    model: Name | None = None
    """The model's name on its server."""
    base_url: Address | None = None
    """The URL of an OpenAI-compatible server; a `[llm.NAME]` with its own does not inherit the key of `[llm]`."""
    temperature: Annotated[float, Meta(ge=0, le=2, description="a number from 0 to 2")] | None = None
    """The sampling temperature; by default the server decides."""
    max_output_tokens: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] | None = None
    """The most tokens of one answer; by default the server decides."""
    timeout: Seconds = 120.0
    """Seconds without a token after which a request is aborted."""
    num_retries: Count = 5
    """How often a request is retried if the server is busy or fails."""
    input_cost_per_token: Amount | None = None
    """Price of a token sent, for max_budget_per_task."""
    output_cost_per_token: Amount | None = None
    """Price of a token received."""


class SecurityConfig(Section, frozen=True, kw_only=True):
    """`[security]`: what happens before an action runs."""

    confirmation_mode: bool = False
    """Ask the user before an action runs."""
    security_analyzer: Name | None = None
    """The analyzer that rates actions."""


def to_tree(section: Section, *, reveal: bool = False) -> dict[str, Any]:
    """The section as plain values, without those that are not set; secrets are masked by default."""

    def plain(value: object) -> object:
        assert isinstance(value, Secret)
        return value.reveal() if reveal else MASK

    tree: dict[str, Any] = msgspec.to_builtins(section, enc_hook=plain)
    kept = without_none(tree)
    return kept if reveal else mask_secrets(kept)
