"""The default runtime: a sandbox in this process."""

from cloche.events import Action, Observation
from cloche.runtime.base import Runtime
from cloche.runtime.machine import Machine
from cloche.runtime.mapper import Mapper
from cloche.runtime.sandboxed import SandboxMachine


class PyodideRuntime(Runtime):
    """Executes actions in a WebAssembly sandbox."""

    _machine: Machine | None = None
    _mapper: Mapper | None = None

    async def attach(self) -> None:
        machine = SandboxMachine(self.config)
        try:
            await machine.start()
        except BaseException:
            await machine.close()
            raise
        self._machine, self._mapper = machine, Mapper(machine, self.config)

    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        assert self._mapper is not None
        return await self._mapper.perform(action, timeout)

    async def interrupt(self) -> bool:
        return self._mapper is not None and await self._mapper.interrupt()

    async def detach(self) -> None:
        machine, self._machine = self._machine, None
        if machine is not None:
            await machine.close()
