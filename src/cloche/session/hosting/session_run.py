"""One run of a session: from its place among those that run to its end."""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial

import anyio
from anyio import to_thread

from cloche.errors import ClocheError, DiskLimit, SessionError, StoreError
from cloche.events import EventFilter, EventStream, MessageAction, Status
from cloche.logs import log_ids
from cloche.runtime import RuntimeStatus
from cloche.runtime.failures import describe_error
from cloche.sandbox.files.scratch import remove_scratch
from cloche.sandbox.recorded_sandbox import SandboxSource
from cloche.session.agent_session import AgentSession
from cloche.session.changes import ChangesWanted, find_changes
from cloche.session.hosting.clients import Audience
from cloche.session.hosting.host import Host
from cloche.session.hosting.open_actions import answer_open_actions
from cloche.session.hosting.places import Placed
from cloche.session.hosting.records import SessionDetails, read_details
from cloche.session.hosting.sandbox_sources import NamedSandboxes, RestoredSandbox, SandboxOnWorkspace
from cloche.session.starting.run_note import RUNNING_SINCE
from cloche.session.starting.session_lock import SessionLock

log = logging.getLogger(__name__)

CLOSED = "the session was closed before."
GONE = "its variables, what it ran and installed, and its files in /tmp and the home folder are gone."
AGAIN = f"This session has run before: its files in /workspace are here; {GONE}"
AGAIN_WITHOUT_FILES = f"This session has run before: its files in /workspace, {GONE}"


