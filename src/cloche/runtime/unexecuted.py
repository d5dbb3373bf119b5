"""Answers to actions that need no runtime: not runnable, not yet confirmed, or refused."""

from collections.abc import Mapping
from typing import assert_never

from cloche.events import (
    AWAITING_CONFIRMATION,
    REJECTED,
    AgentAction,
    AgentDelegateAction,
    AgentFinishAction,
    AgentRejectAction,
    AgentThinkAction,
    AgentThinkObservation,
    ChangeAgentStateAction,
    CondensationAction,
    CondensationRequestAction,
    LoopRecoveryAction,
    MessageAction,
    NullAction,
    NullObservation,
    Observation,
    RecallAction,
    SystemMessageAction,
    TaskTrackingAction,
    TaskTrackingObservation,
    UploadAction,
    UserRejectObservation,
)

UNCONFIRMED: Mapping[str, Observation] = {
    REJECTED: UserRejectObservation("Action has been rejected by the user! Waiting for further user input."),
    AWAITING_CONFIRMATION: NullObservation(),
}
"""The observations of actions that the user has refused or not confirmed yet, by their `confirmation_state`."""


def answer_agent_action(action: AgentAction) -> Observation:
    """The observation of an action that no runtime executes."""
    match action:
        case AgentThinkAction():
            return AgentThinkObservation("Your thought has been logged.")
        case TaskTrackingAction(command=command, task_list=tasks):
            text = f"Task list has been updated with {len(tasks)} items."
            return TaskTrackingObservation(text if command == "plan" else _format_tasks(tasks), command, tasks)
        case MessageAction() | SystemMessageAction() | RecallAction() | NullAction():
            return NullObservation()
        case AgentFinishAction() | AgentRejectAction() | AgentDelegateAction() | ChangeAgentStateAction():
            return NullObservation()
        case CondensationAction() | CondensationRequestAction() | LoopRecoveryAction() | UploadAction():
            return NullObservation()
        case _:
            assert_never(action)


def _format_tasks(tasks: list[dict[str, object]]) -> str:
    lines = [
        f"{number}. [{task.get('status', 'todo')}] {task.get('title', '')}" for number, task in enumerate(tasks, 1)
    ]
    return "\n".join(lines) or "The task list is empty."
