"""The sandbox of an MCP client that is a session of the server, so that others can watch it."""

import hashlib
import logging
from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from uuid import uuid4

import anyio
from msgspec.structs import replace

from cloche.errors import SandboxUnavailable, SessionError, SessionUnknown
from cloche.events import ErrorObservation, Event, Observation, is_action, is_observation
from cloche.limits import MCP_NOTICES
from cloche.mcp.client_sandbox import ClientSandbox
from cloche.mcp.server import DEFAULT
from cloche.mcp.session_key import SessionKey
from cloche.runtime import PyodideRuntime
from cloche.runtime.codes import ACTION_FAILED
from cloche.runtime.live_output import OnOutput
from cloche.runtime.verbs import Work
from cloche.server.access.users import OWNER
from cloche.server.mcp.executed_action import execute_heard
from cloche.session import AgentSession, HostedSession, NewSession, SessionManager

log = logging.getLogger(__name__)

RESTARTED = (
    "[The session was closed meanwhile: variables and installed packages are gone, files in /workspace are kept.]"
)
EMPTIED = "[The session was closed meanwhile, and its sandbox with it: this is a new, empty one.]"
WAS_CLOSED = "the session was closed while the code ran"


class HostedSandboxes:
    """Gives the clients of MCP sessions of a server."""

    def __init__(self, manager: SessionManager) -> None:
        self.manager = manager
        self._seen: OrderedDict[SessionKey, str] = OrderedDict()

    def open(self, owner: SessionKey, client: str) -> "HostedSandbox":
        """The sandbox of an owner, whose client has this name."""
        return HostedSandbox(self, owner, client)

    def see(self, owner: SessionKey, id: str) -> bool:
        """Note which sandbox an owner uses now; returns whether it was another one before."""
        before = self._seen.pop(owner, id)
        self._seen[owner] = id
        while len(self._seen) > MCP_NOTICES:
            self._seen.popitem(last=False)
        return before != id

    def forget(self, owner: SessionKey) -> None:
        """Note that an owner knows that the next sandbox is a new one."""
        self._seen.pop(owner, None)


class HostedSandbox(ClientSandbox):
    """One session, which begins when it is first used. It outlives its client: its events stay."""

    def __init__(self, all: HostedSandboxes, owner: SessionKey, client: str) -> None:
        self._all = all
        self._owner = owner
        self._client = client
        self._hosted: HostedSession | None = None
        self._finding = anyio.Lock()
        self._calls: set[anyio.CancelScope] = set()
        self._notice = ""

    @property
    def session(self) -> str | None:
        return None if self._hosted is None else self._hosted.sid

    @property
    def runtime(self) -> PyodideRuntime | None:
        session = self._running
        runtime = None if session is None else session.runtime
        return runtime if isinstance(runtime, PyodideRuntime) else None

    @property
    def id(self) -> str:
        session = self._running
        return "" if session is None else f"{session.sid}/{session.first_event}"

    async def open(self) -> PyodideRuntime:
        hosted = await self._find()
        runtime = (await hosted.start()).runtime
        if not isinstance(runtime, PyodideRuntime) or runtime.box is None:
            raise SandboxUnavailable(
                f"the tools cannot use the session {hosted.sid}: its runtime is `{hosted.runtime}`, whose sandbox is "
                "not in this server. Give another `session`"
            )
        if self._all.see(self._owner, self.id):
            self._notice = RESTARTED if (await hosted.view()).workspace_kept else EMPTIED
        return runtime

    async def perform(self, action: Event, work: Work) -> Observation:
        hosted = await self._find()
        with anyio.CancelScope() as call:
            self._calls.add(call)
            try:
                return _body_of(await hosted.perform(action, work, notes=action.cloche))
            finally:
                self._calls.discard(call)
        raise SessionError(WAS_CLOSED)

    async def execute(self, event: Event, key: str | None, on_output: OnOutput | None) -> Observation:
        assert is_action(event.body), "anything else is refused before"
        hosted = await self._find()
        if not event.body.runnable:
            return await (await hosted.start()).runtime.execute(event.body)
        sent = replace(event, cloche={"key": key or uuid4().hex})
        try:
            return _body_of(await execute_heard(hosted, sent, on_output, notes={"client": self._client}))
        except TimeoutError as error:
            return ErrorObservation(str(error), ACTION_FAILED)

    async def stop_orphan(self) -> None:
        """Sessions go on when their clients are gone."""

    async def renew(self, action: Event) -> None:
        self._cancel_calls()
        await (await self._find()).renew(action, notes=action.cloche)
        self._all.forget(self._owner)

    async def close(self) -> None:
        self._cancel_calls()
        hosted = self._hosted
        if hosted is not None and self._owner.kind == "connection" and not hosted.clients:
            # Nobody can come back to it by MCP, so it need not wait for that.
            await hosted.stop()

    def using(self) -> AbstractContextManager[None]:
        return nullcontext() if self._hosted is None else self._hosted.using()

    def take_notice(self) -> str:
        notice, self._notice = self._notice, ""
        return notice

    def part(self, notice: str) -> str:
        # Whether anything was lost is seen when the client comes back.
        return ""

    @property
    def _running(self) -> AgentSession | None:
        return None if self._hosted is None else self._hosted.running

    def _cancel_calls(self) -> None:
        for call in self._calls:
            call.cancel()

    async def _find(self) -> HostedSession:
        """The session that the owner names, or the one that was begun under this name before, or a new one."""
        async with self._finding:
            if self._hosted is None or self._hosted.is_deleted:
                self._hosted = await self._find_named() or await self._begin()
            return self._hosted

    async def _find_named(self) -> HostedSession | None:
        owner = self._owner
        if owner.kind != "named":
            return None
        try:
            found = await self._all.manager.find(owner.name)
        except SessionUnknown:
            return None
        return found if owner.user in (OWNER, found.owner) else None

    async def _begin(self) -> HostedSession:
        owner, manager = self._owner, self._all.manager
        sid = hashlib.sha256("\0".join(("mcp", *owner)).encode()).hexdigest()[:32]
        try:
            return await manager.find(sid)
        except SessionUnknown:
            named = f" ({owner.name})" if owner.kind == "named" and owner.name != DEFAULT else ""
            title = f"MCP: {self._client or 'a client'}{named}"[:200]
            return await manager.create(owner.user, NewSession(title=title), sid=sid)


def _body_of(event: Event) -> Observation:
    assert is_observation(event.body), "an action is answered by an observation"
    return event.body
