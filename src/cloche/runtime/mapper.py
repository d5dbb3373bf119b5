"""Executes actions on a machine: calls its methods, and turns the results into observations."""

import posixpath
from typing import assert_never

import anyio
from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import ConfigError
from cloche.events import (
    A2ACancelTaskAction,
    A2AListRemoteAgentsAction,
    A2ASendTaskAction,
    AddEnvVarsAction,
    BrowseInteractiveAction,
    BrowseURLAction,
    CmdRunAction,
    CopyFromAction,
    CopyFromObservation,
    CopyToAction,
    ErrorObservation,
    FileEditAction,
    FileReadAction,
    FileWriteAction,
    IPythonRunCellAction,
    ListedFile,
    ListFilesAction,
    ListFilesObservation,
    MCPAction,
    MkdirAction,
    MoveAction,
    MoveObservation,
    Observation,
    RmAction,
    RmdirAction,
    RunCodeAction,
    RunnableAction,
    SandboxCallAction,
    SuccessObservation,
)
from cloche.runtime.actions.cells import Cells
from cloche.runtime.actions.commands import Commands
from cloche.runtime.actions.file_actions import FileActions
from cloche.runtime.actions.file_archives import pack_files, read_tree, unpack_files
from cloche.runtime.actions.file_editor import FileEditor
from cloche.runtime.actions.file_errors import explain_file_error
from cloche.runtime.actions.long_outputs import LongOutputs
from cloche.runtime.codes import BAD_ACTION, FILE
from cloche.runtime.machine import FolderEntry, Machine

Transfer = ListFilesAction | CopyToAction | CopyFromAction | MoveAction
NO_BROWSER = "This runtime has no browser. Read pages with `curl`, if the network is allowed."
STILL_RUNS = "`{}` is NOT executed. The previous command is still running. Wait for it or stop it with C-c first."


class Mapper:
    """Executes actions, one at a time."""

    def __init__(self, machine: Machine, config: AppConfig) -> None:
        self._machine = machine
        outputs = LongOutputs(machine)
        self._commands = Commands(machine, outputs, config.sandbox.no_change_timeout)
        self._cells = Cells(machine, outputs)
        self._editor = FileEditor(machine)
        self._files = FileActions(machine, self._editor)

    async def perform(self, action: RunnableAction, seconds: float) -> Observation:
        """Execute one action."""
        if "\0" in (path := getattr(action, "path", "")):
            return ErrorObservation(f"`{action.kind}` of {path!r} is not possible: a path cannot hold a NUL.", FILE)
        match action:
            case CmdRunAction():
                return await self._commands.run(action, seconds)
            case IPythonRunCellAction() | RunCodeAction():
                return await self._code(action, seconds)
            case FileReadAction() | FileWriteAction() | MkdirAction() | RmdirAction() | RmAction():
                return await self._files.perform(action, self._absolute(action.path))
            case FileEditAction():
                return await self._edit(action)
            case ListFilesAction() | CopyToAction() | CopyFromAction() | MoveAction():
                return await self._transfer(action, seconds)
            case AddEnvVarsAction():
                return await self._add_env(action)
            case BrowseURLAction() | BrowseInteractiveAction():
                return ErrorObservation(NO_BROWSER, BAD_ACTION)
            case (
                MCPAction()
                | A2AListRemoteAgentsAction()
                | A2ASendTaskAction()
                | A2ACancelTaskAction()
                | SandboxCallAction()
            ):
                return ErrorObservation(f"Action {action.kind} is not supported in this runtime.", BAD_ACTION)
            case _:
                assert_never(action)

    @property
    def command_runs(self) -> bool:
        """Whether a command was left running in the shell."""
        return self._commands.running

    async def interrupt(self) -> bool:
        """Stop the running command or code; returns whether there was one."""
        for process in (self._commands.process, self._cells.process):
            if process is not None and process.ended is None:
                await process.stop()
                return True
        return False

    async def _code(self, action: IPythonRunCellAction | RunCodeAction, seconds: float) -> Observation:
        if self._commands.running:
            return ErrorObservation(STILL_RUNS.format(action.kind), BAD_ACTION)
        try:
            if isinstance(action, IPythonRunCellAction):
                return await self._cells.run_ipython(action, seconds, self._commands.folder)
            return await self._cells.run_code(action, seconds)
        except ConfigError as error:
            return ErrorObservation(str(error), BAD_ACTION)

    async def _add_env(self, action: AddEnvVarsAction) -> Observation:
        try:
            await self._machine.set_env(action.env_vars)
        except ConfigError as error:
            return ErrorObservation(f"Nothing was added: {error}.", BAD_ACTION)
        return SuccessObservation(f"Added {', '.join(action.env_vars) or 'nothing'}.")

    async def _edit(self, action: FileEditAction) -> Observation:
        path = self._absolute(action.path)
        if action.impl_source == "llm_based_edit":
            return ErrorObservation(
                "Edits that a model makes are not done by a runtime: use the commands str_replace or insert.",
                BAD_ACTION,
            )
        return await self._editor.edit(action, path)

    async def _transfer(self, action: Transfer, seconds: float) -> Observation:
        path = self._absolute(action.path)
        try:
            with anyio.fail_after(seconds):
                return await self._copy(action, path)
        except TimeoutError:
            late = f"`{action.kind}` of {path} was stopped after {seconds:g} seconds, its time limit."
            return ErrorObservation(late, FILE)
        except OSError as error:
            return ErrorObservation(explain_file_error(error, action.kind, path), FILE)

    async def _copy(self, action: Transfer, path: str) -> Observation:
        match action:
            case ListFilesAction():
                return _describe_list(path, await self._machine.list(path), details=action.details)
            case CopyToAction():
                return await self._take_in(path, action.archive)
            case CopyFromAction():
                return CopyFromObservation(await self._take_out(path), path)
            case MoveAction():
                destination = self._absolute(action.destination)
                await self._machine.move(path, destination, overwrite=action.overwrite)
                return MoveObservation("", path, destination)

    async def _take_in(self, path: str, archive: str) -> Observation:
        try:
            files = await to_thread.run_sync(unpack_files, archive)
        except ValueError as error:
            return ErrorObservation(f"Nothing was copied to {path}: {error}.", FILE)
        await self._machine.mkdir(path)
        for name, data in files.items():
            if name.endswith("/"):
                await self._machine.mkdir(f"{path}/{name.rstrip('/')}")
            else:
                await self._machine.write(f"{path}/{name}", data)
        return SuccessObservation(f"Copied {sum(not name.endswith('/') for name in files)} files to {path}.")

    async def _take_out(self, path: str) -> str:
        return await to_thread.run_sync(pack_files, await read_tree(self._machine, path))

    def _absolute(self, path: str) -> str:
        # Without `..`, so that a file has only one name.
        return "/" + posixpath.normpath(posixpath.join(self._commands.folder, path)).lstrip("/")


def _describe_list(path: str, entries: list[FolderEntry], *, details: bool) -> ListFilesObservation:
    ordered = sorted(entries, key=lambda entry: (not entry.is_folder, entry.name.casefold()))
    names = [entry.name + "/" if entry.is_folder else entry.name for entry in ordered]
    return ListFilesObservation("\n".join(names), path, names, [*map(_describe_entry, ordered)] if details else [])


def _describe_entry(entry: FolderEntry) -> ListedFile:
    kind = "dir" if entry.is_folder else "file" if entry.is_file else "link" if entry.is_link else "other"
    return ListedFile(entry.name, kind, entry.size, entry.modified)
