"""The interface of a place where actions can be executed: a shell, files, cells."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

WORKSPACE = "/workspace"
"""Where the shell and Python begin."""


class Ended(Struct, frozen=True):
    """How a command, a cell or a program ended."""

    exit_code: int
    value: str | None = None
    """The last expression, if the language has one."""
    error: dict[str, Any] | None = None
    """Its type, message, line, column and traceback."""
    images: tuple[str, ...] = ()
    """Images that were shown, as data URLs."""
    state_lost: bool = False
    """Whether the interpreter had to be ended to stop it: variables are lost."""
    timed_out: bool = False
    folder: str | None = None
    """The folder of the shell, or of Python, afterwards; None if unknown."""
    displays: tuple[dict[str, Any], ...] = ()
    """Other rich displays, each as `{"data": {MIME type: content}, "metadata": {...}}`."""


class MachineIdentity(Struct, frozen=True):
    """The user and host names that code sees."""

    user: str
    host: str
    python: str


class FolderEntry(Struct, frozen=True):
    """The files and folders in a folder."""

    name: str
    is_folder: bool
    is_file: bool = True
    """False also for a link, a pipe or a device, which cannot be read as a file."""
    is_link: bool = False
    size: int = 0
    modified: float = 0.0
    """Seconds since 1970."""


class Process(ABC):
    """A running command or code; it continues even if its output is not read."""

    @property
    @abstractmethod
    def ended(self) -> Ended | None:
        """How it ended; None while it runs."""

    @property
    def asks(self) -> bool:
        """Whether it is known to wait for a line of input; False if the machine cannot know."""
        return False

    @abstractmethod
    def take(self) -> str:
        """What it has written since the last call, both streams in order; of very much, only head and tail."""

    @abstractmethod
    async def wait(self, seconds: float | None) -> bool:
        """Wait for its end or for more output, at most this long; returns whether there was either."""

    @abstractmethod
    async def send(self, line: str | None) -> None:
        """Send a line to its terminal; None is the end of input."""

    async def interrupt_line(self) -> bool:
        """Give up the line at the prompt of a session, as Ctrl-C does there; False if it is at none."""
        return False

    @abstractmethod
    async def stop(self) -> None:
        """Stop it as Ctrl-C would, and if that fails, in any way there is; returns when it has ended."""


class Machine(ABC):
    """A place with a file system, one shell, and languages. Knows nothing of actions and observations.

    Errors of files are those of Python (FileNotFoundError, PermissionError, ...) and name the path that was given.
    SandboxError means that the place itself failed.
    """

    @abstractmethod
    async def start(self) -> None:
        """Start it."""

    @abstractmethod
    async def close(self) -> None:
        """End everything; may be called twice, never raises."""

    @abstractmethod
    async def run(
        self,
        language: str,
        code: str,
        *,
        stdin: str | None = None,
        timeout: float | None = None,
        folder: str | None = None,
        setup: bool = False,
    ) -> Process:
        """Begin a command (`bash`) or code in any other language; Python goes to `folder` first, if it is there.

        Code that is `setup` prepares an interpreter: where cells are counted, it is none.
        """

    @property
    @abstractmethod
    def identity(self) -> MachineIdentity:
        """Known after the start."""

    @abstractmethod
    async def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file; a file of more than `limit` is refused with EFBIG before it is read."""

    @abstractmethod
    async def write(self, path: str, data: bytes) -> None:
        """Create or replace a file, and its parent folders."""

    @abstractmethod
    async def list(self, path: str) -> list[FolderEntry]:
        """The files and folders in a folder."""

    @abstractmethod
    async def mkdir(self, path: str) -> None:
        """Make a folder and its parents."""

    @abstractmethod
    async def remove(self, path: str, *, recursive: bool) -> None:
        """Remove a file or an empty folder; with `recursive`, any folder."""

    @abstractmethod
    async def move(self, path: str, destination: str, *, overwrite: bool) -> None:
        """Move or rename a file or folder, and make the parents of the destination.

        FileExistsError if something is there, unless `overwrite`; a folder replaces only an empty one.
        """

    @abstractmethod
    async def set_env(self, env: Mapping[str, str]) -> None:
        """Add environment variables in the shell and in every language."""
