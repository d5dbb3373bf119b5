"""Executes actions in a sandbox of this process."""

from typing import Self

from anyio import to_thread

from cloche.config import AppConfig
from cloche.runtime.base import Runtime
from cloche.runtime.mapper import Mapper
from cloche.runtime.sandbox_machine import SandboxMachine
from cloche.runtime.status import RuntimeStatus
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.process.warm_up import warm_up
from cloche.sandbox.sandbox import Sandbox


class EmbeddedExecutor(Mapper):
    """Executes actions in a sandbox that is started for a runtime and closed with it."""

    def __init__(self, machine: SandboxMachine, config: AppConfig) -> None:
        super().__init__(machine, config)
        self._sandbox = machine
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
        return cls(machine, runtime.config)

    @property
    def box(self) -> Sandbox | None:
        """The sandbox; None after it was closed."""
        return None if self._closed else self._sandbox.box

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
