"""An agent's list of tasks, and its way out of a loop; no runtime executes these."""

from typing import Any, ClassVar

from msgspec import Struct, field

__all__ = ["LoopDetectionObservation", "LoopRecoveryAction", "TaskTrackingAction", "TaskTrackingObservation"]


class TaskTrackingAction(Struct, frozen=True):
    """View or change the list of tasks."""

    kind: ClassVar[str] = "task_tracking"
    runnable: ClassVar[bool] = False

    command: str = "view"
    task_list: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    thought: str = ""

    @property
    def message(self) -> str:
        number = len(self.task_list)
        if not number:
            return "Clearing the task list."
        return f"Managing {number} task item{'' if number == 1 else 's'}."


class LoopRecoveryAction(Struct, frozen=True):
    """How to continue after the agent was found to repeat itself."""

    kind: ClassVar[str] = "loop_recovery"
    runnable: ClassVar[bool] = False

    option: int = 1

    @property
    def message(self) -> str:
        return ""


class TaskTrackingObservation(Struct, frozen=True):
    """The state of the list of tasks."""

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


PlanningAction = TaskTrackingAction | LoopRecoveryAction
PlanningObservation = TaskTrackingObservation | LoopDetectionObservation
