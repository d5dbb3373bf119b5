"""The application below `/a2a`: every session as an agent, and one agent that begins sessions."""

import hashlib
import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import anyio
from a2a.server.context import ServerCallContext
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.types import Message
from a2a.utils.errors import InvalidParamsError, TaskNotFoundError
from anyio.abc import TaskGroup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message as HttpMessage
from starlette.types import Receive, Scope, Send

from cloche.config import AppConfig
from cloche.errors import ClocheError, SessionUnknown
from cloche.limits import SERVER_BODY_LIMIT, SERVER_STALL
from cloche.server.access.callers import find_own_session
from cloche.server.access.users import User
from cloche.server.agents.card import answer_card, make_server_card, make_session_card
from cloche.server.agents.following import Followers
from cloche.server.agents.handler import SessionFinder, TaskHandler
from cloche.server.agents.session_tasks import SessionTasks
from cloche.server.agents.values import split_task_id
from cloche.server.problems import Problem, answer_error, make_problem_response
from cloche.server.wire import read_body
from cloche.session import HostedSession, NewSession, SessionManager

log = logging.getLogger(__name__)

SESSION, USER = "cloche.session", "cloche.user"
"""The keys of the session and its user in what belongs to a request."""
CARD = "/.well-known/agent-card.json"
ROOT = "/a2a"
NEW = "new"
"""Stands in the address for a session that is begun for each context."""


@asynccontextmanager
async def open_part(config: AppConfig, manager: SessionManager) -> AsyncGenerator["AgentApp"]:
    """The application; it serves inside the block."""
    # The library logs a trace for each malformed request, with which anybody could fill the disk.
    logging.getLogger("a2a").setLevel(logging.CRITICAL)
    async with anyio.create_task_group() as tasks:
        yield AgentApp(config, manager, tasks)
        tasks.cancel_scope.cancel()


class AgentApp:
    """Serves the protocol to users that were found already."""

    def __init__(self, config: AppConfig, manager: SessionManager, tasks: TaskGroup) -> None:
        self._config = config
        self._manager = manager
        self._followers = Followers(tasks)
        handler = TaskHandler(ContextSessions(manager), self._followers, SessionTasks())
        builder, place = _ContextBuilder(), f"{ROOT}/{{sid}}"
        rest = create_rest_routes(handler, builder, enable_v0_3_compat=True, path_prefix=place)
        self._app = Starlette(
            routes=[
                Route(f"{place}{CARD}", self._show_card),
                *create_jsonrpc_routes(handler, place, builder, enable_v0_3_compat=True),
                # Without the routes of tenants, which would be of any name.
                *(each for each in rest if isinstance(each, Route)),
            ],
            exception_handlers=dict.fromkeys((Problem, ClocheError, Exception), answer_error),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            session = await self._find_session(scope)
            body = await _read_text(Request(scope, receive))
        except (Problem, ClocheError) as error:
            await make_problem_response(error, scope["path"])(scope, receive, send)
            return
        with suppress_stalled():
            await self._app({**scope, SESSION: session}, _replay(body, receive), _hurry(send))

    async def end(self) -> None:
        """Let streams come to their end."""
        self._followers.end()

    async def _find_session(self, scope: Scope) -> HostedSession | None:
        sid = scope["path"].removeprefix(ROOT).lstrip("/").partition("/")[0]
        return None if sid == NEW else await find_own_session(self._manager, scope["user"], sid)

    async def _show_card(self, request: Request) -> Response:
        hosted: HostedSession | None = request.scope[SESSION]
        origin = f"{request.url.scheme}://{request.headers['host']}{ROOT}"
        if hosted is None:
            agent = self._config.core.default_agent if self._manager.has_agent else None
            return answer_card(make_server_card(agent, f"{origin}/{NEW}"), request)
        return answer_card(make_session_card(hosted, await hosted.view(), f"{origin}/{hosted.sid}"), request)


class ContextSessions(SessionFinder):
    """The session whose address was asked; at the address for new ones, the session that is the context."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    async def for_message(self, message: Message, context: ServerCallContext) -> HostedSession:
        given, wanted, user = context.state[SESSION], message.context_id, _find_user(context)
        if given is not None:
            return given
        if not wanted:
            return await self._manager.create(user.name, NewSession(title="A2A"))
        if (found := await self._find(wanted, user)) is not None:
            return found
        # A context of the client's own: it becomes the same session each time.
        sid = hashlib.sha256("\0".join(("a2a", user.name, wanted)).encode()).hexdigest()[:32]
        new = NewSession(title=f"A2A: {wanted[:100]}")
        return await self._find(sid, user) or await self._manager.create(user.name, new, sid=sid)

    async def for_context(self, context_id: str, context: ServerCallContext) -> HostedSession:
        given = context.state[SESSION]
        if given is None and not context_id:
            raise InvalidParamsError(message="tasks are listed by their context: give a contextId")
        found = given or await self._find(context_id, _find_user(context))
        if found is None or context_id not in ("", found.sid):
            raise InvalidParamsError(message=f"there is no context {context_id[:100]} here")
        return found

    async def for_task(self, task_id: str, context: ServerCallContext) -> HostedSession:
        place, given = split_task_id(task_id), context.state[SESSION]
        found = given or (None if place is None else await self._find(place[0], _find_user(context)))
        if place is None or found is None or place[0] != found.sid:
            raise TaskNotFoundError(message=f"there is no task {task_id[:100]} here")
        return found

    async def _find(self, sid: str, user: User) -> HostedSession | None:
        try:
            return await find_own_session(self._manager, user, sid)
        except (Problem, SessionUnknown):
            return None


def _find_user(context: ServerCallContext) -> User:
    return context.state[USER]


class _ContextBuilder(DefaultServerCallContextBuilder):
    """Gives handlers the session and the user of a request."""

    def build(self, request: Request) -> ServerCallContext:
        context = super().build(request)
        context.state.update({SESSION: request.scope[SESSION], USER: request.scope["user"]})
        return context


class Stalled(OSError):
    """The client does not read."""


@contextmanager
def suppress_stalled() -> Generator[None]:
    """A client that does not read is left alone: it can follow its task again."""
    try:
        yield
    except* Stalled:
        log.info("a client of an agent does not read: it is disconnected")


async def _read_text(request: Request) -> bytes:
    """The body of a request, which is measured before the library reads it."""
    body = await read_body(request, SERVER_BODY_LIMIT)
    try:
        body.decode()
    except UnicodeError as error:
        raise Problem(400, "malformed", f"the body is no JSON: {error}") from error
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body, which was read, and then what comes."""
    waiting = [body]

    async def again() -> HttpMessage:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def _hurry(send: Send) -> Send:
    async def hurry(message: HttpMessage) -> None:
        with anyio.move_on_after(SERVER_STALL):
            await send(message)
            return
        raise Stalled

    return hurry
