"""Observations: the results of actions."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.agent_observations import (
    AgentCondensationObservation,
    AgentDelegateObservation,
    AgentStateChangedObservation,
    AgentThinkObservation,
    LoopDetectionObservation,
    RecallObservation,
    TaskTrackingObservation,
)


class CmdOutputMetadata(Struct, frozen=True):
    """How a command ended and where the shell stands; `prefix` and `suffix` frame its output for a reader."""

    exit_code: int = -1
    pid: int = -1
    username: str | None = None
    hostname: str | None = None
    working_dir: str | None = None
    py_interpreter_path: str | None = None
    prefix: str = ""
    suffix: str = ""


class CmdOutputObservation(Struct, frozen=True):
    """What a command printed, and its exit code: -1 while it is still running."""

    kind: ClassVar[str] = "run"

    content: str
    command: str = ""
    metadata: CmdOutputMetadata = field(default_factory=CmdOutputMetadata)
    hidden: bool = False

    @property
    def exit_code(self) -> int:
        return self.metadata.exit_code

    @property
    def success(self) -> bool:
        return self.metadata.exit_code == 0

    @property
    def message(self) -> str:
        return f"Command `{self.command}` executed with exit code {self.exit_code}."


class IPythonRunCellObservation(Struct, frozen=True):
    """What a cell printed and showed; pictures as data URLs."""

    kind: ClassVar[str] = "run_ipython"

    content: str
    code: str = ""
    image_urls: list[str] | None = None

    @property
    def success(self) -> bool:
        return True

    @property
    def message(self) -> str:
        return "Code executed in IPython cell."


EDIT_REFUSED = "ERROR:\n"
"""How the content of an observation begins that tells of an edit, or a view, which could not be made."""


class FileReadObservation(Struct, frozen=True):
    """The content of a file; pictures and the like as data URLs."""

    kind: ClassVar[str] = "read"

    content: str
    path: str
    impl_source: str = "default"

    @property
    def refused(self) -> bool:
        """Whether it was to be viewed and could not be; a file that is read as it is may begin like that."""
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
    """Always on the wire, never used."""

    @property
    def refused(self) -> bool:
        """Whether the edit could not be made."""
        return self.content.startswith(EDIT_REFUSED)

    @property
    def message(self) -> str:
        return f"I could not edit {self.path}." if self.refused else f"I edited the file {self.path}."


class MkdirObservation(Struct, frozen=True):
    """A folder was made."""

    kind: ClassVar[str] = "mkdir"

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I made the folder {self.path}."


class RmdirObservation(Struct, frozen=True):
    """A folder was removed."""

    kind: ClassVar[str] = "rmdir"

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I removed the folder {self.path}."


class RmObservation(Struct, frozen=True):
    """A file was removed."""

    kind: ClassVar[str] = "rm"

    content: str
    path: str

    @property
    def message(self) -> str:
        return f"I removed the file {self.path}."


class RunCodeObservation(Struct, frozen=True):
    """What code of a language printed, its value, and the error that ended it."""

    kind: ClassVar[str] = "run_code"

    content: str
    language: str
    code: str = ""
    value: str | None = None
    error: dict[str, Any] | None = None
    """type, message, line, column, traceback."""
    exit_code: int = 0
    state: str = "kept"
    """`lost` if the code could only be stopped by ending its interpreter."""
    timed_out: bool = False
    image_urls: list[str] | None = None

    @property
    def success(self) -> bool:
        return self.exit_code == 0

    @property
    def message(self) -> str:
        return f"{self.language} code executed with exit code {self.exit_code}."


class ListFilesObservation(Struct, frozen=True):
    """What lies in a folder: folders first, with a slash at the end."""

    kind: ClassVar[str] = "list_files"

    content: str
    path: str = ""
    files: list[str] = field(default_factory=list[str])

    @property
    def message(self) -> str:
        return f"I listed the files of {self.path}."


class CopyFromObservation(Struct, frozen=True):
    """Files taken out; the content is a zip archive in base64."""

    kind: ClassVar[str] = "copy_from"

    content: str
    path: str = ""

    @property
    def message(self) -> str:
        return f"I copied files from {self.path}."


class BrowserOutputObservation(Struct, frozen=True):
    """The open page."""

    kind: ClassVar[str] = "browse"

    content: str
    url: str = ""
    trigger_by_action: str = ""
    screenshot: str = ""
    screenshot_path: str | None = None
    set_of_marks: str = ""
    error: bool = False
    goal_image_urls: list[Any] = field(default_factory=list[Any])
    open_pages_urls: list[str] = field(default_factory=list[str])
    active_page_index: int = -1
    dom_object: dict[str, Any] = field(default_factory=dict[str, Any])
    axtree_object: dict[str, Any] = field(default_factory=dict[str, Any])
    extra_element_properties: dict[str, Any] = field(default_factory=dict[str, Any])
    last_browser_action: str = ""
    last_browser_action_error: str = ""
    focused_element_bid: str = ""
    filter_visible_only: bool = False

    @property
    def message(self) -> str:
        return f"Visited {self.url}"


class FileDownloadObservation(Struct, frozen=True):
    """The browser saved a file."""

    kind: ClassVar[str] = "download"

    content: str
    file_path: str = ""

    @property
    def message(self) -> str:
        return f"Downloaded the file at location: {self.file_path}"


class MCPObservation(Struct, frozen=True):
    """What a tool of an MCP server answered, as JSON."""

    kind: ClassVar[str] = "mcp"

    content: str
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def message(self) -> str:
        return self.content


class A2AListRemoteAgentsObservation(Struct, frozen=True):
    """The remote agents there are."""

    kind: ClassVar[str] = "a2a_list_remote_agents"

    content: str
    agents: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def message(self) -> str:
        return self.content


class A2ASendTaskObservation(Struct, frozen=True):
    """How a task stands that a remote agent was given."""

    kind: ClassVar[str] = "a2a_send_task"

    content: str
    agent_name: str = ""
    task_id: str | None = None
    state: str = ""
    artifacts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def message(self) -> str:
        return self.content


class ErrorObservation(Struct, frozen=True):
    """The action could not be done; `content` says why and what to do."""

    kind: ClassVar[str] = "error"

    content: str
    error_id: str = ""

    @property
    def message(self) -> str:
        return self.content


class SuccessObservation(Struct, frozen=True):
    """The action was done, and there is nothing more to tell."""

    kind: ClassVar[str] = "success"

    content: str

    @property
    def message(self) -> str:
        return self.content


class UserRejectObservation(Struct, frozen=True):
    """The user did not let the action run."""

    kind: ClassVar[str] = "user_rejected"

    content: str

    @property
    def message(self) -> str:
        return self.content


class NullObservation(Struct, frozen=True):
    """Nothing to tell."""

    kind: ClassVar[str] = "null"

    content: str = ""

    @property
    def message(self) -> str:
        return "No observation"


Observation = (
    CmdOutputObservation
    | IPythonRunCellObservation
    | FileReadObservation
    | FileWriteObservation
    | FileEditObservation
    | MkdirObservation
    | RmdirObservation
    | RmObservation
    | RunCodeObservation
    | ListFilesObservation
    | CopyFromObservation
    | BrowserOutputObservation
    | FileDownloadObservation
    | MCPObservation
    | A2AListRemoteAgentsObservation
    | A2ASendTaskObservation
    | ErrorObservation
    | SuccessObservation
    | UserRejectObservation
    | NullObservation
    | AgentDelegateObservation
    | AgentStateChangedObservation
    | AgentCondensationObservation
    | AgentThinkObservation
    | RecallObservation
    | TaskTrackingObservation
    | LoopDetectionObservation
)
