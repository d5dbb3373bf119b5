"""What a client may ask of a sandbox at a server: a method of Sandbox with its arguments, or an action."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from cloche.limits import TIMEOUT

Text = Annotated[str, Meta(max_length=4096)]
"""A path, a name, an argument."""
Texts = Annotated[list[Text], Meta(max_length=1000)]
Language = Annotated[str, Meta(max_length=100)]
BlobName = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
"""Data that went before, or comes after, as a body of its own."""


class Verb(Struct, frozen=True, tag_field="verb", omit_defaults=True, forbid_unknown_fields=True):
    """Names the method by its tag."""


class RunCode(Verb, frozen=True, tag="run"):
    """`run`, `bash` and `stream`; the answer is a Result."""

    code: str
    language: Language = "python"
    seconds: float | None = TIMEOUT
    """The time limit; None for none."""
    stdin: bytes | None = None
    interactive: bool = False
    """Whether the client answers input."""
    profile: bool = False
    args: Texts = []
    file: Text | None = None
    cwd: Text | None = None
    setup: bool = False


class Act(Verb, frozen=True, tag="act"):
    """Execute an action; the answer is its observation, as an event."""

    event: dict[str, Any]


class Complete(Verb, frozen=True, tag="complete"):
    """Completions at the cursor."""

    code: str
    cursor: int | None = None
    language: Language = "python"


class CheckComplete(Verb, frozen=True, tag="is_complete"):
    """Whether code is complete."""

    code: str
    language: Language = "python"


class Inspect(Verb, frozen=True, tag="inspect"):
    """The signature and docstring at the cursor."""

    code: str
    cursor: int | None = None
    language: Language = "python"


class Install(Verb, frozen=True, tag="install"):
    """Install packages by name, or wheels of the sandbox by path; no URL is opened."""

    packages: Texts
    language: Language = "python"
    upgrade: bool = False


class Reset(Verb, frozen=True, tag="reset"):
    """Replace an interpreter by a fresh one."""

    language: Language = "python"


class Unload(Verb, frozen=True, tag="unload"):
    """Unload a language."""

    language: Language


class SetEnv(Verb, frozen=True, tag="set_env"):
    """Add environment variables."""

    env: dict[str, str]


class ListLanguages(Verb, frozen=True, tag="languages"):
    """Every language and its state."""


class ShowInfo(Verb, frozen=True, tag="info"):
    """What the sandbox is; with this a client also starts it."""


class ReadFile(Verb, frozen=True, tag="read"):
    """The bytes of a file."""

    path: Text
    limit: int


class WriteFile(Verb, frozen=True, tag="write"):
    """Create or replace a file."""

    path: Text
    data: bytes = b""
    blob: BlobName | None = None
    """The data, if it went before."""


class ListFiles(Verb, frozen=True, tag="files"):
    """What is in a folder."""

    path: Text
    recursive: bool = False


class Remove(Verb, frozen=True, tag="remove"):
    """Remove a file or a folder."""

    path: Text
    recursive: bool = False


class MakeFolder(Verb, frozen=True, tag="mkdir"):
    """Make a folder."""

    path: Text


class Upload(Verb, frozen=True, tag="upload"):
    """Copy a file or folder into the sandbox; it went before, as an archive."""

    path: Text
    blob: BlobName


class Download(Verb, frozen=True, tag="download"):
    """Copy a file or folder out of the sandbox; it comes after, as an archive."""

    path: Text


class TakeMark(Verb, frozen=True, tag="mark"):
    """Record the state of a folder."""

    path: Text


class ShowDiff(Verb, frozen=True, tag="diff"):
    """What changed in a folder."""

    path: Text
    mark: Text | None = None
    """The name of a mark."""


class Save(Verb, frozen=True, tag="save"):
    """Save the sandbox; the file comes after."""

    python: bool = True
    files: bool = True


AnyVerb = (
    RunCode
    | Act
    | Complete
    | CheckComplete
    | Inspect
    | Install
    | Reset
    | Unload
    | SetEnv
    | ListLanguages
    | ShowInfo
    | ReadFile
    | WriteFile
    | ListFiles
    | Remove
    | MakeFolder
    | Upload
    | Download
    | TakeMark
    | ShowDiff
    | Save
)
