"""The sandboxes of all clients."""

import logging
from collections.abc import Callable
from typing import Self

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from cloche.config import A2AConfig, AppConfig, MCPConfig
from cloche.errors import ClocheError, SandboxUnavailable
from cloche.limits import MCP_GONE, MCP_LOOK, MCP_NOTICES, MCP_RECENT, MCP_SESSIONS
from cloche.logs import log_ids
from cloche.mcp.client_sandbox import ClientSandbox, OwnSandbox
from cloche.mcp.client_session import CLOSED, GAVE_WAY, GONE, ClientSession
from cloche.mcp.clients import HttpClient, HttpClients
from cloche.mcp.session_key import SessionKey
from cloche.runtime.pyodide import PyodideRuntime

log = logging.getLogger(__name__)

OpenSandbox = Callable[[SessionKey, str], ClientSandbox]
"""Gives the sandbox of an owner, whose client has this name."""


class ClientSessions:
    """Gives each owner their own sandbox; use it as an async context manager."""

    def __init__(
        self,
        config: AppConfig,
        *,
        places: int = MCP_SESSIONS,
        recent: float = MCP_RECENT,
        gone_after: float = MCP_GONE,
        open_sandbox: OpenSandbox | None = None,
    ) -> None:
        """At most `places` sandboxes are open; one that was used within `recent` seconds is not closed for another.

        A client whose connection broke counts as gone after `gone_after` seconds. `open_sandbox` gives the sandbox of
        an owner, which it has not opened yet; by default each has its own.
        """
        # [mcp] and [a2a] are for runtimes that use servers; this is the server, and executes actions here.
        self._config = replace(config, mcp=MCPConfig(), a2a=A2AConfig())
        self.clients = HttpClients()
        self._places = places
        self._recent = recent
        self._gone_after = gone_after
        self._open_sandbox = open_sandbox or self._make_sandbox
        self._open: dict[SessionKey, ClientSession] = {}
        self._notices: dict[SessionKey, str] = {}
        """Notices for owners whose sandbox was closed."""
        self._orphans: set[SessionKey] = set()
        """Named sandboxes whose clients are gone, and that were not used since."""
        self._spare: PyodideRuntime | None = None
        self._made = anyio.Event()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        self._tasks.start_soon(self._look_around)
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks, self._tasks = self._tasks, None
        try:
            if tasks is not None:
                # Cancelled first, so that it does not wait for a sandbox that is still starting.
                tasks.cancel_scope.cancel()
                await tasks.__aexit__(None, None, None)
        finally:
            with anyio.CancelScope(shield=True):
                await self.end_all()
                if self._spare is not None:
                    await self._spare.close()

    @property
    def count(self) -> int:
        """How many sandboxes are open."""
        return len(self._open)

    def prepare(self) -> None:
        """Start a sandbox now, for the first owner."""
        if self._tasks is not None:
            self._spare = PyodideRuntime(self._config, sid="mcp")
            self._tasks.start_soon(self._connect, self._spare)

    async def find(self, owner: SessionKey, client: HttpClient | None = None, *, name: str = "") -> ClientSession:
        """The session of an owner, a new one if there is none.

        `client` is the client that asks, if it is known, and `name` what it calls itself.
        """
        self._orphans.discard(owner)
        if owner not in self._open and self._spare is not None:
            await self._made.wait()
        while len(self._open) >= self._places and owner not in self._open:
            await self._make_room()
        if owner not in self._open:
            self._open[owner] = self._new(owner, name)
        session = self._open[owner]
        if client is not None and self.clients.knows(client):
            client.use(owner)
        else:
            session.outlasts_clients = True
        return session

    def leave(self, client: HttpClient) -> None:
        """Forget a client that has closed its connection; its named sandboxes stay open, because it may come back."""
        self.clients.remove(client)
        for owner in client.take_named():
            self._open[owner].outlasts_clients = True

    async def end(self, owner: SessionKey) -> None:
        """Close the sandbox of an owner who has left."""
        session = self._open.pop(owner, None)
        if session is not None:
            self.clients.drop(owner)
            await session.close()

    async def end_all(self) -> None:
        """Close all sandboxes, even those in use."""
        for owner in list(self._open):
            await self.end(owner)

    def _new(self, owner: SessionKey, name: str) -> ClientSession:
        if self._tasks is None:
            raise SandboxUnavailable("the sessions are not open: enter them with `async with`")
        sandbox, notice = self._open_sandbox(owner, name), self._notices.pop(owner, "")
        return ClientSession(owner.name, self._config, sandbox, self._tasks, notice=notice)

    def _make_sandbox(self, owner: SessionKey, _: str) -> ClientSandbox:
        spare, self._spare = self._spare, None
        return OwnSandbox(owner.name, self._config, spare=spare)

    async def _make_room(self) -> None:
        """Close the least needed sandbox: empty, of a client that may be gone, or unused for the longest."""
        unused = {owner: session for owner, session in self._open.items() if session.may_give_way(self._recent)}
        if not unused:
            raise SandboxUnavailable(
                f"{self._places} sandboxes are open already, as many as one server keeps, and all were used within the "
                f"last {self._recent:g} seconds: use one of your sessions, `reset` one that you no longer need, or try "
                "again"
            )
        owner, session = min(unused.items(), key=lambda each: self._worth(*each))
        if session.is_empty:
            await self.end(owner)
        else:
            await self._close(owner, GAVE_WAY)

    def _worth(self, owner: SessionKey, session: ClientSession) -> tuple[float, ...]:
        """Sorts sandboxes by how much they are needed; users with many lose one before users with few."""
        held = sum(each.user == owner.user for each in self._open)
        return (not session.is_empty, session.command_runs, -held, self.clients.is_connected(owner), -session.idle)

    async def _close(self, owner: SessionKey, notice: str) -> None:
        """Close the sandbox of an owner who has not left, and keep a notice for their next call."""
        # Set first: the owner may come back while the sandbox is being closed.
        self._notices[owner] = self._open[owner].sandbox.part(notice)
        while len(self._notices) > MCP_NOTICES:
            self._notices.pop(next(iter(self._notices)))
        with log_ids(session=owner.name, user=owner.user or None):
            log.info("%s", notice.strip("[]"))
            await self.end(owner)

    async def _connect(self, runtime: PyodideRuntime) -> None:
        try:
            await runtime.connect()
        except Exception as error:  # tried again, and reported, at the next request
            unknown = not isinstance(error, ClocheError)
            log.warning("a sandbox could not be started in advance: %s", error, exc_info=unknown)
            self._spare = None
        self._made.set()

    def _is_left(self, owner: SessionKey) -> bool:
        """Whether all clients that used a named sandbox are certainly gone."""
        return not self._open[owner].outlasts_clients and not self.clients.is_used(owner)

    async def _close_orphans(self) -> None:
        """Close the named sandboxes whose clients are gone, as soon as nothing runs there."""
        for owner in [*self._orphans]:
            session = self._open.get(owner)
            if owner in self._orphans and (session is None or session.idle > 0):
                self._orphans.discard(owner)
                if session is not None:
                    await self._close(owner, GONE)

    async def _look_around(self) -> None:
        delay = self._config.sandbox.close_delay
        while True:
            await anyio.sleep(min(MCP_LOOK, delay / 2, self._gone_after / 2))
            for client in self.clients.gone(self._gone_after):
                if not client.is_gone(self._gone_after):
                    # It came back while another was closed.
                    continue
                client.forget()
                self._orphans |= {owner for owner in client.take_named() if self._is_left(owner)}
                if client.owner in self._open:
                    await self._close(client.owner, GONE)
            await self._close_orphans()
            for owner, session in list(self._open.items()):
                if self._open.get(owner) is not session:
                    continue
                if session.idle > delay:
                    await self._close(owner, CLOSED)
                elif session.is_orphaned(self._gone_after):
                    await session.sandbox.stop_orphan()
