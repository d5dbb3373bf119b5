"""Actions: what an agent or a user wants done."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.agent_actions import (
    AgentDelegateAction,
    AgentFinishAction,
    AgentRejectAction,
    AgentThinkAction,
    ChangeAgentStateAction,
    CondensationAction,
    CondensationRequestAction,
    LoopRecoveryAction,
    MessageAction,
    NullAction,
    RecallAction,
    SystemMessageAction,
    TaskTrackingAction,
)
from cloche.events.risk import CONFIRMED, UNKNOWN_RISK, ActionSecurityRisk


class CmdRunAction(Struct, frozen=True):
    """Run a command in the session's shell, or send input to the running one."""

    kind: ClassVar[str] = "run"
    runnable: ClassVar[bool] = True

    command: str
    """An empty one asks for new output of the running command."""
    is_input: bool = False
    """The command is typed into the running program; `C-c`, `C-d` and `C-z` are keys."""
    thought: str = ""
    blocking: bool = False
    """Do not answer before the end or the hard timeout, even without output."""
    is_static: bool = False
    """Run in a fresh shell, not in the session's."""
    cwd: str | None = None
    """The folder of such a fresh shell; the session's shell stays in its own."""
    hidden: bool = False
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Running command: {self.command}"


class IPythonRunCellAction(Struct, frozen=True):
    """Run a cell in the session's Python."""

    kind: ClassVar[str] = "run_ipython"
    runnable: ClassVar[bool] = True

    code: str
    thought: str = ""
    include_extra: bool = True
    """Add the working directory and the interpreter after the output."""
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    kernel_init_code: str = ""
    """Code that runs once, before the first cell that carries it."""

    @property
    def message(self) -> str:
        return f"Running Python code interactively: {self.code}"


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


class MkdirAction(Struct, frozen=True):
    """Make a folder and its parents."""

    kind: ClassVar[str] = "mkdir"
    runnable: ClassVar[bool] = True

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

    path: str
    recursive: bool = False
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Removing folder: {self.path}"


class RmAction(Struct, frozen=True):
    """Remove a file."""

    kind: ClassVar[str] = "rm"
    runnable: ClassVar[bool] = True

    path: str
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Removing file: {self.path}"


class RunCodeAction(Struct, frozen=True):
    """Run code in any language of the sandbox; state stays for the next call."""

    kind: ClassVar[str] = "run_code"
    runnable: ClassVar[bool] = True

    language: str
    code: str
    stdin: str | None = None
    thought: str = ""
    confirmation_state: str = CONFIRMED
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return f"Running {self.language} code: {self.code}"


class ListFilesAction(Struct, frozen=True):
    """Look what lies in a folder."""

    kind: ClassVar[str] = "list_files"
    runnable: ClassVar[bool] = True

    path: str = "."

    @property
    def message(self) -> str:
        return f"Listing files of: {self.path}"


class CopyToAction(Struct, frozen=True):
    """Bring files in: a zip archive is unpacked into a folder."""

    kind: ClassVar[str] = "copy_to"
    runnable: ClassVar[bool] = True

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

    path: str

    @property
    def message(self) -> str:
        return f"Copying files from: {self.path}"


class AddEnvVarsAction(Struct, frozen=True):
    """Add environment variables in the shell and in every language."""

    kind: ClassVar[str] = "add_env_vars"
    runnable: ClassVar[bool] = True

    env_vars: dict[str, str]

    @property
    def message(self) -> str:
        return f"Adding environment variables: {', '.join(self.env_vars)}"


class BrowseURLAction(Struct, frozen=True):
    """Open a page and read it."""

    kind: ClassVar[str] = "browse"
    runnable: ClassVar[bool] = True

    url: str
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    return_axtree: bool = False

    @property
    def message(self) -> str:
        return f"I am browsing the URL: {self.url}"


class BrowseInteractiveAction(Struct, frozen=True):
    """Act on the open page."""

    kind: ClassVar[str] = "browse_interactive"
    runnable: ClassVar[bool] = True

    browser_actions: str
    thought: str = ""
    browsergym_send_msg_to_user: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    return_axtree: bool = False

    @property
    def message(self) -> str:
        return f"I am interacting with the browser:\n```\n{self.browser_actions}\n```"


class MCPAction(Struct, frozen=True):
    """Call a tool of an MCP server."""

    kind: ClassVar[str] = "call_tool_mcp"
    runnable: ClassVar[bool] = True

    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK

    @property
    def message(self) -> str:
        return (
            f"I am interacting with the MCP server with name:\n```\n{self.name}\n```\n"
            f"and arguments:\n```\n{self.arguments}\n```"
        )


class A2AListRemoteAgentsAction(Struct, frozen=True):
    """Ask which remote agents there are."""

    kind: ClassVar[str] = "a2a_list_remote_agents"
    runnable: ClassVar[bool] = True

    thought: str = ""

    @property
    def message(self) -> str:
        return "Listing remote agents"


class A2ASendTaskAction(Struct, frozen=True):
    """Give a task to a remote agent."""

    kind: ClassVar[str] = "a2a_send_task"
    runnable: ClassVar[bool] = True

    agent_name: str
    task_message: str
    task_id: str | None = None
    """A task that waits for an answer is gone on with."""
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Sending a task to {self.agent_name}: {self.task_message}"


Action = (
    CmdRunAction
    | IPythonRunCellAction
    | FileReadAction
    | FileWriteAction
    | FileEditAction
    | MkdirAction
    | RmdirAction
    | RmAction
    | RunCodeAction
    | ListFilesAction
    | CopyToAction
    | CopyFromAction
    | AddEnvVarsAction
    | BrowseURLAction
    | BrowseInteractiveAction
    | MCPAction
    | A2AListRemoteAgentsAction
    | A2ASendTaskAction
    | AgentThinkAction
    | MessageAction
    | SystemMessageAction
    | AgentFinishAction
    | AgentRejectAction
    | AgentDelegateAction
    | RecallAction
    | CondensationAction
    | CondensationRequestAction
    | ChangeAgentStateAction
    | TaskTrackingAction
    | NullAction
    | LoopRecoveryAction
)
