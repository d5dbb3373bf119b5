"""`cloche mcp`: the sandbox as an MCP server."""

from typing import TYPE_CHECKING, Any

import click

from cloche.cli.config_option import config_option, load_settings
from cloche.cli.options import config_options
from cloche.options import OPTIONS

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.mcp.serving import ListenAddress

GROUP, RANK = "Serve agents, keep sessions", 21
HELP = "Serve the sandbox to agents and editors by MCP."


@click.command()
@click.option("--http", metavar="HOST:PORT", help="Serve streamable HTTP at /mcp instead of stdio; port 0: any.")
@click.option(
    "--token", envvar="CLOCHE_MCP_TOKEN", help="What HTTP clients must send as bearer token; made if not given."
)
@click.option("--aliases", is_flag=True, help="Also offer tools under the names of earlier servers.")
@click.option("--failures-as-errors", is_flag=True, help="Answer code that fails as an error of its tool (isError).")
@config_options
@config_option
def mcp(http: str | None, token: str | None, config_file: str | None, **given: Any) -> None:
    """Serve the sandbox to an agent or an editor by the Model Context Protocol.

    Over stdio, for a client that starts it itself, every process has one sandbox. With --http every connection has its
    own; clients send the token as `Authorization: Bearer TOKEN`. Options that are not given come from config.toml; with
    --http, the operating system must confine the sandbox unless --confinement says otherwise.

    \b
    cloche mcp                                   for an agent's configuration
    cloche mcp --workspace ~/project --with pandas
    cloche mcp --http 127.0.0.1:8000             prints the token on stderr
    CLOCHE_MCP_TOKEN=... cloche mcp --http 0.0.0.0:8000
    claude mcp add cloche -- cloche mcp -w .

    \b
    {"mcpServers": {"cloche": {"command": "cloche", "args": ["mcp"]}}}

    Exit codes: 0 the client has left, 2 usage, 69 it cannot be served, 130 Ctrl-C.
    """
    import signal
    from functools import partial

    import anyio

    from cloche.mcp.serving import ToolOptions, serve_http, serve_stdio
    from cloche.runtime.remote.mcp_transport import require_mcp

    listen = None if http is None else _parse_address(http, token)
    config = merge_config(config_file, given, serves=listen is not None)
    tool_options = ToolOptions(with_aliases=given["aliases"], failures_as_errors=given["failures_as_errors"])
    require_mcp()
    if listen is None:
        # A thread waits in the system for the next line, and nothing else could end it; sandboxes end with the process.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        anyio.run(partial(serve_stdio, config, **tool_options))
    else:
        anyio.run(partial(serve_http, config, listen, **tool_options))


def _parse_address(text: str, token: str | None) -> "ListenAddress":
    from cloche.mcp.serving import ListenAddress

    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise click.UsageError(f"--http {text}: give HOST:PORT, such as 127.0.0.1:8000")
    if token is not None and (not token.strip() or not token.isascii()):
        raise click.UsageError("--token: give a text of letters, digits and signs that is not empty")
    return ListenAddress(host.strip("[]") or "127.0.0.1", int(port), token)


def merge_config(path: str | None, given: dict[str, Any], *, serves: bool) -> "AppConfig":
    """The configuration in the file, with the given options on top."""
    from msgspec.structs import replace

    from cloche.config import Secret
    from cloche.runtime.sandbox_machine import read_options
    from cloche.sandbox.sandbox import Sandbox

    config = load_settings(path)
    said = {name: value for name, value in given.items() if name in OPTIONS and value not in (None, (), {})}
    if serves and not {"confinement", "sandbox.confinement"} & {*said, *config.origin.sources}:
        # Others may reach it, so the operating system's layer is required.
        said["confinement"] = "require"
    core = replace(config.core, workspace_base=said.pop("workspace", config.core.workspace_base))
    if "secrets" in said:
        said["secrets"] = {host: Secret(_join_headers(headers)) for host, headers in said["secrets"].items()}
    sandbox = replace(
        config.sandbox, **{name: _merge_value(getattr(config.sandbox, name), said[name]) for name in said}
    )
    config = replace(config, sandbox=sandbox, core=core)
    # Checks the options now, not when the first sandbox starts.
    Sandbox(**read_options(config))
    return config


def _merge_value(configured: Any, said: Any) -> Any:
    """Merge a value of the command line: lists and tables are extended, other values replaced."""
    if isinstance(said, tuple):
        return (*configured, *said)
    return configured | said if isinstance(configured, dict) else said


def _join_headers(headers: dict[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers.items())
