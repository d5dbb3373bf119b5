"""The MCP server as a web application, with a token for each user."""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloche.config import AppConfig
from cloche.limits import MCP_MESSAGE_LIMIT, MCP_SESSIONS
from cloche.mcp.hosts import LOCAL, HostCheck
from cloche.mcp.server import create_server, user_of
from cloche.mcp.serving import Listen
from cloche.mcp.sessions import Owner, Sessions
from cloche.mcp.tool import Tool

FindUser = Callable[[str], Awaitable[str | None]]
"""Gives the name of the user whom a token belongs to, None if it is no good."""
PATH = "/mcp"


def create_app(
    config: AppConfig | None = None,
    *,
    find_user: FindUser | None,
    host: str = "127.0.0.1",
    with_aliases: bool = False,
    failures_as_errors: bool = False,
    sessions: Sessions | None = None,
    more_tools: Sequence[Tool[Any]] = (),
) -> Starlette:
    """An application that serves MCP at /mcp to those who have a token; without `find_user`, to everybody.

    If `host` is not of this machine only, requests to any name are answered: other sites' pages cannot have the token.
    Where it is mounted in another one, that one's lifespan must run `app.router.lifespan_context(app)`.
    """
    config = config or AppConfig()
    sessions = sessions or Sessions(config)
    server = create_server(
        sessions,
        config,
        with_aliases=with_aliases,
        failures_as_errors=failures_as_errors,
        more_tools=more_tools,
    )
    verifier = None if find_user is None else _Verifier(find_user)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # Host and Origin are checked before it, more strictly.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        token_verifier=verifier,
        max_request_body_size=MCP_MESSAGE_LIMIT,
        session_idle_timeout=config.sandbox.close_delay,
        max_sessions=MCP_SESSIONS * 4,
    )
    app.add_middleware(_Leaving, sessions=sessions)
    if verifier is not None:
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    if Listen(host, 0).is_local:
        app.add_middleware(HostCheck, names=(*LOCAL, host))
    return app


def tokens(known: Mapping[str, str]) -> FindUser:
    """Users by their tokens, compared in constant time."""

    async def find(token: str) -> str | None:
        found = [user for each, user in known.items() if hmac.compare_digest(each.encode(), token.encode())]
        return found[0] if found else None

    return find


class _Verifier:
    """Our users as the MCP library wants them."""

    def __init__(self, find_user: FindUser) -> None:
        self._find_user = find_user

    async def verify_token(self, token: str) -> AccessToken | None:
        user = await self._find_user(token)
        return None if user is None else AccessToken(token=token, client_id=user, scopes=[])


class _Leaving:
    """Closes the sandbox of a connection that its client ends."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "DELETE":
            await self._app(scope, receive, send)
            return
        answered: list[int] = []

        async def watch(message: Message) -> None:
            answered.append(message.get("status", 0))
            await send(message)

        await self._app(scope, receive, watch)
        connection = dict(scope["headers"]).get(b"mcp-session-id")
        if 200 in answered and connection is not None:
            await self._sessions.end(Owner("connection", user_of(scope), connection.decode("latin-1")))
