"""A task that is one action: its observation is the result."""

from a2a.types import Artifact, Part, TaskState

from cloche.events import (
    CmdOutputObservation,
    ErrorObservation,
    Event,
    Observation,
    UserRejectObservation,
    event_to_dict,
    is_observation,
)
from cloche.limits import A2A_STEPS
from cloche.runtime.actions.commands import ASKS as SHELL_ASKS
from cloche.server.agents.notes import TaskNote
from cloche.server.agents.task_record import (
    ASKS,
    COMPLETED,
    FAILED,
    REJECTED,
    WORKING,
    TaskRecord,
    Update,
    make_artifact,
)
from cloche.server.agents.values import make_value
from cloche.session.control.history import describe_observation

OUTPUT, RESULT = "output", "result"
"""The artifacts: what was printed, and the observation."""
WAITS_FOR_LINE = "The command waits for a line of input: send it as a message of this task; C-d ends the input."
STILL_RUNS = "The command still runs: send a line of input as a message of this task, or cancel the task."


class ActionTask(TaskRecord):
    """Executes an action; a command that waits for input asks the client."""

    def __init__(self, sid: str, begin: Event) -> None:
        super().__init__(sid, begin, WORKING)
        self.current = self.begin
        """The action whose observation is waited for."""
        self._heard = ""
        self._output = ""
        self._result: Artifact | None = None

    def hear(self, action: int, text: str) -> list[Update]:
        if action != self.current or self.is_settled or len(self._heard) > A2A_STEPS:
            return []
        append, self._heard = bool(self._output or self._heard), self._heard + text
        return [self._make_update(make_artifact(OUTPUT, Part(text=text)), append=append)]

    def _resume(self, event: Event, note: TaskNote) -> list[Update]:
        if event.id is not None and not note.cancels:
            self.current, self._heard = event.id, ""
        return super()._resume(event, note)

    def _observe(self, event: Event) -> list[Update]:
        body = event.body
        if event.cause != self.current or not is_observation(body):
            return []
        updates = self._complete_output(
            body.content if isinstance(body, CmdOutputObservation) else describe_observation(body)[0]
        )
        self._result = make_artifact(RESULT, Part(data=make_value(event_to_dict(event))))
        return [*updates, self._make_update(self._result, last=True), self._become(*_judge(event, body))]

    def _list_artifacts(self) -> list[Artifact]:
        printed = [make_artifact(OUTPUT, Part(text=self._output))] if self._output else []
        return printed if self._result is None else [*printed, self._result]

    def _complete_output(self, text: str) -> list[Update]:
        """What was not heard while the action ran: the observation is the record."""
        heard, self._output = self._heard, self._output + text
        if not text.startswith(heard):
            # A part was not heard, or it was shortened.
            return [self._make_update(make_artifact(OUTPUT, Part(text=self._output)))]
        rest, append = text[len(heard) :], len(self._output) > len(text) or bool(heard)
        return [self._make_update(make_artifact(OUTPUT, Part(text=rest)), append=append)] if rest else []


def _judge(event: Event, body: Observation) -> tuple[TaskState, Event, str]:
    """What an observation means for the task: a command that fails is done too."""
    match body:
        case ErrorObservation(content=text):
            return FAILED, event, text
        case UserRejectObservation(content=text):
            return REJECTED, event, text
        case CmdOutputObservation() if body.exit_code == -1:
            return ASKS, event, WAITS_FOR_LINE if body.metadata.suffix == SHELL_ASKS else STILL_RUNS
        case _:
            return COMPLETED, event, ""
