"""Executes actions in the sandbox of a server, and sets up a new one if the one before was lost."""

import logging
from typing import Self

from msgspec.structs import replace

from cloche.config import AppConfig, NamedServer
from cloche.errors import ConfigError
from cloche.events import ErrorObservation, Observation, RunnableAction
from cloche.runtime.base import Runtime
from cloche.runtime.codes import NOT_SET_UP
from cloche.runtime.failures import describe_error
from cloche.runtime.remote.forwarder import DISCONNECTED, Forwarder, Transport, is_gone
from cloche.runtime.remote.mcp_transport import MCPTransport
from cloche.runtime.status import RuntimeStatus

log = logging.getLogger(__name__)

REMOTE = "pyodide"
"""The NAME of the section `[mcp.NAME]` with the server that executes actions."""


class RemoteExecutor:
    """The sandbox that a server keeps for the session of a runtime."""

    def __init__(self, runtime: Runtime, forwarder: Forwarder) -> None:
        self._runtime = runtime
        self._forwarder = forwarder
        self._bare = False
        """Whether the sandbox is new and not set up yet."""

    @classmethod
    async def open(cls, runtime: Runtime, server: NamedServer) -> Self:
        """Connect to an MCP server, and let it prepare its sandbox."""
        check_remote(server, runtime.config)
        try:
            key = server.read_key()
        except ConfigError as error:
            raise ConfigError(f"{config_place(runtime.config)}: [mcp.{REMOTE}] {error}") from error
        headers = {"session_id": runtime.sid, "user_id": runtime.user_id or ""}
        transport = MCPTransport(server.url, headers, None if key is None else key.reveal())
        return await cls.start(runtime, transport, Forwarder(transport, server.url))

    @classmethod
    async def start(cls, runtime: Runtime, transport: Transport, forwarder: Forwarder) -> Self:
        """Connect by a transport, and let the other side prepare its sandbox."""
        try:
            await forwarder.start()
        except BaseException:
            await transport.release()
            raise
        return cls(runtime, forwarder)

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        """Execute one action there; the same `key` again is not executed again."""
        runtime = self._runtime
        if self._bare and not runtime.is_setting_up and (why := await self._furnish()):
            return ErrorObservation(f"`{action.kind}` was NOT executed: {why}", NOT_SET_UP)
        heard = runtime.tell_output if runtime.is_heard else None
        key = f"{runtime.sid}/{key}"
        answer = await self._forwarder.perform(action, timeout=timeout, key=key, on_output=heard)
        if not isinstance(answer, ErrorObservation) or answer.error_id not in DISCONNECTED:
            return answer
        runtime.tell(RuntimeStatus.ERROR_RUNTIME_DISCONNECTED, answer.content, level="error")
        if not is_gone(answer):
            return answer
        self._bare = True
        if runtime.is_setting_up:
            return answer
        told = await self._furnish() or "It has the environment variables and plugins of the session again."
        return replace(answer, content=f"{answer.content} {told}")

    async def interrupt(self) -> bool:
        """Stop the running action; returns whether there was one."""
        return await self._forwarder.interrupt()

    async def close(self) -> None:
        """Release the server's sandbox; may be called twice, never raises."""
        await self._forwarder.close()

    async def _furnish(self) -> str:
        """Set up a new sandbox like the one before; returns why that failed."""
        runtime = self._runtime
        try:
            await runtime.set_up()
        except Exception as error:  # plugins are foreign code: their errors must not end the session
            log.exception("the new sandbox could not be set up")
            return f"The new sandbox could not be set up, which the next action tries again: {describe_error(error)}"
        self._bare = False
        runtime.tell(RuntimeStatus.READY, "")
        return ""


def check_remote(server: NamedServer, config: AppConfig) -> None:
    """Refuse a server that cannot be used in the configured way."""
    if server.mode != "shttp":
        raise ConfigError(
            f'{config_place(config)}: [mcp.{REMOTE}] mode = "{server.mode}": the runtime pyodide '
            'is reached by streamable HTTP only. Write mode = "shttp", or remove the line'
        )


def config_place(config: AppConfig) -> str:
    """The file that the configuration is from, as errors name it."""
    return str(config.origin.file or "the configuration")
