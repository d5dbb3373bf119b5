"""A session on a server: its stream, whether it runs or not, and what clients do with it."""

import logging
import time
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from cloche.errors import ClocheError, SessionError, SessionLimit, SessionTaken, SessionUnknown
from cloche.events import Body, Event, EventStream, Status, SuccessObservation, new_event
from cloche.limits import SESSION_ANSWER_GRACE
from cloche.runtime import PyodideRuntime, Runtime, RuntimeStatus
from cloche.runtime.verbs import Work
from cloche.session.agent_session import AgentSession
from cloche.session.control.states import AgentState
from cloche.session.hosting.answers import ActionKeys, check_action, find_answer, key_of, wait_for_answer
from cloche.session.hosting.clients import Audience, Client
from cloche.session.hosting.host import Host
from cloche.session.hosting.records import SessionDetails, SessionView
from cloche.session.hosting.session_run import SessionRun
from cloche.session.hosting.views import make_view

log = logging.getLogger(__name__)

RENEWED = "The next action has a new sandbox."
STORED, STARTING = "stored", "starting"
WORKING = frozenset({AgentState.LOADING, AgentState.INIT, AgentState.RUNNING, AgentState.AWAITING_USER_CONFIRMATION})
"""States in which an agent is not to be disturbed."""


class HostedSession:
    """One session; `SessionManager.find` gives the same object to everybody who asks for it."""

    def __init__(
        self, host: Host, sid: str, owner: str, details: SessionDetails, tokens: Mapping[str, str] | None = None
    ) -> None:
        self.sid = sid
        self.owner = owner
        self.stream = EventStream(sid, host.store)
        """The events, whether it runs or not; `follow` it."""
        self.stream.update_secrets(host.config.list_secrets())
        self.stream.update_secrets({f"token of {name}": token for name, token in (tokens or {}).items()})
        self._host = host
        self._wanted = details.wanted
        self._parent = details.parent
        self._tokens = dict(tokens or {})
        self._audience = Audience()
        self._keys = ActionKeys(self.stream)
        self._run: SessionRun | None = None
        self._users = 0
        """Calls that need it."""
        self._used = self._called = time.monotonic()
        self._left: float | None = None
        """When the last client went."""
        self._deleted = False
        self._due = False
        """Whether it is to be started in the background."""

    @property
    def state(self) -> str:
        """`stored` when it does not run, `starting`, else the state of its agent."""
        session = self._session
        if session is not None:
            return str(session.state)
        return STORED if self._run is None else STARTING

    @property
    def status(self) -> str:
        """The last status since it was started."""
        return self._audience.status

    @property
    def runtime(self) -> str:
        """The name of its runtime."""
        return self._wanted.runtime or self._host.config.core.runtime

    @property
    def has_agent(self) -> bool:
        """Whether there is an agent that messages are for; without one, only actions are executed."""
        return self._host.has_agent(self._wanted)

    @property
    def clients(self) -> int:
        """How many are attached."""
        return len(self._audience)

    @property
    def is_busy(self) -> bool:
        """Whether something runs in it, starts, or is waited for."""
        session = self._session
        if self._users or (self._run is not None and session is None):
            return True
        return session is not None and (session.state in WORKING or _runs_something(self.open_runtime))

    def measure_idle(self) -> float | None:
        """For how many seconds nobody has needed it; None while somebody does, and while it ends."""
        if self.is_busy:
            self._used = time.monotonic()
        return None if self.clients or self._session is None or self.is_busy else time.monotonic() - self._used

    @property
    def left(self) -> float | None:
        """For how many seconds its last client has been gone; None if there is one, or never was, or somebody calls."""
        return None if self._left is None or self._users else time.monotonic() - max(self._left, self._called)

    async def view(self) -> SessionView:
        """What is told of it."""
        info = await self._host.store.session(self.sid)
        if info is None:
            raise SessionUnknown(f"there is no session {self.sid} any more: it was deleted")
        return make_view(info, self._host.config, self, self.owner)

    async def start(self) -> AgentSession:
        """Start it if it does not run; all who ask meanwhile share the outcome. After a failure it may be tried again.

        Raises SessionLimit if there is no place for it, SessionTaken if it runs in another process.
        """
        while (run := self._find_run()).is_ending:
            await run.ended()
        return await run.started()

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[AgentSession]:
        """What runs, started if need be, for a block in which it is not closed as unused."""
        with self.using():
            yield await self.start()

    async def stop(self) -> None:
        """End what runs; the events and the files stay."""
        self._due = False
        if self._run is not None:
            await self._run.stop()

    async def act(self, event: Event, *, wait: bool = True, notes: Mapping[str, Any] | None = None) -> Event:
        """Execute an action of the user, and return its observation; with wait=False the stored action, at once.

        An action under whose `cloche` is a `key` is executed once: sent again, it has the answer that it had. Raises
        EventError if nothing would answer it, TimeoutError if its observation is later than its time limit. `notes`
        are what the server itself says of it, under `cloche`.
        """
        event = check_action(event, notes)
        key = key_of(event)
        with self.using():
            if key is None:
                return await self._act(event, wait)
            async with self._keys.turn:
                known = await self._keys.find(key)
                if known is None:
                    known = await self._act(event, wait=False)
                    self._keys.add(key, known)
            return await self._find_answer(known) if wait else known

    async def find_action(self, key: str) -> Event | None:
        """The action that was sent with this key; None if there is none."""
        async with self._keys.turn:
            return await self._keys.find(key)

    async def perform(self, action: Event, work: Work, *, notes: Mapping[str, Any] | None = None) -> Event:
        """Store an action of the user, have `work` do it in this process, and return its observation.

        For callers who use the runtime themselves, so that what they do is on record too.
        """
        with self.using():
            return await (await self.start()).perform(check_action(action, notes), work)

    async def send(self, body: Body | Event, source: str = "user") -> Event:
        """Say something to the agent, or change its state; starts the session if need be."""
        with self.using():
            return await (await self.start()).say(body, source)

    async def interrupt(self) -> bool:
        """Stop the running action; returns whether there was one."""
        runtime = self.open_runtime
        return runtime is not None and await runtime.interrupt()

    async def renew(self, action: Event, *, notes: Mapping[str, Any] | None = None) -> None:
        """End what runs, and forget its files and variables: it begins anew, with the same events.

        On record it is this action.
        """
        action = check_action(action, notes)
        with self.using():
            await self.stop()
            await self._host.forget_files(self.sid)
            stored = await self.stream.add_event(action)
            assert stored.id is not None, "what is stored has an id"
            if await self.stream.claim(stored.id):
                await self.stream.add_event(new_event(SuccessObservation(RENEWED), "user", answers=stored))

    def attach(self, client: Client) -> None:
        """Tell a client what happens beside the events, until it is detached."""
        self._audience.attach(client)
        self._left = None
        self._host.attached.add(self)

    def detach(self, client: Client) -> None:
        """Tell a client nothing more."""
        if self._audience.detach(client) and not self.clients:
            self._used = self._left = time.monotonic()
            self._host.attached.discard(self)

    def tell(self, message: dict[str, object]) -> None:
        """Tell all clients something that is not stored."""
        self._audience.tell_message(message)

    async def forget(self) -> None:
        """End it for good: it is being deleted."""
        self._deleted = True
        self._host.attached.discard(self)
        await self.stop()

    def remember(self) -> None:
        """Let it be started again: it could not be deleted."""
        self._deleted = False

    @property
    def running(self) -> AgentSession | None:
        """What runs, if it is started."""
        return self._session

    @property
    def open_runtime(self) -> Runtime | None:
        """Where actions run, if it is started."""
        try:
            return None if self._session is None else self._session.runtime
        except SessionError:
            # It has just ended.
            return None

    @property
    def parent(self) -> str | None:
        """The session that it is a part of."""
        return self._parent

    @property
    def is_deleted(self) -> bool:
        """Whether it was deleted: look for it again."""
        return self._deleted

    @property
    def _session(self) -> AgentSession | None:
        return None if self._run is None else self._run.session

    def _find_run(self) -> SessionRun:
        """The run that there is, else a new one."""
        if self._deleted:
            raise SessionUnknown(f"there is no session {self.sid} any more: it was deleted")
        if self._parent is not None:
            raise SessionError(f"{self.sid} is a part of the session {self._parent}, and runs in it: use that one")
        if self._run is None:
            self._audience.status = ""
            if self._host.closing:
                raise SessionError(f"the session {self.sid} is not started: the server ends")
            self._run = SessionRun(self._host, self, self.stream, self._audience, self._tokens)
            self._host.tasks.start_soon(self._live, self._run)
        return self._run

    async def _live(self, run: SessionRun) -> None:
        await run.live()
        self._used = time.monotonic()
        self._audience.status = run.failure
        self._run = None

    def start_soon(self) -> None:
        """Start it in the background, unless it is stopped before; why it fails is a status."""
        self._due = True
        self._host.tasks.start_soon(self._start_quietly)

    async def _start_quietly(self) -> None:
        try:
            if self._due:
                await self.start()
        except (SessionLimit, SessionTaken) as error:
            # What fails later is on record already.
            status = RuntimeStatus.ERROR
            self._audience.tell_status("error", status, str(error))
            await self.stream.add_event(Status(status, str(error), "error"))
        except ClocheError as error:
            log.debug("the session %s could not be started: %s", self.sid, error)
        finally:
            if self._run is None:
                # The place that was held for it.
                self._host.places.give_back(self.sid)

    async def _act(self, event: Event, wait: bool) -> Event:
        """Store an action, and wait for its observation if that is wanted."""
        if wait:
            await self.start()
        else:
            await self._admit()
        with self.stream.store.feed(self.sid) as feed:
            stored = await self.stream.add_event(event)
            if self._run is None or self._run.is_ending:
                # It ended in between: the next run takes the action.
                self.start_soon()
            return await wait_for_answer(self.stream, feed, stored, self._find_limit(event)) if wait else stored

    async def _admit(self) -> None:
        """Wait until actions that are added now will be answered."""
        run = self._find_run()
        if run.is_ending:
            await self.start()
        else:
            await run.admitted()

    async def _find_answer(self, action: Event) -> Event:
        """The observation of an action that is stored, as soon as there is one."""
        with self.stream.store.feed(self.sid) as feed:
            found = await find_answer(self.stream, action)
            if found is None:
                await self.start()
                found = await wait_for_answer(self.stream, feed, action, self._find_limit(action))
        return found

    def _find_limit(self, event: Event) -> float:
        return (event.timeout or self._host.config.sandbox.timeout) + SESSION_ANSWER_GRACE

    @contextmanager
    def using(self) -> Generator[None]:
        """Keeps it from being closed as one that nobody needs."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._used = self._called = time.monotonic()


def _runs_something(runtime: Runtime | None) -> bool:
    """Whether an action runs, or a command that was left running."""
    if runtime is None:
        return False
    return runtime.turn.locked() or (isinstance(runtime, PyodideRuntime) and runtime.command_runs)
