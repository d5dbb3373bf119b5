"""The states of an agent, under the names that clients know."""

from enum import StrEnum

from cloche.events import (
    AgentFinishAction,
    AgentRejectAction,
    AgentStateChangedObservation,
    ChangeAgentStateAction,
    Event,
    LoopRecoveryAction,
    MessageAction,
)


class AgentState(StrEnum):
    """What an agent does; each change is an event."""

    LOADING = "loading"
    INIT = "init"
    RUNNING = "running"
    AWAITING_USER_INPUT = "awaiting_user_input"
    AWAITING_USER_CONFIRMATION = "awaiting_user_confirmation"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    REJECTED = "rejected"
    ERROR = "error"
    RATE_LIMITED = "rate_limited"


USER_CONFIRMED = "user_confirmed"
USER_REJECTED = "user_rejected"
"""What a user says to an action that waits; neither is a state."""

RESTING = frozenset(
    {
        AgentState.AWAITING_USER_INPUT,
        AgentState.PAUSED,
        AgentState.STOPPED,
        AgentState.FINISHED,
        AgentState.REJECTED,
        AgentState.ERROR,
        AgentState.RATE_LIMITED,
    }
)
"""States in which nothing happens until a user says something."""

_CHOSEN = frozenset(AgentState) - {AgentState.LOADING, AgentState.INIT, AgentState.AWAITING_USER_CONFIRMATION}


def read_choice(wanted: str) -> AgentState | None:
    """The state that a user asks for; None if there is no way into it."""
    return next((state for state in _CHOSEN if state == wanted), None)


def read_state(event: Event) -> AgentState | None:
    """The state that an event leads to, whether or not a crash has cut off the event that says so; None if to none."""
    by_user = event.source == "user"
    match event.body:
        case AgentStateChangedObservation(agent_state=name):
            return next((state for state in AgentState if state == name), None)
        case MessageAction() if by_user:
            return AgentState.RUNNING
        case ChangeAgentStateAction(agent_state=wanted) if by_user:
            return read_choice(wanted)
        case LoopRecoveryAction(option=option) if by_user:
            return AgentState.RUNNING if option in (1, 2) else AgentState.STOPPED
        case AgentFinishAction() if event.source == "agent":
            return AgentState.FINISHED
        case AgentRejectAction() if event.source == "agent":
            return AgentState.REJECTED
        case MessageAction(wait_for_response=True) if event.source == "agent":
            return AgentState.AWAITING_USER_INPUT
        case _:
            return None
