"""The arguments of the tools that models are offered, and the actions that they mean."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from cloche.events import (
    A2AListRemoteAgentsAction,
    A2ASendTaskAction,
    Action,
    AgentDelegateAction,
    AgentFinishAction,
    AgentThinkAction,
    BrowseURLAction,
    CmdRunAction,
    FileEditAction,
    FileReadAction,
    IPythonRunCellAction,
    RunCodeAction,
)

Seconds = Annotated[float, Meta(gt=0, le=3600, description="Seconds after which it is stopped.")]


class Bash(Struct):
    """Run a command in the session's bash, which keeps its folder and variables: files, git, tests, programs.

    If it still runs after a while (exit code -1), send an empty command for more output, or input with is_input: text
    for the program, or C-c, C-d.
    """

    command: str
    is_input: bool = False
    timeout: Seconds | None = None

    def to_action(self) -> Action:
        return CmdRunAction(self.command, is_input=self.is_input)


class Python(Struct):
    """Run a cell of Python in the session's notebook; variables stay, `%pip install NAME` installs packages."""

    code: str
    timeout: Seconds | None = None

    def to_action(self) -> Action:
        return IPythonRunCellAction(self.code, include_extra=False)


class RunCode(Struct):
    """Run code in another language; its state stays for the next call."""

    language: Literal["javascript", "typescript", "ruby", "php", "lua", "r", "perl", "scheme", "sql"]
    code: str
    timeout: Seconds | None = None

    def to_action(self) -> Action:
        return RunCodeAction(self.language, self.code)


class EditFile(Struct):
    """View, create and change files of text.

    view shows a file with line numbers, or a folder; create writes file_text; str_replace replaces old_str, which must
    be there exactly once, by new_str; insert puts new_str after insert_line; undo_edit takes the last change back.
    """

    command: Literal["view", "create", "str_replace", "insert", "undo_edit"]
    path: Annotated[str, Meta(description="An absolute path, such as /workspace/a.py.")]
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    insert_line: int | None = None
    view_range: Annotated[list[int], Meta(min_length=2, max_length=2, description="First and last line.")] | None = None

    def to_action(self) -> Action:
        if self.command == "view":
            return FileReadAction(self.path, impl_source="oh_aci", view_range=self.view_range)
        return FileEditAction(
            self.path,
            self.command,
            file_text=self.file_text,
            old_str=self.old_str,
            new_str=self.new_str,
            insert_line=self.insert_line,
        )


class Browse(Struct):
    """Open a page and read it."""

    url: str

    def to_action(self) -> Action:
        return BrowseURLAction(self.url)


class Think(Struct):
    """Note a thought; nothing else happens."""

    thought: str

    def to_action(self) -> Action:
        return AgentThinkAction(self.thought)


class Finish(Struct):
    """End the task: say what was done, or why it cannot be done."""

    message: str

    def to_action(self) -> Action:
        return AgentFinishAction(self.message, outputs={"content": self.message})


class Delegate(Struct):
    """Let another agent do a part of the task in the same place; its result comes back."""

    agent: Annotated[str, Meta(description="Its name, such as CodeActAgent.")]
    task: str

    def to_action(self) -> Action:
        return AgentDelegateAction(self.agent, {"task": self.task})


class ListAgents(Struct):
    """List the remote agents that can be given tasks."""

    def to_action(self) -> Action:
        return A2AListRemoteAgentsAction()


class SendTask(Struct):
    """Give a task to a remote agent; task_id continues one that waits for an answer."""

    agent_name: str
    task_message: str
    task_id: str | None = None

    def to_action(self) -> Action:
        return A2ASendTaskAction(self.agent_name, self.task_message, self.task_id)


Arguments = Bash | Python | RunCode | EditFile | Browse | Think | Finish | Delegate | ListAgents | SendTask

BASIC: dict[str, type[Arguments]] = {
    "bash": Bash,
    "python": Python,
    "run_code": RunCode,
    "edit_file": EditFile,
    "think": Think,
    "finish": Finish,
    "delegate": Delegate,
}
REMOTE: dict[str, type[Arguments]] = {"list_remote_agents": ListAgents, "send_task": SendTask}
