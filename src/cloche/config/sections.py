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
    debug: bool = False
    """Whether to log every step, and to add stack traces to the observations of errors."""

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
        return read_either(self.api_key, "api_key_env", self.api_key_env, "the key", env)


KEY_NAMES = {"api_key": "api_key_env", "token": "token_env"}
"""Options that hold a secret, and those that name the environment variable which does instead."""


def read_either(
    value: Secret | None, option: str, variable: str | None, what: str, env: Mapping[str, str]
) -> Secret | None:
    """A secret that may be in an environment variable; raises ConfigError if that is not set."""
    if variable is None:
        return value
    if not (text := env.get(variable)):
        raise ConfigError(
            f'{option} = "{variable}": this environment variable is not set. Set it to {what}, or remove the line'
        )
    return Secret(text)


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


class A2AServer(Keyed, frozen=True, kw_only=True):
    """A server of remote agents."""

    url: Address
    """Its address: what stands before /.well-known/agent-card.json, or all of it."""
    timeout: Annotated[float, Meta(gt=0, le=86_400, description="seconds, above 0 and at most a day")] = 3600.0
    """Seconds one of its tasks may take, if the time limit of the action is not shorter."""


class A2AConfig(Section, frozen=True, kw_only=True):
    """`[a2a]`: remote agents that sessions can give tasks to."""

    servers: tuple[A2AServer, ...] = ()
    """Servers of remote agents: an address, or { url, api_key, api_key_env, timeout }."""


class AgentConfig(Section, frozen=True, kw_only=True):
    """`[agent]`, and `[agent.NAME]` for one agent, which inherits missing values from `[agent]`."""

    llm_config: Name | None = None
    """The NAME of the `[llm.NAME]` it uses; by default `[llm]`."""
    classpath: Name | None = None
    """The dotted path of its class, if it has no registered name."""
    max_tokens_per_task: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] | None = None
    """The most tokens of one task, sent and received; no limit by default."""
    max_seconds_per_task: Seconds | None = None
    """The most time of one task; no limit by default."""


class LLMConfig(Keyed, frozen=True, kw_only=True):
    """`[llm]`, and `[llm.NAME]` for another model, which inherits missing values from `[llm]`."""

    model: Name | None = None
    """The model's name on its server; or `replay:` and a session or a file, whose recorded answers it then gives."""
    base_url: Address | None = None
    """The URL of the server's API; a `[llm.NAME]` with its own does not inherit the key and headers of `[llm]`."""
    api: Literal["openai", "anthropic"] | None = None
    """The API that it speaks; by default OpenAI's, unless its address or the model is Anthropic's."""
    headers: dict[str, Secret] = {}
    """Headers to add to each request."""
    temperature: Annotated[float, Meta(ge=0, le=2, description="a number from 0 to 2")] | None = None
    """The sampling temperature; by default the server decides."""
    max_output_tokens: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] | None = None
    """The most tokens of one answer; by default the server decides."""
    max_input_tokens: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] | None = None
    """The most tokens to send: what the model's context window has room for beside its answer."""
    timeout: Seconds = 120.0
    """Seconds without a token after which a request is aborted."""
    num_retries: Count = 5
    """How often a request is retried if the server is busy or fails."""
    input_cost_per_token: Amount | None = None
    """Price of a token sent, for max_budget_per_task."""
    cached_input_cost_per_token: Amount | None = None
    """Price of a token sent that the server still has from an earlier request; by default as any other."""
    output_cost_per_token: Amount | None = None
    """Price of a token received."""


class SecurityConfig(Section, frozen=True, kw_only=True):
    """`[security]`: what happens before an action runs."""

    confirmation_mode: bool = False
    """Ask the user before an action runs."""
    security_analyzer: Name | None = None
    """The analyzer that judges actions, or several with commas between them: the most severe verdict counts."""
    policy: Name | None = None
    """The file with the rules of the analyzer `rules`; by default those that come with Cloche."""
    confirmation_timeout: Seconds = 600.0
    """Seconds that a question to the user waits for its answer; after that it counts as no."""


class ServerConfig(Section, frozen=True, kw_only=True):
    """`[server]`: who may use `cloche serve`, and how much."""

    host: Name = "127.0.0.1"
    """The address to listen on; others than this machine need a token that was given or created."""
    port: Annotated[int, Meta(ge=0, le=65535, description="a port, 0 for any that is free")] = 8484
    """The port to listen on."""
    names: tuple[str, ...] = ()
    """Names under which clients reach the server, besides those of this machine; `*` for any."""
    cors_origins: tuple[Address, ...] = ()
    """Origins whose pages may use the server, such as https://notes.example.com."""
    tls_cert: str | None = None
    """The file with the certificate, to serve https."""
    tls_key: str | None = None
    """The file with its key."""
    requests_per_second: Annotated[float, Meta(gt=0, le=100_000, description="a number above 0")] = 100.0
    """Requests of one user that are answered in a second, on average; those beyond wait for their turn."""
    upload_mb: Annotated[float, Meta(gt=0, le=100_000, description="megabytes, above 0")] = 100.0
    """The largest file that may be uploaded, in megabytes."""
    upload_files: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] = 1000
    """How many files one upload may have, those inside archives included."""
    upload_types: tuple[str, ...] = ("*",)
    """Extensions of files that may be uploaded, such as .csv; `*` for all."""
    disk_mb: Annotated[float, Meta(gt=0, le=10_000_000, description="megabytes, above 0")] = 10_000.0
    """Megabytes that the files of one user's sessions may take."""
    max_running: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] | None = None
    """Sessions that run at once; by default as many as the memory of this machine allows."""
    max_sessions_per_user: Annotated[int, Meta(ge=1, description="a whole number, 1 or more")] = 20
    """Sessions of one user that run at once."""
    pool_size: Count = 2
    """Sandboxes that are kept ready for new sessions."""
    track_changes: Literal["off", "session", "actions"] = "session"
    """Whether a session can show what changed in its files: not, since its beginning, or by each action too."""
    on_leave: Literal["continue", "pause", "close"] = "continue"
    """What becomes of a session whose agent works when its last client has been gone for `grace` seconds."""
    grace: Seconds = 300.0
    """Seconds after the last client has gone in which it may come back."""


class RemoteConfig(Section, frozen=True, kw_only=True):
    """`[remote]`: the server of the runtime `remote`."""

    url: Address | None = None
    """Its address, as `cloche serve` prints it."""
    token: Secret | None = None
    """The token to log in with."""
    token_env: Variable | None = None
    """The environment variable that holds the token, instead of token."""
    session: Name | None = None
    """The id of a session to use, which is left as it is; by default a new one, which is deleted at the end."""
    keep: bool = False
    """Keep the events and files of a new session."""

    def read_token(self, env: Mapping[str, str] = os.environ) -> Secret | None:
        """The token, if there is one; raises ConfigError if the variable that should hold it is not set."""
        return read_either(self.token, "token_env", self.token_env, "the token", env)


def to_tree(section: Section, *, reveal: bool = False) -> dict[str, Any]:
    """The section as plain values, without those that are not set; secrets are masked by default."""

    def plain(value: object) -> object:
        assert isinstance(value, Secret)
        return value.reveal() if reveal else MASK

    tree: dict[str, Any] = msgspec.to_builtins(section, enc_hook=plain)
    kept = without_none(tree)
    return kept if reveal else mask_secrets(kept)
