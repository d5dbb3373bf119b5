"""Answers of an agent's memory, tasks and loop: observations that no runtime makes."""

from typing import Any, ClassVar

from msgspec import Struct, field


class AgentDelegateObservation(Struct, frozen=True):
    """What the other agent made of its part."""

    kind: ClassVar[str] = "delegate"

    content: str
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def message(self) -> str:
        return ""


class AgentStateChangedObservation(Struct, frozen=True):
    """The agent runs, waits or stopped."""

    kind: ClassVar[str] = "agent_state_changed"

    content: str
    agent_state: str = ""
    reason: str = ""

    @property
    def message(self) -> str:
        return ""


class AgentCondensationObservation(Struct, frozen=True):
    """The summary of what was forgotten."""

    kind: ClassVar[str] = "condense"

    content: str

    @property
    def message(self) -> str:
        return self.content


class AgentThinkObservation(Struct, frozen=True):
    """A thought is on record."""

    kind: ClassVar[str] = "think"

    content: str

    @property
    def message(self) -> str:
        return self.content


class RecallObservation(Struct, frozen=True):
    """What the memory knows."""

    kind: ClassVar[str] = "recall"

    content: str
    recall_type: str = "workspace_context"
    repo_name: str = ""
    repo_directory: str = ""
    repo_branch: str = ""
    repo_instructions: str = ""
    runtime_hosts: dict[str, int] = field(default_factory=dict[str, int])
    additional_agent_instructions: str = ""
    date: str = ""
    custom_secrets_descriptions: dict[str, str] = field(default_factory=dict[str, str])
    conversation_instructions: str = ""
    working_dir: str = ""
    microagent_knowledge: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def message(self) -> str:
        return "Added workspace context" if self.recall_type == "workspace_context" else "Added microagent knowledge"


class TaskTrackingObservation(Struct, frozen=True):
    """How the list of tasks stands."""

    kind: ClassVar[str] = "task_tracking"

    content: str
    command: str = ""
    task_list: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def message(self) -> str:
        return self.content


class LoopDetectionObservation(Struct, frozen=True):
    """The agent repeats itself."""

    kind: ClassVar[str] = "loop_detection"

    content: str

    @property
    def message(self) -> str:
        return ""
