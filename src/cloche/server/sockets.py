"""Socket.IO: each client follows one session, and says what its user wants."""

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, cast

import anyio
import msgspec
import socketio
from anyio.abc import TaskGroup
from engineio import AsyncServer as Engine
from msgspec import Struct, convert
from socketio.exceptions import ConnectionRefusedError
from socketio.packet import EVENT
from starlette.datastructures import Headers, QueryParams
from starlette.types import ASGIApp

from cloche.limits import SERVER_CONNECTIONS, SERVER_MESSAGE_LIMIT, SERVER_QUEUE, SERVER_STALL
from cloche.server.access.callers import find_own_session
from cloche.server.access.logins import Logins
from cloche.server.access.users import User
from cloche.server.problems import Problem, socket_problem
from cloche.server.session import ClientGone, Session
from cloche.session import HostedSession, NewSession, SessionManager

log = logging.getLogger(__name__)

QUIET = logging.getLogger(f"{__name__}.library")
"""The library logs a trace for each malformed frame, with which anybody could fill the disk."""
QUIET.setLevel(logging.CRITICAL)
NAMESPACE = "/"
INITIALIZE = "initialize"
"""The action with which a client begins a session, or starts the one that it is connected to."""


class Knock(Struct, frozen=True):
    """With what a client connects: in the query, in the `auth` of Socket.IO, or both."""

    conversation_id: str = ""
    token: str = ""
    session_api_key: str = ""
    latest_event_id: int = -1
    client: str = ""
    """`cloche` for clients that know all kinds of events; others get what OpenHands' own client understands."""


class Beginning(NewSession, frozen=True, kw_only=True):
    """What a client may say when it begins a session, under the names of several clients."""

    selected_repository: str | None = None
    selected_branch: str | None = None


class Json:
    """How packets are written and read; events are written once, before."""

    @staticmethod
    def dumps(data: Any, **_: Any) -> str:
        return msgspec.json.encode(data).decode()

    @staticmethod
    def loads(text: str | bytes, **_: Any) -> Any:
        return msgspec.json.decode(text)


class BoundedEngine(Engine):
    """Waits while a client has much unread, where the library would keep everything for it."""

    def create_queue(self, *_: Any, **__: Any) -> Any:
        return super().create_queue(maxsize=SERVER_QUEUE)


class BoundedServer(socketio.AsyncServer):
    def _engineio_server_class(self) -> type[Engine]:
        return BoundedEngine

    async def send_to(self, number: str, name: str, data: Any) -> None:
        """Send an event to one client; nothing if it is gone."""
        # `emit` starts a task for each event and waits for it, which takes as long as all else of a replay.
        connection = cast("Any", self).manager.eio_sid_from_sid(number, NAMESPACE)
        if connection is not None:
            await self.eio.send(connection, f"{EVENT}{Json.dumps([name, data])}")


