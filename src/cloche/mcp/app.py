"""The MCP server as a web application, with a token for each user."""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloche.config import AppConfig
from cloche.limits import MCP_CONNECTIONS, MCP_MESSAGE_LIMIT
from cloche.mcp.client_sessions import ClientSessions
from cloche.mcp.clients import CLIENT_IN_SCOPE, HttpClient
from cloche.mcp.host_check import LOCAL, HostCheck
from cloche.mcp.server import create_server, user_of
from cloche.mcp.serving import ListenAddress
from cloche.mcp.session_key import SessionKey
from cloche.mcp.tool import Tool

FindUser = Callable[[str], Awaitable[str | None]]
"""Returns the user that a token belongs to, None if it is invalid."""
PATH = "/mcp"
CONNECTION_HEADER = b"mcp-session-id"
"""The header with the name of a connection."""
LAST_ANSWERS = 2.0
"""Seconds in which calls that were ended are answered, before connections are ended too."""


def create_app(
    config: AppConfig | None = None,
    *,
    find_user: FindUser | None,
    host: str = "127.0.0.1",
    with_aliases: bool = False,
    failures_as_errors: bool = False,
    sessions: ClientSessions | None = None,
    more_tools: Sequence[Tool[Any]] = (),
    instructions: str | None = None,
) -> Starlette:
    """An application that serves MCP at /mcp to those who have a token; without `find_user`, to everybody.

    If other machines can reach `host`, the `Host` header is not checked: pages of other sites do not have the token.
    An application that mounts it must run `app.router.lifespan_context(app)` in its own lifespan.
    """
    config = config or AppConfig()
    sessions = sessions or ClientSessions(config)
    server = create_server(
        sessions,
        config,
        with_aliases=with_aliases,
        failures_as_errors=failures_as_errors,
        more_tools=more_tools,
        instructions=instructions,
    )
    verifier = None if find_user is None else _Verifier(find_user)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # HostCheck checks Host and Origin more strictly.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        token_verifier=verifier,
        max_request_body_size=MCP_MESSAGE_LIMIT,
        session_idle_timeout=config.sandbox.close_delay,
        # Higher than our own limit, which closes unused ones: connections that are being opened are counted too.
        max_sessions=MCP_CONNECTIONS * 2,
    )
    app.add_middleware(_Watch, sessions=sessions)
    if verifier is not None:
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    if ListenAddress(host, 0).is_local:
        app.add_middleware(HostCheck, names=(*LOCAL, host))
    return app


def tokens(known: Mapping[str, str]) -> FindUser:
    """Find users by their tokens, which are compared in constant time."""

    async def find(token: str) -> str | None:
        found = [user for each, user in known.items() if hmac.compare_digest(each.encode(), token.encode())]
        return found[0] if found else None

    return find


class _Verifier:
    """Adapts `find_user` to the MCP library."""

    def __init__(self, find_user: FindUser) -> None:
        self._find_user = find_user

    async def verify_token(self, token: str) -> AccessToken | None:
        user = await self._find_user(token)
        return None if user is None else AccessToken(token=token, client_id=user, scopes=[])


class _Watch:
    """Tracks which clients are connected, and closes the sandbox of a client that leaves."""

    def __init__(self, app: ASGIApp, sessions: ClientSessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = dict(scope["headers"]).get(CONNECTION_HEADER)
        if name is None:
            await self._open(scope, receive, send)
            return
        client = self._sessions.clients.find(_make_key(scope, name))
        if client is None:
            await self._app(scope, receive, send)
        else:
            await self._serve(client, scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request without a connection; its response may open one."""
        clients = self._sessions.clients
        before = dict(scope)
        if _may_open(scope) and len(clients) >= MCP_CONNECTIONS and (unused := clients.longest_unused()):
            await self._dismiss(unused)

        async def watch(message: Message) -> None:
            name = (
                dict(message.get("headers", ())).get(CONNECTION_HEADER)
                if message["type"] == "http.response.start"
                else None
            )
            if name is not None and message["status"] == 200:
                clients.add(_make_key(scope, name), before)
            await send(message)

        await self._app(scope, receive, watch)

    async def _serve(self, client: HttpClient, scope: Scope, receive: Receive, send: Send) -> None:
        statuses: list[int] = []
        scope[CLIENT_IN_SCOPE] = client
        with client.request(waits=scope["method"] == "GET") as answering:

            async def watch(message: Message) -> None:
                statuses.append(message.get("status", 0))
                answering.sent(message)
                await send(message)

            async def listen() -> Message:
                message = await receive()
                answering.received(message)
                return message

            await self._app(scope, listen, watch)
        if scope["method"] == "DELETE" and 200 in statuses:
            self._sessions.leave(client)
            await self._sessions.end(client.owner)

    async def _dismiss(self, client: HttpClient) -> None:
        """End a connection as its client would."""
        self._sessions.leave(client)
        await _send_leave(self._app, client)
        await self._sessions.end(client.owner)


async def dismiss_all(app: ASGIApp, sessions: ClientSessions) -> None:
    """Answer the calls that run, and end all connections: a server that stops need not wait for them then."""
    await sessions.end_all()
    clients = sessions.clients.list_clients()
    with anyio.move_on_after(LAST_ANSWERS):
        for client in clients:
            await client.answered()
    for client in clients:
        await _send_leave(app, client)


async def _send_leave(app: ASGIApp, client: HttpClient) -> None:
    headers = [(CONNECTION_HEADER, client.owner.name.encode("latin-1"))]

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ignore(_: Message) -> None:
        """The response is not needed."""

    await app({**client.scope, "method": "DELETE", "headers": headers}, receive, ignore)


def _may_open(scope: Scope) -> bool:
    """Whether a request may open a connection: its user is known, and its protocol has connections."""
    user: object = scope.get("user")
    version = dict(scope["headers"]).get(b"mcp-protocol-version", b"").decode("latin-1")
    return getattr(user, "is_authenticated", True) and version not in MODERN_PROTOCOL_VERSIONS


def _make_key(scope: Scope, name: bytes) -> SessionKey:
    return SessionKey("connection", user_of(scope), name.decode("latin-1"))
