"""One client's sandbox: started on first use, closed after a while without use."""

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.errors import ClocheError, SandboxUnavailable
from cloche.events import ErrorObservation, Event, MCPAction, Observation, RunnableAction, is_action, new_event
from cloche.mcp.client_sandbox import ClientSandbox
from cloche.runtime.actions.file_errors import explain_file_error
from cloche.runtime.codes import BAD_ACTION, FILE, NO_SANDBOX, RUNTIME_LOST, SANDBOX_GONE
from cloche.runtime.failures import trace_error
from cloche.runtime.live_output import Hear, OnOutput
from cloche.runtime.pyodide import PyodideRuntime
from cloche.sandbox.results.result import Result
from cloche.sandbox.sandbox import Sandbox

log = logging.getLogger(__name__)

OnText = Callable[[str, str], Awaitable[None]]
Answer = TypeVar("Answer")
ToolWork = Callable[[Hear], Awaitable[tuple[Answer, Observation]]]
"""Does what a tool is for; returns its answer, and the observation for the record."""

CLOSED = "[The sandbox was closed because it had not been used for long: this is a new, empty one.]"
GAVE_WAY = "[The sandbox was closed to make room for another client: this is a new, empty one.]"
GONE = "[The sandbox was closed because its client seemed to be gone: this is a new, empty one.]"
ENDED = "[The session was ended while the code ran, and its sandbox with it.]"
THROWN_AWAY = "[The sandbox was thrown away while the code ran, files included: the next call has a new one.]"


