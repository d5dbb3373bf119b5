"""The sandboxes of all clients, by who uses them."""

import logging
from typing import Literal, NamedTuple, Self

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from cloche.config import AppConfig, MCPConfig
from cloche.errors import ClocheError, SandboxUnavailable
from cloche.limits import MCP_SESSIONS
from cloche.mcp.session import Session
from cloche.runtime.pyodide import PyodideRuntime

log = logging.getLogger(__name__)

REMEMBERED = 1000
"""Owners whose sandbox was closed and who are told when they come back."""
LOOK_AROUND = 60.0
"""Seconds between two looks for sandboxes that nobody uses, at most."""


class Owner(NamedTuple):
    """Whom a sandbox belongs to, and its name among theirs."""

    kind: Literal["process", "connection", "named"]
    user: str
    """The user whose token it is."""
    name: str
    client_user: str = ""
    """Whom a client says it acts for; it may say what it likes, but only below its own user."""


class Sessions:
    """Gives each owner a sandbox of their own; use it as an async context manager."""

    def __init__(self, config: AppConfig) -> None:
        # Its own [mcp] is for those who use such a server: this one executes what it is asked here.
        self._config = replace(config, mcp=MCPConfig())
        self._open: dict[Owner, Session] = {}
        self._expired: dict[Owner, bool] = {}
        self._spare: PyodideRuntime | None = None
        self._made = anyio.Event()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        self._tasks.start_soon(self._expire)
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks, self._tasks = self._tasks, None
        try:
            if tasks is not None:
                # First of all: a sandbox that is still being made is not waited for.
                tasks.cancel_scope.cancel()
                await tasks.__aexit__(None, None, None)
        finally:
            with anyio.CancelScope(shield=True):
                await self.end_all()
                if self._spare is not None:
                    await self._spare.close()

    def prepare(self) -> None:
        """Start a sandbox now, for whoever asks first."""
        if self._tasks is not None:
            self._spare = PyodideRuntime(self._config, sid="mcp")
            self._tasks.start_soon(self._connect, self._spare)

    async def find(self, owner: Owner) -> Session:
        """The session of an owner, which is made if there is none."""
        if owner not in self._open and self._spare is not None:
            await self._made.wait()
        if len(self._open) >= MCP_SESSIONS and owner not in self._open:
            for each in [each for each, session in self._open.items() if session.is_empty]:
                await self.end(each)
        if owner not in self._open:
            self._open[owner] = self._new(owner)
        return self._open[owner]

    async def end(self, owner: Owner) -> None:
        """Close the sandbox of an owner who has left."""
        session = self._open.pop(owner, None)
        if session is not None:
            await session.close()

    async def end_all(self) -> None:
        """Close all sandboxes, also those in use."""
        for owner in list(self._open):
            await self.end(owner)

    def _new(self, owner: Owner) -> Session:
        if self._tasks is None:
            raise SandboxUnavailable("the sessions are not open: enter them with `async with`")
        if len(self._open) >= MCP_SESSIONS:
            raise SandboxUnavailable(
                f"{MCP_SESSIONS} sandboxes are open already, as many as one server keeps: use one of your sessions, "
                "`reset` one that you no longer need, or wait until one that nobody uses is closed"
            )
        spare, self._spare = self._spare, None
        follows = self._expired.pop(owner, False)
        return Session(owner.name, self._config, self._tasks, spare=spare, follows=follows)

    def _remember(self, owner: Owner) -> None:
        """Note whose sandbox was closed, so that they are told; the latest only."""
        self._expired[owner] = True
        while len(self._expired) > REMEMBERED:
            self._expired.pop(next(iter(self._expired)))

    async def _connect(self, runtime: PyodideRuntime) -> None:
        try:
            await runtime.connect()
        except Exception as error:
            # Tried again, and told, when somebody asks for a sandbox.
            unknown = not isinstance(error, ClocheError)
            log.warning("a sandbox could not be started in advance: %s", error, exc_info=unknown)
            self._spare = None
        self._made.set()

    async def _expire(self) -> None:
        delay = self._config.sandbox.close_delay
        while True:
            await anyio.sleep(min(LOOK_AROUND, delay / 2))
            for owner, session in list(self._open.items()):
                if session.idle > delay:
                    log.info("session=%s closed: not used for %d s", owner.name, delay)
                    # First: its owner may come back while it is being closed.
                    self._remember(owner)
                    await self.end(owner)
