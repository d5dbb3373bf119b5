"""Tasks for remote agents."""

from typing import Any, ClassVar

from msgspec import Struct, field

__all__ = [
    "A2ACancelTaskAction",
    "A2ACancelTaskObservation",
    "A2AListRemoteAgentsAction",
    "A2AListRemoteAgentsObservation",
    "A2ASendTaskAction",
    "A2ASendTaskObservation",
]


class A2AListRemoteAgentsAction(Struct, frozen=True):
    """Ask which remote agents are available."""

    kind: ClassVar[str] = "a2a_list_remote_agents"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    thought: str = ""

    @property
    def message(self) -> str:
        return "Listing remote agents"


class A2ASendTaskAction(Struct, frozen=True):
    """Give a task to a remote agent."""

    kind: ClassVar[str] = "a2a_send_task"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    agent_name: str
    task_message: str
    task_id: str | None = None
    """Continues a task that waits for an answer."""
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Sending a task to {self.agent_name}: {self.task_message}"


class A2ACancelTaskAction(Struct, frozen=True):
    """Cancel a task of a remote agent that waits for an answer or still runs."""

    kind: ClassVar[str] = "a2a_cancel_task"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    agent_name: str
    task_id: str
    thought: str = ""

    @property
    def message(self) -> str:
        return f"Cancelling the task {self.task_id} of {self.agent_name}"


class A2AListRemoteAgentsObservation(Struct, frozen=True):
    """The available remote agents."""

    kind: ClassVar[str] = "a2a_list_remote_agents"
    ours: ClassVar[bool] = True

    content: str
    agents: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Each with its `name`, `description` and `skills`."""

    @property
    def message(self) -> str:
        return self.content


class A2ASendTaskObservation(Struct, frozen=True):
    """The state of a task of a remote agent."""

    kind: ClassVar[str] = "a2a_send_task"
    ours: ClassVar[bool] = True

    content: str
    agent_name: str = ""
    task_id: str | None = None
    state: str = ""
    """`completed`, `failed`, `rejected`, `canceled`, or `input-required`: its `task_id` continues it."""
    artifacts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Each with its `artifact_id`, `name` and `parts`: `text`, `data`, or `url`, which is a data URL for a file."""

    @property
    def message(self) -> str:
        return self.content


class A2ACancelTaskObservation(Struct, frozen=True):
    """The state of a task that was cancelled."""

    kind: ClassVar[str] = "a2a_cancel_task"
    ours: ClassVar[bool] = True

    content: str
    agent_name: str = ""
    task_id: str = ""
    state: str = ""

    @property
    def message(self) -> str:
        return self.content


A2AAction = A2AListRemoteAgentsAction | A2ASendTaskAction | A2ACancelTaskAction
A2AObservation = A2AListRemoteAgentsObservation | A2ASendTaskObservation | A2ACancelTaskObservation
