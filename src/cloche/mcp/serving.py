"""Serves MCP over stdio or HTTP until stopped. The MCP library is imported while a sandbox starts."""

import logging
import secrets
import socket
import sys
from contextlib import nullcontext
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypedDict, Unpack

import anyio
from anyio import to_thread
from msgspec import Struct

from cloche.config import AppConfig
from cloche.errors import ConfigError
from cloche.limits import MCP_SILENCE
from cloche.mcp.client_sessions import ClientSessions

if TYPE_CHECKING:
    from starlette.applications import Starlette


class ListenAddress(Struct, frozen=True):
    """Where to serve HTTP, and to whom."""

    host: str
    port: int
    token: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


class ToolOptions(TypedDict, total=False):
    """How tools are offered, with any transport."""

    with_aliases: bool
    """Whether tools are also offered under the names of earlier servers."""
    failures_as_errors: bool
    """Whether code that fails is an error of its tool."""


async def serve_stdio(config: AppConfig, **tool_options: Unpack[ToolOptions]) -> None:
    """Serve one client over stdin and stdout, until it closes them."""
    async with ClientSessions(config) as sessions:
        sessions.prepare()
        await to_thread.run_sync(_load_modules, "mcp.server.stdio", "cloche.mcp.server", "cloche.mcp.stdin_reader")
        from mcp.server.stdio import stdio_server

        from cloche.mcp.server import create_server
        from cloche.mcp.stdin_reader import Item, pass_on_messages

        server = create_server(nullcontext(sessions), config, **tool_options)
        async with stdio_server() as (lines, write), anyio.create_task_group() as tasks:
            messages, read = anyio.create_memory_object_stream[Item]()
            tasks.start_soon(pass_on_messages, lines, messages, write.send)
            await server.run(read, write, server.create_initialization_options())


async def serve_http(config: AppConfig, listen: ListenAddress, **tool_options: Unpack[ToolOptions]) -> None:
    """Serve clients over HTTP; prints the address to stderr, and the token if none was given."""
    if listen.token is None and not listen.is_local:
        raise ConfigError(
            f"others could reach {listen.host}: give a token with --token or CLOCHE_MCP_TOKEN, or listen on 127.0.0.1"
        )
    with open_socket(listen) as listening:
        token = listen.token or secrets.token_urlsafe(24)
        port = listening.getsockname()[1]
        _print_line(f"Serving MCP on http://{_bracket_host(listen.host)}:{port}/mcp")
        if listen.token is None:
            _print_line(f"Token: {token}")
        await to_thread.run_sync(_load_modules, "uvicorn", "cloche.mcp.app")
        from cloche.mcp.app import create_app, tokens

        sessions = ClientSessions(config)
        app = create_app(
            config, find_user=tokens({token: "owner"}), host=listen.host, sessions=sessions, **tool_options
        )
        await _serve_http(app, listening, sessions)


def open_socket(listen: ListenAddress, *, option: str = "--http") -> socket.socket:
    """A socket that listens at this address; an error names the option that chose it."""
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listening = socket.create_server((listen.host, listen.port), family=family)
    except OSError as error:
        raise ConfigError(
            f"{option} {_bracket_host(listen.host)}:{listen.port} cannot be listened on: {error.strerror or error}. "
            "Choose another port, or 0 for any that is free"
        ) from error
    # Inherited by connections. Without it, small messages wait 40 ms for the other side to acknowledge earlier ones.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Detects clients whose machine has disappeared.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, MCP_SILENCE)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, MCP_SILENCE)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 3 * MCP_SILENCE * 1000)
    return listening


async def _serve_http(app: "Starlette", listening: socket.socket, sessions: ClientSessions) -> None:
    import uvicorn

    class Web(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # Running calls are answered first, so that shutting down does not wait for them.
            await sessions.end_all()
            await super().shutdown(sockets)

    # Its records go where the others go.
    config = uvicorn.Config(
        app, log_config=None, log_level=logging.WARNING, access_log=False, timeout_graceful_shutdown=3
    )
    await Web(config).serve(sockets=[listening])


def _load_modules(*names: str) -> None:
    for name in names:
        import_module(name)


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _print_line(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
