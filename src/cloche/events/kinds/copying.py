"""Files that are copied in and out, as archives."""

from typing import ClassVar

from msgspec import Struct, field

__all__ = ["CopyFromAction", "CopyFromObservation", "CopyToAction", "UploadAction"]


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


class UploadAction(Struct, frozen=True):
    """The user has brought files in, beside the stream: the event only says which."""

    kind: ClassVar[str] = "upload"
    runnable: ClassVar[bool] = False
    ours: ClassVar[bool] = True

    path: str
    """The folder."""
    files: dict[str, int] = field(default_factory=dict[str, int])
    """Their paths there, and how many bytes each has."""
    more: int = 0
    """How many were brought in besides these."""

    @property
    def message(self) -> str:
        named = [f"{name} ({size} bytes)" for name, size in self.files.items()]
        more = [f"{self.more} more"] if self.more else []
        return f"Uploading to {self.path}: {', '.join(named + more)}"


CopyingAction = CopyToAction | CopyFromAction
UploadingAction = UploadAction
CopyingObservation = CopyFromObservation
