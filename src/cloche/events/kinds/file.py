"""Files that are read, written, edited, removed."""

from typing import ClassVar

from msgspec import Struct

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk

__all__ = [
    "FileEditAction",
    "FileEditObservation",
    "FileReadAction",
    "FileReadObservation",
    "FileWriteAction",
    "FileWriteObservation",
    "MoveAction",
    "MoveObservation",
    "RmAction",
    "RmObservation",
]


class FileReadAction(Struct, frozen=True):
    """Read a file, whole or a range of its lines."""

    kind: ClassVar[str] = "read"
    runnable: ClassVar[bool] = True

    path: str
    start: int = 0
    end: int = -1
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    impl_source: str = "default"
    """`default` returns the text unchanged, `oh_aci` numbers its lines as an editor's view."""
    view_range: list[int] | None = None

    @property
    def message(self) -> str:
        return f"Reading file: {self.path}"


class FileWriteAction(Struct, frozen=True):
    """Write a file, or replace the lines from `start` to `end` in it."""

    kind: ClassVar[str] = "write"
    runnable: ClassVar[bool] = True

    path: str
    content: str
    start: int = 0
    end: int = -1
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Writing file: {self.path}"


class FileEditAction(Struct, frozen=True):
    """Edit a file by one of the commands view, create, str_replace, insert, undo_edit."""

    kind: ClassVar[str] = "edit"
    runnable: ClassVar[bool] = True

    path: str
    command: str = ""
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    insert_line: int | None = None
    content: str = ""
    start: int = 1
    end: int = -1
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    impl_source: str = "oh_aci"

    @property
    def message(self) -> str:
        return ""


class RmAction(Struct, frozen=True):
    """Remove a file."""

    kind: ClassVar[str] = "rm"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Removing file: {self.path}"


class MoveAction(Struct, frozen=True):
    """Move or rename a file or a folder; what is at the destination is replaced only with `overwrite`."""

    kind: ClassVar[str] = "move"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str
    destination: str
    overwrite: bool = False
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Moving {self.path} to {self.destination}"


EDIT_REFUSED = "ERROR:\n"
"""How the content of an observation starts if an edit or a view failed."""


class FileReadObservation(Struct, frozen=True):
    """The content of a file; pictures and the like as data URLs."""

    kind: ClassVar[str] = "read"

    content: str
    path: str
    impl_source: str = "default"

    @property
    def refused(self) -> bool:
        """Whether a view failed; the text of a file that is read may start the same way."""
        return self.impl_source == "oh_aci" and self.content.startswith(EDIT_REFUSED)

    @property
    def message(self) -> str:
        return f"I could not view {self.path}." if self.refused else f"I read the file {self.path}."


class FileWriteObservation(Struct, frozen=True):
    """A file was written."""

    kind: ClassVar[str] = "write"

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I wrote to the file {self.path}."


class FileEditObservation(Struct, frozen=True, rename={"diff_cache": "_diff_cache"}):
    """A file was edited; `diff` shows how."""

    kind: ClassVar[str] = "edit"

    content: str
    path: str = ""
    prev_exist: bool = True
    old_content: str | None = None
    new_content: str | None = None
    impl_source: str = "oh_aci"
    diff: str | None = None
    diff_cache: str | None = None
    """Always in wire format, never used."""

    @property
    def refused(self) -> bool:
        """Whether the edit failed."""
        return self.content.startswith(EDIT_REFUSED)

    @property
    def message(self) -> str:
        return f"I could not edit {self.path}." if self.refused else f"I edited the file {self.path}."


class RmObservation(Struct, frozen=True):
    """A file was removed."""

    kind: ClassVar[str] = "rm"
    ours: ClassVar[bool] = True

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I removed the file {self.path}."


class MoveObservation(Struct, frozen=True):
    """A file or a folder was moved."""

    kind: ClassVar[str] = "move"
    ours: ClassVar[bool] = True

    content: str
    path: str
    destination: str

    @property
    def message(self) -> str:
        return f"I moved {self.path} to {self.destination}."


FileAction = FileReadAction | FileWriteAction | FileEditAction | RmAction | MoveAction
FileObservation = FileReadObservation | FileWriteObservation | FileEditObservation | RmObservation | MoveObservation
