"""A task that the agent of a session works on."""

from a2a.types import Artifact, Part

from cloche.events import (
    AgentFinishAction,
    AgentRejectAction,
    AgentStateChangedObservation,
    AgentThinkAction,
    ChangeAgentStateAction,
    Event,
    LoopDetectionObservation,
    LoopRecoveryAction,
    MessageAction,
    Status,
    event_to_dict,
    is_observation,
)
from cloche.limits import A2A_STEPS
from cloche.runtime import RuntimeStatus
from cloche.server.agents.notes import TaskNote
from cloche.server.agents.task_record import (
    ASKS,
    CANCELED,
    CLOSED,
    COMPLETED,
    FAILED,
    REJECTED,
    SUBMITTED,
    WORKING,
    TaskRecord,
    Update,
    make_artifact,
)
from cloche.server.agents.values import make_value
from cloche.session import AgentState
from cloche.session.control.history import describe_observation

STEPS, ANSWER = "steps", "answer"
"""The artifacts: what the agent did, and what it says at the end."""
CUT = "[... the rest is in the events of the session ...]\n"
PAUSED = "The agent is paused: send a message, and it goes on."
YES_OR_NO = "May this be done? Answer yes or no."
WAITS = "The agent waits for you."
BY_USER = frozenset({AgentState.STOPPED, AgentState.PAUSED, AgentState.AWAITING_USER_INPUT})


class AgentTask(TaskRecord):
    """What an agent does after a message, until it rests."""

    def __init__(self, sid: str, begin: Event) -> None:
        super().__init__(sid, begin, SUBMITTED)
        self._steps: list[str] = []
        self._size = 0
        self._answer: Artifact | None = None
        self._wanted: Event | None = None
        """The last action of the agent."""
        self._said = ""
        self._reasons: set[AgentState] = set()
        """States for which there was a reason since the client spoke; others come from before."""

    def _resume(self, event: Event, note: TaskNote) -> list[Update]:
        self.asks_confirmation = False
        self._reasons.clear()
        return super()._resume(event, note)

    def _observe(self, event: Event) -> list[Update]:
        match event.body:
            case AgentStateChangedObservation() as body:
                return self._change(event, body)
            case Status(status=RuntimeStatus.STOPPED) if not self.is_settled:
                return [self._become(ASKS, event, CLOSED)]
            case ChangeAgentStateAction() | LoopRecoveryAction():
                self._reasons |= BY_USER
            case LoopDetectionObservation():
                self._reasons.add(AgentState.PAUSED)
            case _ if event.source == "agent":
                return [*self._begin_work(event), *self._follow(event)]
            case _:
                pass
        return []

    def _list_artifacts(self) -> list[Artifact]:
        steps = [make_artifact(STEPS, Part(text="".join(self._steps)))] if self._steps else []
        return steps if self._answer is None else [*steps, self._answer]

    def _begin_work(self, event: Event) -> list[Update]:
        return [] if self.state == WORKING else [self._become(WORKING, event)]

    def _follow(self, event: Event) -> list[Update]:
        """What the agent does, and what comes of it."""
        match event.body:
            case AgentFinishAction(final_thought=text, outputs=outputs):
                self._reasons.add(AgentState.FINISHED)
                more = [Part(data=make_value(outputs))] if outputs else []
                self._answer = make_artifact(ANSWER, Part(text=text or "Done."), *more)
                return [self._make_update(self._answer, last=True)]
            case AgentRejectAction():
                self._reasons.add(AgentState.REJECTED)
                self._said = event.message or ""
                return []
            case MessageAction(content=text, wait_for_response=True):
                self._reasons.add(AgentState.AWAITING_USER_INPUT)
                self._said = text
                return []
            case AgentThinkAction(thought=text) | MessageAction(content=text):
                return self._add_step(text)
            case body if is_observation(body):
                return self._add_step(describe_observation(body)[0])
            case _:
                self._wanted = event
                return self._add_step(event.message or event.kind)

    def _add_step(self, text: str) -> list[Update]:
        if self._size > A2A_STEPS or not text:
            return []
        piece = f"{text.rstrip()}\n"
        self._size += len(piece)
        if self._size > A2A_STEPS:
            piece = CUT
        self._steps.append(piece)
        return [self._make_update(make_artifact(STEPS, Part(text=piece)), append=len(self._steps) > 1)]

    def _change(self, event: Event, body: AgentStateChangedObservation) -> list[Update]:
        match body.agent_state:
            case AgentState.RUNNING:
                self.asks_confirmation = False
                return self._begin_work(event)
            case AgentState.ERROR | AgentState.RATE_LIMITED as state:
                return [self._become(FAILED, event, body.reason or f"The agent is {state}.")]
            case AgentState.AWAITING_USER_CONFIRMATION:
                return [self._ask_confirmation(event)]
            case state if state in self._reasons:
                return self._rest(event, body)
            case _:
                return []

    def _rest(self, event: Event, body: AgentStateChangedObservation) -> list[Update]:
        match body.agent_state:
            case AgentState.FINISHED:
                return [self._become(COMPLETED, event)]
            case AgentState.REJECTED:
                return [self._become(REJECTED, event, self._said)]
            case AgentState.STOPPED:
                return [self._become(CANCELED, event, body.reason)]
            case AgentState.PAUSED:
                return [self._become(ASKS, event, body.reason or PAUSED)]
            case _:
                said, self._said = self._said, ""
                return [self._become(ASKS, event, said or WAITS)]

    def _ask_confirmation(self, event: Event) -> Update:
        self.asks_confirmation = True
        wanted = self._wanted
        if wanted is None:
            return self._become(ASKS, event, YES_OR_NO)
        told = f"{YES_OR_NO}\n{wanted.message or wanted.kind}"
        return self._become(ASKS, event, told, [Part(data=make_value(event_to_dict(wanted)))])