class ClientSession:
    """A sandbox, and what the tools do with it."""

    def __init__(
        self, name: str, config: AppConfig, sandbox: ClientSandbox, tasks: TaskGroup, *, notice: str = ""
    ) -> None:
        self.name = name
        self.sandbox = sandbox
        self.outlasts_clients = False
        """Whether it stays open when its known clients are gone: others, without a connection, may still use it."""
        self._config = config
        self._tasks = tasks
        self._ended = False
        self._notice = notice
        self._users = 0
        self._used = time.monotonic()
        self._actions = 0
        self._askers = 0
        self._asked = time.monotonic()

    @property
    def timeout(self) -> float:
        """The time limit of calls that do not give one, in seconds."""
        return self._config.sandbox.timeout

    @property
    def is_empty(self) -> bool:
        """Whether it has no sandbox, and none is being started."""
        return self.sandbox.runtime is None and not self._users and not self._askers

    @property
    def idle(self) -> float:
        """Seconds since it was last used; 0 while it is in use."""
        return 0.0 if self._users or self._askers else time.monotonic() - self._used

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running."""
        return self.sandbox.runtime is not None and self.sandbox.runtime.command_runs

    def may_give_way(self, recent: float) -> bool:
        """Whether it may be closed for another client: it has not been used for this many seconds."""
        return self.is_empty or self.idle > recent

    def is_orphaned(self, after: float) -> bool:
        """Whether an action runs whose client has been gone for this many seconds."""
        return self._actions > 0 and not self._askers and time.monotonic() - self._asked > after

    @asynccontextmanager
    async def runtime(self) -> AsyncGenerator[PyodideRuntime]:
        """The connected runtime; it is in use while the block runs."""
        self._users += 1
        try:
            runtime = await self.sandbox.open()
            with self.sandbox.using():
                yield runtime
        finally:
            self._users -= 1
            self._used = time.monotonic()

    @asynccontextmanager
    async def box(self) -> AsyncGenerator[Sandbox]:
        """The sandbox inside the runtime."""
        async with self.runtime() as runtime:
            if runtime.box is None:
                raise SandboxUnavailable("the sandbox of this session was closed while it was used: call again")
            yield runtime.box

    def take_notice(self) -> str:
        """A notice for the client's next call: this is not the sandbox it had before."""
        notice, self._notice = self._notice, ""
        return notice or self.sandbox.take_notice()

    async def perform(
        self, action: RunnableAction, work: ToolWork[Answer], *, client: str = "", seconds: float | None = None
    ) -> Answer:
        """Have `work` do what an action says, with both on record, and return its answer; what it raises is raised."""
        answers: list[Answer] = []
        failures: list[Exception] = []

        async def act(hear: Hear) -> Observation:
            try:
                answer, observation = await work(hear)
            except Exception as error:  # noqa: BLE001 - it is raised below
                failures.append(error)
                return _describe_failure(action, error)
            answers.append(answer)
            return observation

        event = _make_event(action, client, seconds)
        observation = await self.sandbox.perform(event, act)
        for failure in failures:
            raise failure
        if not answers:
            raise SandboxUnavailable(observation.content)
        return answers[0]

    async def run(self, language: str, code: str, *, stdin: str | None, seconds: float, on_text: OnText) -> Result:
        """Run code to its end; its output is passed on as it arrives."""
        async with self.runtime() as runtime:
            result = await runtime.run_for_result(
                code, language=language, stdin=stdin, timeout=seconds, on_text=on_text
            )
            return self._judge(result, runtime)

    async def execute(self, event: Event, on_output: OnOutput | None = None) -> Event:
        """Execute the action of an event and return the event that answers it; the same key is executed once."""
        listener = on_output
        answered = anyio.Event()
        answer: Observation = ErrorObservation(
            f"`{event.kind}` did not come to its end: the server stops.", RUNTIME_LOST
        )
        there = self.sandbox.id

        def hear(stream: str, text: str) -> Awaitable[None] | None:
            return None if listener is None else listener(stream, text)

        async def act() -> None:
            # In its own task: if the connection drops, the action continues, and the client asks for it again.
            nonlocal answer, there
            self._actions += 1
            try:
                async with self.runtime():
                    # The id of the sandbox that executes it: if that is closed meanwhile, the next one has another id.
                    there = self.sandbox.id
                    answer = await self._execute(event, None if on_output is None else hear)
            except (ClocheError, OSError) as error:
                answer = ErrorObservation(f"`{event.kind}` was NOT executed: {error}", NO_SANDBOX)
            except Exception as error:  # otherwise it would end the server and all sandboxes
                log.exception("the action %s could not be executed", event.kind)
                trace = trace_error(error) if self._config.core.debug else ""
                answer = ErrorObservation(f"`{event.kind}` failed: {type(error).__name__}{trace}", NO_SANDBOX)
            finally:
                self._actions -= 1
                answered.set()

        # Counted before it begins, so that the session does not look unused.
        self._askers += 1
        self._tasks.start_soon(act)
        try:
            await answered.wait()
        finally:
            # The client may be gone.
            listener = None
            self._askers -= 1
            self._asked = time.monotonic()
        return replace(new_event(answer, event.source or "agent", answers=event), cloche={"runtime": there})

    async def interrupt(self) -> bool:
        """Stop what is running; returns whether there was anything."""
        return self.sandbox.runtime is not None and await self.sandbox.runtime.interrupt()

    async def reset(self, language: str) -> None:
        """Restart a language."""
        async with self.box() as box:
            # Running code would delay the reset, and loses its variables anyway.
            await self.interrupt()
            await box.reset(language)

    async def renew(self, client: str = "") -> None:
        """Throw the sandbox away: the next use starts a new one."""
        await self.sandbox.renew(_make_event(MCPAction("reset"), client))

    async def close(self) -> None:
        """End it for good."""
        self._ended = True
        await self.sandbox.close()

    def _judge(self, result: Result, runtime: PyodideRuntime) -> Result:
        """The result; its state is `lost` if this is a new sandbox, or if the sandbox was closed meanwhile."""
        if self.sandbox.runtime is not runtime:
            self._notice = ENDED if self._ended else THROWN_AWAY
        self._notice = self._notice or self.sandbox.take_notice()
        return replace(result, state="lost") if self._notice else result

    async def _execute(self, event: Event, on_output: OnOutput | None) -> Observation:
        own = event.cloche or {}
        if own.get("runtime") not in (None, self.sandbox.id):
            return ErrorObservation(
                f"`{event.kind}` was NOT executed: the sandbox of this session is gone (the server was restarted, or "
                "it was not used for long), and its files, variables and environment with it. The next action has a "
                "fresh one.",
                SANDBOX_GONE,
            )
        if not is_action(event.body):
            return ErrorObservation(f"`{event.kind}` is no action that can be executed.", BAD_ACTION)
        key = own.get("key") or (None if event.id is None else f"id/{event.id}")
        return await self.sandbox.execute(event, None if key is None else str(key), on_output)


def _make_event(action: RunnableAction, client: str, seconds: float | None = None) -> Event:
    return replace(new_event(action, "user", timeout=seconds), cloche={"client": client})


def _describe_failure(action: RunnableAction, error: Exception) -> ErrorObservation:
    """What the record says of a tool that failed."""
    if isinstance(error, OSError):
        path = str(error.filename or getattr(action, "path", "it"))
        return ErrorObservation(explain_file_error(error, action.kind, path), FILE)
    known = isinstance(error, ClocheError | ValueError)
    return ErrorObservation(f"`{action.kind}` failed: {error if known else type(error).__name__}", NO_SANDBOX)
