"""Executes actions in a sandbox of this process."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Self

from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import ClocheError, SandboxUnavailable
from cloche.events import (
    ErrorObservation,
    Observation,
    RunCodeAction,
    SandboxCallAction,
    SandboxCallObservation,
)
from cloche.runtime.base import Runtime
from cloche.runtime.box_call import BoxCall
from cloche.runtime.codes import BAD_ACTION, SANDBOX_GONE, STOPPED
from cloche.runtime.failures import describe_error
from cloche.runtime.live_output import Hear
from cloche.runtime.mapper import Mapper
from cloche.runtime.sandbox_machine import SandboxMachine, convert_result
from cloche.runtime.status import RuntimeStatus
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.process.warm_up import warm_up
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Result, Text
from cloche.security.outline import ShellOutline

UNKNOWN_CALL = "the call of a client that it stands for is not known here. The client has to make it again."
STILL_RUNS = (
    "a command that an action has left running is still running in this sandbox: stop it with `interrupt`, or wait"
)

OnText = Callable[[str, str], Awaitable[None]]
"""Takes a stream and a piece of what was printed there; the code waits while it has much to take."""


class EmbeddedExecutor(Mapper):
    """Executes actions in a sandbox that is started for a runtime and closed with it."""

    def __init__(self, machine: SandboxMachine, config: AppConfig, hear: Hear) -> None:
        super().__init__(machine, config)
        self._hear = hear
        self._sandbox = machine
        self._closed = False
        self.calls: dict[str, BoxCall] = {}
        """Calls of clients that wait for the turn of their actions, by name."""

    @classmethod
    async def open(cls, runtime: Runtime) -> Self:
        """Start a sandbox for the runtime, or take one of its pool."""
        machine = SandboxMachine(runtime.config, runtime.tell_output, runtime.pool)
        try:
            await machine.start()
        except BaseException:
            await machine.close()
            raise
        return cls(machine, runtime.config, runtime.tell_output)

    @property
    def box(self) -> RecordedSandbox | None:
        """The sandbox; None after it was closed."""
        return None if self._closed else self._sandbox.box

    async def interrupt_action(self) -> bool:
        """Stop the running command or code, but no call of the sandbox itself; returns whether there was one."""
        return await super().interrupt()

    async def interrupt(self) -> bool:
        """Stop the running command, code or call; returns whether there was one."""
        return await self.interrupt_action() or (not self._closed and await self._sandbox.box.interrupt())

    async def outline(self, command: str) -> ShellOutline | None:
        """How the shell would read a command now; None while another one runs in it."""
        return None if self._closed or self.command_runs else await self._sandbox.box.outline(command)

    async def make_call(self, action: RunCodeAction | SandboxCallAction) -> Observation:
        """Have the client's call done that an action stands for."""
        call = self.calls.pop(action.call, None)
        if call is None:
            return ErrorObservation(f"`{action.kind}` was NOT executed: {UNKNOWN_CALL}", SANDBOX_GONE)
        try:
            if self.command_runs and isinstance(action, RunCodeAction):
                raise call.refuse(SandboxUnavailable(STILL_RUNS))
            done = await call.perform(self._sandbox.box, self._hear)
        except (ClocheError, OSError, ValueError) as error:
            return ErrorObservation(f"`{action.message}` failed: {describe_error(error)}", BAD_ACTION)
        if isinstance(action, SandboxCallAction):
            return SandboxCallObservation(str(done), action.verb)
        if isinstance(done, str):
            return ErrorObservation(done, STOPPED)
        text = "".join(text for _, text in done.output)
        return await self._cells.observe(action, text, convert_result(done), round(done.duration, 1))

    async def run_for_result(
        self, code: str, *, language: str, stdin: str | None, seconds: float, on_text: OnText
    ) -> Result:
        """Run code and return its whole result; actions after it find the shell where it has left it."""
        if self.command_runs:
            raise SandboxUnavailable(STILL_RUNS)
        running = self._sandbox.box.stream(code, language=language, stdin=stdin, timeout=seconds)
        async with aclosing(running) as events:
            async for event in events:
                if isinstance(event, Text):
                    await on_text(event.stream, event.text)
                elif isinstance(event, Result):
                    if language == "bash":
                        self._commands.move(event.cwd)
                    return event
        raise SandboxUnavailable("the sandbox ended without an answer: call again")

    async def close(self) -> None:
        """End the sandbox; may be called twice, never raises."""
        self._closed = True
        await self._sandbox.close()


async def prepare_sandbox(runtime: Runtime) -> None:
    """Fetch and build what sandboxes start from, if it is missing."""
    if await to_thread.run_sync(snapshots.find_prepared) is not None:
        return
    runtime.tell(RuntimeStatus.STARTING_RUNTIME, "Preparing the sandbox, which is done once...")
    await assets.fetch_assets()
    await snapshots.build_prepared(warm_up)
