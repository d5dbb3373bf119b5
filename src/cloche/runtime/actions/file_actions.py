"""File actions on a machine."""

import errno
from pathlib import PurePosixPath

from cloche.errors import BinaryFile
from cloche.events import (
    ErrorObservation,
    FileReadAction,
    FileReadObservation,
    FileWriteAction,
    FileWriteObservation,
    MkdirAction,
    MkdirObservation,
    Observation,
    RmAction,
    RmdirAction,
    RmdirObservation,
    RmObservation,
)
from cloche.limits import READ_LIMIT
from cloche.runtime.actions.file_editor import FileEditor
from cloche.runtime.actions.file_errors import explain_file_error
from cloche.runtime.actions.file_texts import PICTURES, cut_lines, data_url, decode_text, splice_lines
from cloche.runtime.codes import FILE
from cloche.runtime.machine import FolderEntry, Machine

FileAction = FileReadAction | FileWriteAction | MkdirAction | RmdirAction | RmAction


class FileActions:
    """Reads, writes and removes files; a failure is an observation that says what to do."""

    def __init__(self, machine: Machine, editor: FileEditor) -> None:
        self._machine = machine
        self._editor = editor

    async def perform(self, action: FileAction, path: str) -> Observation:
        """Execute an action on the file at `path`."""
        try:
            return await self._perform(action, path)
        except (BinaryFile, OSError) as error:
            return ErrorObservation(explain_file_error(error, action.kind, path), FILE)

    async def _perform(self, action: FileAction, path: str) -> Observation:
        match action:
            case FileReadAction():
                return await self._read(action, path)
            case FileWriteAction():
                return await self._write(action, path)
            case MkdirAction():
                await self._machine.mkdir(path)
                return MkdirObservation("", path)
            case RmdirAction():
                if not (await self._entry(path)).is_folder:
                    raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
                await self._machine.remove(path, recursive=action.recursive)
                return RmdirObservation("", path)
            case RmAction():
                if (await self._entry(path)).is_folder:
                    raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
                await self._machine.remove(path, recursive=False)
                return RmObservation("", path)

    async def _read(self, action: FileReadAction, path: str) -> Observation:
        if action.impl_source == "oh_aci":
            return await self._editor.view(path, action.view_range)
        data = await self._machine.read(path, READ_LIMIT)
        kind = PICTURES.get(PurePosixPath(path).suffix.lower())
        if kind is not None:
            return FileReadObservation(data_url(kind, data), path)
        return FileReadObservation(cut_lines(decode_text(data, path), action.start, action.end), path)

    async def _write(self, action: FileWriteAction, path: str) -> Observation:
        text = action.content
        if action.start > 0 or action.end != -1:
            text = splice_lines(
                decode_text(await self._machine.read(path, READ_LIMIT), path), text, action.start, action.end
            )
        await self._machine.write(path, text.encode())
        return FileWriteObservation("", path)

    async def _entry(self, path: str) -> FolderEntry:
        """What is at a path; links are not followed."""
        place = PurePosixPath(path)
        if not place.name:
            return FolderEntry("/", is_folder=True)
        for entry in await self._machine.list(str(place.parent)):
            if entry.name == place.name:
                return entry
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
