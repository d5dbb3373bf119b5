"""The methods of a runtime, one for each kind of action: each builds the action and executes it."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from anyio import to_thread

from cloche.errors import RuntimeFailed
from cloche.events import (
    Action,
    AddEnvVarsAction,
    BrowseInteractiveAction,
    BrowseURLAction,
    CmdRunAction,
    CopyFromAction,
    CopyToAction,
    ErrorObservation,
    FileEditAction,
    FileReadAction,
    FileWriteAction,
    IPythonRunCellAction,
    ListFilesAction,
    ListFilesObservation,
    MCPAction,
    MkdirAction,
    MoveAction,
    Observation,
    RmAction,
    RmdirAction,
    RunCodeAction,
)
from cloche.runtime.actions.file_archives import pack_host_files, write_host_files
from cloche.runtime.live_output import Hear, OnOutput

Claim = Callable[[], Awaitable[bool]]
"""Claims an action for its caller; returns False if it was claimed before."""
Work = Callable[[Hear], Awaitable[Observation]]
"""Does what an action says in a way of its own, and returns the observation."""


class Verbs(ABC):
    """The methods of a runtime; an action may be given whole or by its first field."""

    @abstractmethod
    async def execute(
        self,
        action: Action,
        *,
        timeout: float | None = None,
        key: str | None = None,
        on_output: OnOutput | None = None,
        claim: Claim | None = None,
    ) -> Observation:
        """Execute one action and return its observation."""

    async def run(
        self, action: CmdRunAction | str, *, timeout: float | None = None, on_output: OnOutput | None = None
    ) -> Observation:
        """Run a command in the session's shell."""
        command = CmdRunAction(action) if isinstance(action, str) else action
        return await self.execute(command, timeout=timeout, on_output=on_output)

    async def run_ipython(
        self, action: IPythonRunCellAction | str, *, timeout: float | None = None, on_output: OnOutput | None = None
    ) -> Observation:
        """Run a cell in the session's Python."""
        cell = IPythonRunCellAction(action) if isinstance(action, str) else action
        return await self.execute(cell, timeout=timeout, on_output=on_output)

    async def run_code(
        self, action: RunCodeAction, *, timeout: float | None = None, on_output: OnOutput | None = None
    ) -> Observation:
        """Run code in any language."""
        return await self.execute(action, timeout=timeout, on_output=on_output)

    async def read(self, action: FileReadAction | str) -> Observation:
        """Read a file."""
        return await self.execute(FileReadAction(action) if isinstance(action, str) else action)

    async def write(self, action: FileWriteAction) -> Observation:
        """Write a file."""
        return await self.execute(action)

    async def edit(self, action: FileEditAction) -> Observation:
        """Edit a file."""
        return await self.execute(action)

    async def mkdir(self, action: MkdirAction | str) -> Observation:
        """Make a folder."""
        return await self.execute(MkdirAction(action) if isinstance(action, str) else action)

    async def rmdir(self, action: RmdirAction | str) -> Observation:
        """Remove a folder."""
        return await self.execute(RmdirAction(action) if isinstance(action, str) else action)

    async def rm(self, action: RmAction | str) -> Observation:
        """Remove a file."""
        return await self.execute(RmAction(action) if isinstance(action, str) else action)

    async def move(self, action: MoveAction) -> Observation:
        """Move or rename a file or a folder."""
        return await self.execute(action)

    async def browse(self, action: BrowseURLAction | str) -> Observation:
        """Open a page."""
        return await self.execute(BrowseURLAction(action) if isinstance(action, str) else action)

    async def browse_interactive(self, action: BrowseInteractiveAction | str) -> Observation:
        """Act on the open page."""
        return await self.execute(BrowseInteractiveAction(action) if isinstance(action, str) else action)

    async def call_tool_mcp(self, action: MCPAction, *, timeout: float | None = None) -> Observation:
        """Call a tool of an MCP server."""
        return await self.execute(action, timeout=timeout)

    async def list_files(self, path: str | None = None) -> list[str]:
        """The names in a folder, folders first and with a slash at the end; empty if there is no such folder."""
        observation = await self.execute(ListFilesAction(path or "."))
        return observation.files if isinstance(observation, ListFilesObservation) else []

    async def copy_to(self, host_src: str | Path, sandbox_dest: str, recursive: bool = False) -> None:
        """Copy a file of the host, or a folder with `recursive`, into the folder `sandbox_dest`."""
        archive = await to_thread.run_sync(pack_host_files, Path(host_src), recursive)
        _check_observation(await self.execute(CopyToAction(sandbox_dest, archive)))

    async def copy_from(self, path: str) -> Path:
        """Copy a file or folder of the runtime into a zip archive on the host, which the caller removes."""
        observation = _check_observation(await self.execute(CopyFromAction(path)))
        return await to_thread.run_sync(write_host_files, observation.content)

    async def add_env_vars(self, env_vars: Mapping[str, str]) -> None:
        """Add environment variables in the shell, in Python and in every other language."""
        _check_observation(await self.execute(AddEnvVarsAction(dict(env_vars))))


def _check_observation(observation: Observation) -> Observation:
    """The observation, or its error as an exception: these methods return something else."""
    if isinstance(observation, ErrorObservation):
        raise RuntimeFailed(observation.content)
    return observation