class SessionRun:
    """Starts an AgentSession, waits for its end, and leaves nothing open; it belongs to a task of the server."""

    def __init__(
        self, host: Host, place: Placed, stream: EventStream, audience: Audience, tokens: Mapping[str, str]
    ) -> None:
        self._host = host
        self._place = place
        self._stream = stream
        self._audience = audience
        self._tokens = tokens
        self._session: AgentSession | None = None
        self._error: Exception | None = None
        self._admitted = anyio.Event()
        self._started = anyio.Event()
        self._ended = anyio.Event()
        self._leaving = False
        self._stopped = False
        """Whether somebody wants it to end."""
        self._details = SessionDetails()
        self._since: int | None = None

    @property
    def session(self) -> AgentSession | None:
        """The session, once it is started, until it is ended."""
        return self._session if self._started.is_set() and not self.is_ending else None

    @property
    def is_ending(self) -> bool:
        """Whether it is coming to its end, so that what is added now is not served."""
        return self._leaving or self._error is not None

    async def admitted(self) -> None:
        """Wait until what is added will be answered; raises what is in the way."""
        await self._admitted.wait()
        if self._error is not None:
            raise self._error

    async def started(self) -> AgentSession:
        """Wait until it is started; raises why it could not be."""
        await self._started.wait()
        if self._error is not None:
            raise self._error
        assert self._session is not None, "what is started without an error is there"
        return self._session

    async def ended(self) -> None:
        """Wait until nothing of it is left."""
        await self._ended.wait()

    @property
    def failure(self) -> str:
        """Why it is not running any more; empty if somebody wanted that."""
        return "" if self._error is None or self._stopped else str(self._error)

    async def stop(self) -> None:
        """End it."""
        self._leaving = self._stopped = True
        if self._session is not None:
            await self._session.close()
        await self._ended.wait()

    async def live(self) -> None:
        """All of it; never raises."""
        try:
            with log_ids(session=self._stream.sid, user=self._place.owner or None):
                async with AsyncExitStack() as stack:
                    await self._enter(stack)
                    self._admitted.set()
                    await self._serve()
        except Exception as error:  # noqa: BLE001 - it is logged, and raised to those who wait for the start
            self._fail(error)
        finally:
            self._leaving = True
            if self._error is None and not self._started.is_set():
                self._error = SessionError(f"the session {self._stream.sid} was not started: the server ends")
            self._host.places.give_back(self._stream.sid)
            for each in (self._admitted, self._started, self._ended):
                each.set()

    async def _enter(self, stack: AsyncExitStack) -> None:
        """Take a place and the session's lock, and note that it runs."""
        sid, store = self._stream.sid, self._host.store
        await self._host.places.take(self._place)
        lock = SessionLock(sid, self._host.folder)
        await to_thread.run_sync(lock.take)
        stack.callback(lock.release)
        details = await self._read_details()
        self._since = details.running_since
        if self._since is None:
            self._since = await self._stream.get_latest_event_id() + 1
            await store.update_details(sid, {RUNNING_SINCE: self._since})
        stack.push_async_exit(self._settle)
        self._details = details

    async def _serve(self) -> None:
        """Start the session, and wait for its end."""
        wanted, host = self._details.wanted, self._host
        session = self._session = AgentSession(
            self._stream.sid, None, self._audience.tell_status, self._details.owner or None, stream=self._stream
        )
        try:
            if self._leaving:
                raise SessionError(f"the session {session.sid} was closed while it was being started")
            if self._details.begun:
                await self._report(AGAIN if self._finds_files() else AGAIN_WITHOUT_FILES)
            await session.start(
                wanted.runtime,
                host.configure(wanted),
                wanted.agent,
                wanted.max_iterations,
                self._tokens,
                wanted.repository,
                wanted.branch,
                initial_message=await self._find_first_message(),
                instructions=wanted.instructions,
                env=wanted.env,
                model=host.model,
                on_output=self._audience.tell_output,
                pool=self._find_source(),
                kept=self._finds_files(),
                changes=self._plan_changes(),
                refuse=partial(host.disk.refuse, self._details.owner),
            )
            await self._note_start()
            self._started.set()
            await self._tell_disk_use()
            if (error := await session.wait_ended()) is not None:
                text = f"the session {session.sid} has failed: {describe_error(error)}"
                await self._report(text, RuntimeStatus.ERROR, "error")
                raise SessionError(text) from error
        finally:
            self._leaving = True
            with anyio.CancelScope(shield=True):
                await session.close()

    async def _settle(self, _: object, error: BaseException | None, __: object) -> None:
        """Answer what is still open, and note that the run is over."""
        assert self._since is not None, "it was noted first"
        self._leaving = True
        why = CLOSED if error is None else f"the session does not run: {error}"
        with anyio.CancelScope(shield=True):
            try:
                await answer_open_actions(self._stream, self._since - 1, why)
                await self._host.store.update_details(self._stream.sid, {RUNNING_SINCE: None})
            except StoreError as trouble:
                # The note stays, so that the next start does it.
                log.warning("the open actions of the session %s could not be answered: %s", self._stream.sid, trouble)

    async def _find_first_message(self) -> str | None:
        """The message that the session begins with, unless the user has said something already."""
        first = self._details.wanted.initial_message
        said = EventFilter(include_types=(MessageAction,), source="user")
        if first is not None:
            async for _ in self._stream.get_events(filter=said, limit=1):
                return None
        return first

    async def _read_details(self) -> SessionDetails:
        info = await self._host.store.session(self._stream.sid)
        return SessionDetails() if info is None else read_details(info)

    def _finds_files(self) -> bool | None:
        """Whether the files of an earlier start are there; None if that start was none of a server's."""
        if not self._details.hosted:
            return None
        shared = self._host.config.core.workspace is not None
        return self._details.workspace is not None or (self._details.begun and shared)

    def _plan_changes(self) -> ChangesWanted | None:
        """What of its changes is recorded; its beginning is where it starts without files of an earlier start."""
        mode = self._host.config.server.track_changes
        if mode == "off":
            return None
        return ChangesWanted(
            folder=find_changes(self._stream),
            kept=bool(self._finds_files()),
            begun=self._details.begun,
            actions=mode == "actions",
        )

    def _find_source(self) -> SandboxSource | None:
        """Where its sandbox comes from; None to start one, or for another runtime."""
        host, kept = self._host, self._details.workspace
        if not host.is_embedded(self._details.wanted):
            return None
        if host.workspaces is None:
            return host.pool
        if kept is not None:
            folder, saved = host.workspaces.find(kept), self._details.saved
            if saved is None:
                return SandboxOnWorkspace(folder)
            return RestoredSandbox(folder, host.workspaces.find_saved(saved), self._report)
        source = host.pool or SandboxOnWorkspace(host.workspaces.find(host.workspaces.new()))
        return NamedSandboxes(source, self._note_workspace)

    async def _note_workspace(self, name: str) -> None:
        await self._host.store.update_details(self._stream.sid, {"workspace": name})

    async def _report(
        self, text: str, status: RuntimeStatus = RuntimeStatus.SETTING_UP_WORKSPACE, level: str = "info"
    ) -> None:
        await self._stream.add_event(Status(status, text, level))
        self._audience.tell_status(level, status, text)

    async def _note_start(self) -> None:
        """Note that it has been started; the variables that it started with are in use now."""
        saved = self._details.saved
        await self._host.store.update_details(self._stream.sid, {"begun": True, "saved": None})
        if saved is not None and self._host.workspaces is not None:
            await to_thread.run_sync(remove_scratch, self._host.workspaces.find_saved(saved))

    async def _tell_disk_use(self) -> None:
        """Say so if there is no room for more files, and look again."""
        owner, disk = self._details.owner, self._host.disk
        try:
            await disk.demand_room(owner)
        except DiskLimit as error:
            await self._report(f"There is no room for more files: {error}", level="error")
        disk.look_soon(owner)

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, ClocheError):
            # Of an agent, a plugin or a runtime, which may be anybody's code.
            log.error("the session %s has failed", self._stream.sid, exc_info=error)
            error = SessionError(f"the session {self._stream.sid} has failed: {describe_error(error)}")
        else:
            log.log(
                logging.INFO if self._stopped else logging.WARNING, "the session %s ended: %s", self._stream.sid, error
            )
        self._error = error
