"""The default runtime: a sandbox in this process, or one behind an MCP server."""

from cloche.config import AppConfig, NamedServer
from cloche.errors import ConfigError
from cloche.events import Action, ErrorObservation, Observation
from cloche.runtime.base import Runtime
from cloche.runtime.forwarder import DISCONNECTED, Forwarder
from cloche.runtime.mapper import Mapper
from cloche.runtime.mcp_transport import MCPTransport
from cloche.runtime.sandboxed import SandboxMachine
from cloche.runtime.status import RuntimeStatus
from cloche.sandbox.sandbox import Sandbox

REMOTE = "pyodide"
"""The NAME of the section `[mcp.NAME]` that says where actions are executed instead."""


class PyodideRuntime(Runtime):
    """Executes actions in a WebAssembly sandbox: here, or at `[mcp.pyodide] url` if that is configured."""

    executes_at = REMOTE

    _machine: SandboxMachine | None = None
    _mapper: Mapper | None = None
    _forwarder: Forwarder | None = None

    @property
    def box(self) -> Sandbox | None:
        """The sandbox, if it is in this process and open."""
        return self._machine.box if self._machine is not None else None

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell of this process's sandbox."""
        return self._mapper is not None and self._mapper.command_runs

    async def attach(self) -> None:
        server = self.config.mcp.servers.get(REMOTE)
        if server is None:
            await self._start()
        else:
            await self._reach(server)

    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        if self._forwarder is not None:
            answer = await self._forwarder.perform(action, timeout=timeout, key=f"{self.sid}/{key}")
            if isinstance(answer, ErrorObservation) and answer.error_id in DISCONNECTED:
                self.tell(RuntimeStatus.ERROR_RUNTIME_DISCONNECTED, answer.content, level="error")
            return answer
        assert self._mapper is not None
        return await self._mapper.perform(action, timeout)

    async def interrupt(self) -> bool:
        if self.tools.calls:
            return await super().interrupt()
        if self._forwarder is not None:
            return await self._forwarder.interrupt()
        return self._mapper is not None and await self._mapper.interrupt()

    async def detach(self) -> None:
        machine, self._machine = self._machine, None
        if machine is not None:
            await machine.close()
        if self._forwarder is not None:
            await self._forwarder.close()

    async def _start(self) -> None:
        machine = SandboxMachine(self.config)
        try:
            await machine.start()
        except BaseException:
            await machine.close()
            raise
        self._machine, self._mapper = machine, Mapper(machine, self.config)

    async def _reach(self, server: NamedServer) -> None:
        check_remote(server, self.config)
        key = server.read_key()
        headers = {"session_id": self.sid, "user_id": self.user_id or ""}
        transport = MCPTransport(server.url, headers, None if key is None else key.reveal())
        forwarder = Forwarder(transport, server.url)
        try:
            await transport.open()
            await forwarder.start()
        except BaseException:
            await transport.close_http()
            raise
        self._forwarder = forwarder


def check_remote(server: NamedServer, config: AppConfig) -> None:
    """Refuse a server that cannot be spoken to in the way that is configured."""
    if server.mode != "shttp":
        raise ConfigError(
            f'{config.origin.file or "the configuration"}: [mcp.{REMOTE}] mode = "{server.mode}": the runtime pyodide '
            'is reached by streamable HTTP only. Write mode = "shttp", or remove the line'
        )
