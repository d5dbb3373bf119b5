"""The default runtime: a sandbox in this process, or one behind an MCP server."""

from cloche.events import Observation, RunnableAction
from cloche.runtime.base import Runtime
from cloche.runtime.embedded_executor import EmbeddedExecutor, prepare_sandbox
from cloche.runtime.remote.remote_executor import REMOTE, RemoteExecutor
from cloche.sandbox.sandbox import Sandbox


class PyodideRuntime(Runtime):
    """Executes actions in a WebAssembly sandbox: here, or at `[mcp.pyodide] url` if that is configured."""

    executes_at = REMOTE
    has_python = True

    _executor: EmbeddedExecutor | RemoteExecutor | None = None

    @property
    def box(self) -> Sandbox | None:
        """The sandbox, if it is in this process and open."""
        return self._executor.box if isinstance(self._executor, EmbeddedExecutor) else None

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell of this process's sandbox."""
        return isinstance(self._executor, EmbeddedExecutor) and self._executor.command_runs

    async def prepare(self) -> None:
        if REMOTE not in self.config.mcp.servers:
            await prepare_sandbox(self)

    async def attach(self) -> None:
        server = self.config.mcp.servers.get(REMOTE)
        self._executor = await (EmbeddedExecutor.open(self) if server is None else RemoteExecutor.open(self, server))

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        assert self._executor is not None, "what is executed comes after `attach`"
        if isinstance(self._executor, RemoteExecutor):
            return await self._executor.perform(action, timeout=timeout, key=key)
        return await self._executor.perform(action, timeout)

    async def interrupt(self) -> bool:
        if self.tools.calls:
            return await super().interrupt()
        return self._executor is not None and await self._executor.interrupt()

    async def detach(self) -> None:
        if self._executor is not None:
            await self._executor.close()
