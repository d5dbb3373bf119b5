"""The application that `/mcp` leads to: the one of `cloche mcp`, on the sessions of the server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import Receive, Scope, Send

from cloche.config import AppConfig
from cloche.limits import SERVER_MCP_CLIENTS
from cloche.mcp.app import create_app, dismiss_all
from cloche.mcp.client_sessions import ClientSessions
from cloche.mcp.server import write_instructions
from cloche.server.access.users import User
from cloche.server.mcp.hosted_sandbox import HostedSandboxes
from cloche.session import SessionManager

KEPT = "stays with the session, which the `session` argument may name"


@asynccontextmanager
async def open_part(config: AppConfig, manager: SessionManager) -> AsyncGenerator["McpApp"]:
    """The application; it serves inside the block."""
    part = McpApp(config, manager)
    async with part.app.router.lifespan_context(part.app):
        yield part


class McpApp:
    """Serves MCP to users that were found already."""

    def __init__(self, config: AppConfig, manager: SessionManager) -> None:
        sandboxes = HostedSandboxes(manager)
        self._sessions = ClientSessions(config, places=SERVER_MCP_CLIENTS, open_sandbox=sandboxes.open)
        self.app = create_app(
            config,
            find_user=None,
            # The gate has checked the names already.
            host="0.0.0.0",
            sessions=self._sessions,
            instructions=write_instructions(config, kept=KEPT),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app({**scope, "user": _adapt_user(scope["user"])}, receive, send)

    async def end(self) -> None:
        """Answer the calls that run, and end all connections."""
        await dismiss_all(self.app, self._sessions)


def _adapt_user(user: User) -> AuthenticatedUser:
    """The user as the MCP library knows users: it lets nobody else use a connection."""
    return AuthenticatedUser(AccessToken(token="", client_id=user.name, scopes=sorted(user.scopes)))
