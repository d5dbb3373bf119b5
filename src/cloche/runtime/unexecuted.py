"""Answers to actions that need no runtime: not runnable, not yet confirmed, or refused."""

from cloche.events import (
    AWAITING_CONFIRMATION,
    REJECTED,
    Action,
    AgentThinkAction,
    AgentThinkObservation,
    NullObservation,
    Observation,
    TaskTrackingAction,
    TaskTrackingObservation,
    UserRejectObservation,
)

REFUSED = "Action has been rejected by the user! Waiting for further user input."


def answer_without_runtime(action: Action) -> Observation | None:
    """The observation of an action that no runtime has to see; None for one that is to be executed."""
    if not action.runnable:
        return _answer(action)
    state = getattr(action, "confirmation_state", None)
    if state == REJECTED:
        return UserRejectObservation(REFUSED)
    return NullObservation() if state == AWAITING_CONFIRMATION else None


def _answer(action: Action) -> Observation:
    match action:
        case AgentThinkAction():
            return AgentThinkObservation("Your thought has been logged.")
        case TaskTrackingAction(command=command, task_list=tasks):
            text = f"Task list has been updated with {len(tasks)} items."
            return TaskTrackingObservation(text if command == "plan" else _tasks(tasks), command, tasks)
        case _:
            return NullObservation()


def _tasks(tasks: list[dict[str, object]]) -> str:
    lines = [
        f"{number}. [{task.get('status', 'todo')}] {task.get('title', '')}" for number, task in enumerate(tasks, 1)
    ]
    return "\n".join(lines) or "The task list is empty."
