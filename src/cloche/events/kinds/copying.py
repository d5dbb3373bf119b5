"""Files that are copied in and out, as archives."""

from typing import ClassVar

from msgspec import Struct

__all__ = ["CopyFromAction", "CopyFromObservation", "CopyToAction"]


class CopyToAction(Struct, frozen=True):
    """Bring files in: a zip archive is unpacked into a folder."""

    kind: ClassVar[str] = "copy_to"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str
    archive: str
    """The archive in base64."""

    @property
    def message(self) -> str:
        return f"Copying files to: {self.path}"


class CopyFromAction(Struct, frozen=True):
    """Take a file or a folder out, as a zip archive."""

    kind: ClassVar[str] = "copy_from"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    path: str

    @property
    def message(self) -> str:
        return f"Copying files from: {self.path}"


class CopyFromObservation(Struct, frozen=True):
    """Files taken out; the content is a zip archive in base64."""

    kind: ClassVar[str] = "copy_from"
    ours: ClassVar[bool] = True

    content: str
    path: str = ""

    @property
    def message(self) -> str:
        return f"I copied files from {self.path}."


CopyingAction = CopyToAction | CopyFromAction
CopyingObservation = CopyFromObservation