class Sockets:
    """All clients that are connected now."""

    def __init__(
        self, manager: SessionManager, logins: Logins, stopping: anyio.Event, *, stall: float = SERVER_STALL
    ) -> None:
        """`stall` is for how many seconds a client may leave everything unread."""
        self._manager = manager
        self._stall = stall
        self._stopping = stopping
        self._logins = logins
        self._clients: dict[str, Client] = {}
        self._tasks: TaskGroup | None = None
        # Handlers run one after the other for a client, so that its actions keep their order.
        self._server = BoundedServer(
            async_mode="asgi",
            async_handlers=False,
            cors_allowed_origins=[],
            json=Json,
            max_http_buffer_size=SERVER_MESSAGE_LIMIT,
            logger=QUIET,
            engineio_logger=QUIET,
        )
        self._server.on("connect", self._connect)
        self._server.on("disconnect", self._disconnect)
        for name in ("oh_user_action", "oh_action"):
            self._server.on(name, self._take)

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """The application, with Socket.IO before it."""
        return socketio.ASGIApp(self._server, app)

    def __len__(self) -> int:
        return len(self._clients)

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)

    async def close(self) -> None:
        """Disconnect everybody."""
        for number in list(self._clients):
            with anyio.move_on_after(1):
                await self._server.disconnect(number)
        if self._server.eio.service_task_handle is not None:
            with anyio.move_on_after(1):
                await self._server.shutdown()

    async def _connect(self, number: str, environ: dict[str, Any], auth: object = None) -> None:
        try:
            client = await self._admit(number, environ["asgi.scope"], auth)
        except Exception as error:  # the border of a request: its client is told
            raise ConnectionRefusedError(socket_problem(error)) from error
        self._clients[number] = client
        if client.session is not None:
            self._begin(client, client.session)

    async def _admit(self, number: str, scope: Any, auth: object) -> "Client":
        if self._tasks is None or self._stopping.is_set():
            raise Problem(503, "stopping", "the server is being stopped", fix="Connect again later.")
        if len(self._clients) >= SERVER_CONNECTIONS:
            raise Problem(503, "connections", f"{SERVER_CONNECTIONS} clients are connected", fix="Try again later.")
        knock = _read_knock(scope, auth)
        user = await self._find_user(scope, knock)
        client = Client(number, user, stock=knock.client != "cloche")
        if knock.conversation_id:
            hosted = await find_own_session(self._manager, user, knock.conversation_id)
            client.session = self._make_session(client, hosted, knock.latest_event_id)
        return client

    async def _find_user(self, scope: Any, knock: Knock) -> User:
        user: User | None = scope.get("user")
        if user is None and (token := knock.token or knock.session_api_key):
            user = await self._logins.find(token)
        if user is None:
            raise Problem(401, "no_token", "no valid token came with the connection", fix='Send auth: {"token": ...}.')
        return user

    def _make_session(self, client: "Client", hosted: HostedSession, after_id: int) -> Session:
        async def send(name: str, data: Any) -> None:
            with anyio.move_on_after(self._stall):
                await self._server.send_to(client.number, name, data)
                return
            log.info("a client of %s does not read: it is disconnected", hosted.sid)
            self._drop(client.number)
            raise ClientGone

        return Session(hosted, client.user, send, after_id=after_id, stock=client.stock)

    def _begin(self, client: "Client", session: Session) -> None:
        """Follow the session until the client leaves."""
        client.session = session
        assert self._tasks is not None, "a client is admitted while there are tasks"
        self._tasks.start_soon(self._follow, client, session)

    async def _follow(self, client: "Client", session: Session) -> None:
        with client.scope:
            try:
                await session.run()
            except Exception:  # the border of a connection: it must not end the others
                log.exception("a client of %s could not be served", session.hosted.sid)
        self._drop(client.number)

    def _drop(self, number: str) -> None:
        """Disconnect a client, without waiting for it."""
        if self._tasks is not None and number in self._clients:
            self._tasks.start_soon(self._end, number)

    async def _end(self, number: str) -> None:
        with anyio.move_on_after(1):
            await self._server.disconnect(number)
        client = self._clients.pop(number, None)
        if client is not None:
            client.scope.cancel()

    async def _disconnect(self, number: str, _: object = None) -> None:
        client = self._clients.pop(number, None)
        if client is not None:
            client.scope.cancel()

    async def _take(self, number: str, data: object = None, *_: object) -> dict[str, Any]:
        client = self._clients.get(number)
        if client is None:
            return socket_problem(Problem(401, "no_token", "the connection was not admitted"))
        wish = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        if wish.get("action") == INITIALIZE:
            return await self._initialize(client, wish.get("args") or {})
        if client.session is None:
            return socket_problem(
                Problem(
                    409, "no_session", "this connection has no session", fix=f"Send the action `{INITIALIZE}` first."
                )
            )
        return await client.session.take(data)

    async def _initialize(self, client: "Client", wanted: object) -> dict[str, Any]:
        """Begin a session as this client wants it, or start the one that it is connected to."""
        try:
            if not client.user.may_run:
                raise Problem(403, "read_only", f"the token of {client.user.name} may only read")
            given = _read_beginning(wanted)
            if client.session is None:
                hosted = await self._manager.create(client.user.name, given)
                self._begin(client, self._make_session(client, hosted, -1))
            else:
                hosted = client.session.hosted
                hosted.start_soon()
        except Exception as error:  # noqa: BLE001 - the border of a request: its client is told
            return socket_problem(error)
        return {"conversation_id": hosted.sid}


class Client:
    """One connection."""

    def __init__(self, number: str, user: User, *, stock: bool) -> None:
        self.number = number
        self.user = user
        self.stock = stock
        self.session: Session | None = None
        self.scope = anyio.CancelScope()


def _read_knock(scope: Any, auth: object) -> Knock:
    given: dict[str, object] = {**QueryParams(scope.get("query_string", b"").decode("latin-1"))}
    if isinstance(auth, Mapping):
        given.update(cast("Mapping[str, object]", auth))
    bearer = Headers(scope=scope).get("authorization", "")
    if bearer.lower().startswith("bearer "):
        given.setdefault("token", bearer[7:].strip())
    try:
        return convert(given, Knock, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", f"the connection could not be read: {error}") from error


def _read_beginning(wanted: object) -> NewSession:
    try:
        given = convert(wanted, Beginning)
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", f"`{INITIALIZE}`: {error}") from error
    plain = {name: getattr(given, name) for name in NewSession.__struct_fields__}
    plain["repository"] = given.repository or given.selected_repository
    plain["branch"] = given.branch or given.selected_branch
    return NewSession(**plain)
