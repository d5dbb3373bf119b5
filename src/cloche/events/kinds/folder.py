"""Folders that are created, listed, removed."""

from typing import ClassVar

from msgspec import Struct, field

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk

__all__ = [
    "ListFilesAction",
    "ListFilesObservation",
    "ListedFile",
    "MkdirAction",
    "MkdirObservation",
    "RmdirAction",
    "RmdirObservation",
]


class MkdirAction(Struct, frozen=True):
    """Create a folder and its parents."""

    kind: ClassVar[str] = "mkdir"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Making folder: {self.path}"


class RmdirAction(Struct, frozen=True):
    """Remove a folder; one that is not empty only if `recursive`."""

    kind: ClassVar[str] = "rmdir"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str
    recursive: bool = False
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Removing folder: {self.path}"


class ListFilesAction(Struct, frozen=True):
    """List a folder."""

    kind: ClassVar[str] = "list_files"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str = "."
    details: bool = False
    """Whether to list kinds, sizes and times too."""

    @property
    def message(self) -> str:
        return f"Listing files of: {self.path}"


class ListedFile(Struct, frozen=True):
    """Something in a folder."""

    name: str
    kind: str = "file"
    """`file`, `dir`, `link` or `other`; links are not followed."""
    size: int = 0
    modified: float = 0.0
    """Seconds since 1970."""


class MkdirObservation(Struct, frozen=True):
    """A folder was created."""

    kind: ClassVar[str] = "mkdir"
    ours: ClassVar[bool] = True

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I made the folder {self.path}."


class RmdirObservation(Struct, frozen=True):
    """A folder was removed."""

    kind: ClassVar[str] = "rmdir"
    ours: ClassVar[bool] = True

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I removed the folder {self.path}."


class ListFilesObservation(Struct, frozen=True):
    """The contents of a folder: folders first, with a slash at the end."""

    kind: ClassVar[str] = "list_files"
    ours: ClassVar[bool] = True

    content: str
    path: str = ""
    files: list[str] = field(default_factory=list[str])
    entries: list[ListedFile] = field(default_factory=list[ListedFile])
    """The same with details, if they were asked for."""

    @property
    def message(self) -> str:
        return f"I listed the files of {self.path}."


FolderAction = MkdirAction | RmdirAction | ListFilesAction
FolderObservation = MkdirObservation | RmdirObservation | ListFilesObservation
