"""Write a runtime of your own, and have it tested by the contract that every runtime keeps."""

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from cloche.events import Action, CmdRunAction, ErrorObservation, Observation
from cloche.runtime import PyodideRuntime, Runtime
from cloche.runtime.contract import RuntimeContract


class CarefulRuntime(Runtime):
    """Passes actions on to a sandbox, all but those that remove whole folders."""

    async def attach(self) -> None:
        self._inner = PyodideRuntime(self.config, sid=self.sid)
        await self._inner.connect()

    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        if isinstance(action, CmdRunAction) and "rm -rf" in action.command:
            return ErrorObservation(f"`{action.command}` is not run here. Remove files one by one.")
        return await self._inner.execute(action, timeout=timeout, key=key, on_output=self.tell_output)

    async def interrupt(self) -> bool:
        return await self._inner.interrupt()

    async def detach(self) -> None:
        await self._inner.close()


class TestCarefulRuntime(RuntimeContract):
    @pytest.fixture
    async def runtime(self) -> AsyncIterator[Runtime]:
        async with CarefulRuntime() as runtime:
            yield runtime

    async def test_what_it_refuses_is_one_observation(self, runtime: Runtime) -> None:
        assert "is not run here" in (await runtime.run("rm -rf /")).content


if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]))
