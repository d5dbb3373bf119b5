"""Executes actions in a sandbox of this process."""

from typing import Self

from anyio import to_thread

from cloche.events import Observation, RunnableAction
from cloche.runtime.base import Runtime
from cloche.runtime.mapper import Mapper
from cloche.runtime.sandbox_machine import SandboxMachine
from cloche.runtime.status import RuntimeStatus
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.process.warm_up import warm_up
from cloche.sandbox.sandbox import Sandbox


class EmbeddedExecutor:
    """A sandbox that is started for the runtime, and gone when it is closed."""

    def __init__(self, machine: SandboxMachine, mapper: Mapper) -> None:
        self._machine = machine
        self._mapper = mapper
        self._closed = False

    @classmethod
    async def open(cls, runtime: Runtime) -> Self:
        """Start a sandbox for the runtime."""
        machine = SandboxMachine(runtime.config, runtime.tell_output)
        try:
            await machine.start()
        except BaseException:
            await machine.close()
            raise
        return cls(machine, Mapper(machine, runtime.config))

    @property
    def box(self) -> Sandbox | None:
        """The sandbox; None once it was closed."""
        return None if self._closed else self._machine.box

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell."""
        return self._mapper.command_runs

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        """Execute one action; the runtime remembers by its `key` that it did."""
        return await self._mapper.perform(action, timeout)

    async def interrupt(self) -> bool:
        """Stop the command or the code that runs; says whether there was one."""
        return await self._mapper.interrupt()

    async def close(self) -> None:
        """End the sandbox; may be called twice, never raises."""
        self._closed = True
        await self._machine.close()


async def prepare_sandbox(runtime: Runtime) -> None:
    """Fetch and build what sandboxes start from, unless it is there."""
    if await to_thread.run_sync(snapshots.find_prepared) is not None:
        return
    runtime.tell(RuntimeStatus.STARTING_RUNTIME, "Preparing the sandbox, which is done once...")
    await assets.fetch_assets()
    await snapshots.build_prepared(warm_up)
