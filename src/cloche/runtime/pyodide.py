"""The default runtime: a sandbox in this process, or one behind an MCP server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import SandboxUnavailable
from cloche.events import Observation, RunCodeAction, RunnableAction, SandboxCallAction
from cloche.limits import POOL_WAIT
from cloche.runtime.base import Runtime
from cloche.runtime.box_call import BoxCall
from cloche.runtime.embedded_executor import EmbeddedExecutor, OnText, prepare_sandbox
from cloche.runtime.file_access import FileAccess, SandboxFiles
from cloche.runtime.plugin import find_plugin
from cloche.runtime.remote.remote_executor import REMOTE, RemoteExecutor
from cloche.runtime.sandbox_machine import read_options
from cloche.sandbox.pool.pool import Pool
from cloche.sandbox.pool.template import Template
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Result
from cloche.security.outline import ShellOutline


class PyodideRuntime(Runtime):
    """Executes actions in a WebAssembly sandbox: here, or at `[mcp.pyodide] url` if that is configured."""

    executes_at = REMOTE
    has_python = True

    _executor: EmbeddedExecutor | RemoteExecutor | None = None

    @staticmethod
    @asynccontextmanager
    async def open_pool(
        config: AppConfig,
        size: int = 4,
        *,
        max_size: int | None = None,
        wait: float | None = POOL_WAIT,
        workspaces: Path | None = None,
    ) -> AsyncGenerator[Pool]:
        """A pool whose spares are what runtimes with this configuration need, with their plugins."""
        template = await to_thread.run_sync(_make_template, config)
        async with Pool(size, max_size=max_size, wait=wait, template=template, workspaces=workspaces) as pool:
            yield pool

    @property
    def box(self) -> RecordedSandbox | None:
        """The sandbox, if it is in this process and open."""
        return self._executor.box if isinstance(self._executor, EmbeddedExecutor) else None

    @property
    def calls(self) -> dict[str, BoxCall] | None:
        """Calls of clients that wait for their actions; None if the sandbox is not in this process."""
        return self._executor.calls if isinstance(self._executor, EmbeddedExecutor) else None

    @property
    def files(self) -> FileAccess:
        """The folders of the sandbox itself, if it is in this process."""
        return super().files if self.box is None else SandboxFiles(self.box.host_files)

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell of this process's sandbox."""
        return isinstance(self._executor, EmbeddedExecutor) and self._executor.command_runs

    async def read_as_shell(self, command: str) -> ShellOutline | None:
        """How the shell would read a command now, for a security analyzer; None where it cannot be asked.

        That is at a remote sandbox, and while another command runs.
        """
        return await self._executor.outline(command) if isinstance(self._executor, EmbeddedExecutor) else None

    async def run_for_result(
        self, code: str, *, language: str, stdin: str | None = None, timeout: float, on_text: OnText
    ) -> Result:
        """Run code, in turn with the actions, for a caller who needs more than an observation.

        Raises SandboxUnavailable if the sandbox is not in this process, or while a command that was left running has
        the shell.
        """
        async with self.turn:
            if not isinstance(self._executor, EmbeddedExecutor) or self._executor.box is None:
                raise SandboxUnavailable(f"the session {self.sid} has no open sandbox in this process")
            return await self._executor.run_for_result(
                code, language=language, stdin=stdin, seconds=timeout, on_text=on_text
            )

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
        if isinstance(action, RunCodeAction | SandboxCallAction) and action.call:
            return await self._executor.make_call(action)
        return await self._executor.perform(action, timeout)

    async def interrupt(self) -> bool:
        if self.runs_outside:
            return await super().interrupt()
        return self._executor is not None and await self._executor.interrupt()

    async def interrupt_action(self) -> bool:
        """Stop the running action, but not what `run_for_result` runs."""
        if self.runs_outside or not isinstance(self._executor, EmbeddedExecutor):
            return await self.interrupt()
        return await self._executor.interrupt_action()

    async def detach(self) -> None:
        if self._executor is not None:
            await self._executor.close()


def _make_template(config: AppConfig) -> Template:
    template = Template(**read_options(config))
    for name in config.sandbox.plugins:
        template = template.joined(find_plugin(name).template())
    return template
