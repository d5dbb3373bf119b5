"""The default runtime: a sandbox in this process, or one behind an MCP server."""

import logging

from anyio import to_thread
from msgspec.structs import replace

from cloche.config import AppConfig, NamedServer
from cloche.errors import ConfigError
from cloche.events import ErrorObservation, Observation, RunnableAction
from cloche.runtime.base import Runtime, describe_error
from cloche.runtime.codes import NOT_SET_UP
from cloche.runtime.mapper import Mapper
from cloche.runtime.remote.forwarder import DISCONNECTED, Forwarder, is_gone
from cloche.runtime.remote.mcp_transport import MCPTransport
from cloche.runtime.sandbox_machine import SandboxMachine
from cloche.runtime.status import RuntimeStatus
from cloche.sandbox.cache import assets, snapshots
from cloche.sandbox.process.warm_up import warm_up
from cloche.sandbox.sandbox import Sandbox

log = logging.getLogger(__name__)

REMOTE = "pyodide"
"""The NAME of the section `[mcp.NAME]` that says where actions are executed instead."""


class PyodideRuntime(Runtime):
    """Executes actions in a WebAssembly sandbox: here, or at `[mcp.pyodide] url` if that is configured."""

    executes_at = REMOTE
    has_python = True

    _machine: SandboxMachine | None = None
    _mapper: Mapper | None = None
    _forwarder: Forwarder | None = None
    _bare = False
    """Whether the remote sandbox is a new one that lacks what `set_up` gives."""

    @property
    def box(self) -> Sandbox | None:
        """The sandbox, if it is in this process and open."""
        return self._machine.box if self._machine is not None else None

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell of this process's sandbox."""
        return self._mapper is not None and self._mapper.command_runs

    async def prepare(self) -> None:
        if REMOTE in self.config.mcp.servers or await to_thread.run_sync(snapshots.find_prepared) is not None:
            return
        self.tell(RuntimeStatus.STARTING_RUNTIME, "Preparing the sandbox, which is done once...")
        await assets.fetch_assets()
        await snapshots.build_prepared(warm_up)

    async def attach(self) -> None:
        server = self.config.mcp.servers.get(REMOTE)
        if server is None:
            await self._start()
        else:
            await self._reach(server)

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        if self._forwarder is not None:
            return await self._forward(self._forwarder, action, timeout, key)
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

    async def _forward(self, forwarder: Forwarder, action: RunnableAction, seconds: float, key: str) -> Observation:
        if self._bare and not self.is_setting_up and (why := await self._furnish()):
            return ErrorObservation(f"`{action.kind}` was NOT executed: {why}", NOT_SET_UP)
        heard = self.tell_output if self.is_heard else None
        answer = await forwarder.perform(action, timeout=seconds, key=f"{self.sid}/{key}", on_output=heard)
        if not isinstance(answer, ErrorObservation) or answer.error_id not in DISCONNECTED:
            return answer
        self.tell(RuntimeStatus.ERROR_RUNTIME_DISCONNECTED, answer.content, level="error")
        if not is_gone(answer):
            return answer
        self._bare = True
        if self.is_setting_up:
            return answer
        told = await self._furnish() or "It has the environment variables and plugins of the session again."
        return replace(answer, content=f"{answer.content} {told}")

    async def _furnish(self) -> str:
        """Set up a new sandbox as the one before was; gives why that failed."""
        try:
            await self.set_up()
        except Exception as error:
            log.exception("session=%s the new sandbox could not be set up", self.sid)
            return f"The new sandbox could not be set up, which the next action tries again: {describe_error(error)}"
        self._bare = False
        self.tell(RuntimeStatus.READY, "")
        return ""

    async def _start(self) -> None:
        machine = SandboxMachine(self.config, self.tell_output)
        try:
            await machine.start()
        except BaseException:
            await machine.close()
            raise
        self._machine, self._mapper = machine, Mapper(machine, self.config)

    async def _reach(self, server: NamedServer) -> None:
        check_remote(server, self.config)
        try:
            key = server.read_key()
        except ConfigError as error:
            raise ConfigError(f"{config_place(self.config)}: [mcp.{REMOTE}] {error}") from error
        headers = {"session_id": self.sid, "user_id": self.user_id or ""}
        transport = MCPTransport(server.url, headers, None if key is None else key.reveal())
        forwarder = Forwarder(transport, server.url)
        try:
            await forwarder.start()
        except BaseException:
            await transport.close_http()
            raise
        self._forwarder = forwarder


def check_remote(server: NamedServer, config: AppConfig) -> None:
    """Refuse a server that cannot be spoken to in the way that is configured."""
    if server.mode != "shttp":
        raise ConfigError(
            f'{config_place(config)}: [mcp.{REMOTE}] mode = "{server.mode}": the runtime pyodide '
            'is reached by streamable HTTP only. Write mode = "shttp", or remove the line'
        )


def config_place(config: AppConfig) -> str:
    """The file that the configuration is from, as errors name it."""
    return str(config.origin.file or "the configuration")
