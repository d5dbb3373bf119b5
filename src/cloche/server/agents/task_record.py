"""A task, made from the events of its session: the same events give the same task, also after a restart."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from a2a.types import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)

from cloche.events import Event, MessageAction
from cloche.limits import A2A_HISTORY
from cloche.server.agents.notes import BEGINS, TaskNote, read_note
from cloche.server.agents.values import make_task_id, make_timestamp

Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent

SUBMITTED, WORKING = TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING
ASKS, COMPLETED = TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_COMPLETED
FAILED, CANCELED, REJECTED = (
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_REJECTED,
)
OVER = frozenset({COMPLETED, FAILED, CANCELED, REJECTED})

CLOSED = "The session was closed before the agent was done: send a message, and it goes on."


class TaskRecord(ABC):
    """Takes the events of a session in order, and says what becomes of the task."""

    asks_confirmation = False
    """Whether it waits for the answer to the question whether an action may be done."""

    def __init__(self, sid: str, begin: Event, state: TaskState) -> None:
        """`begin` is the event of the client's first message."""
        assert begin.id is not None, "what is stored has an id"
        self.begin = begin.id
        self.id = make_task_id(sid, begin.id)
        self.state = state
        self.is_active = True
        """Whether what happens in the session belongs to it: not while another task has its turn."""
        self._sid = sid
        self._status = TaskStatus(state=state, timestamp=make_timestamp(begin))
        self._history: list[Message] = []
        self._remember(begin, read_note(begin) or TaskNote())

    @property
    def is_over(self) -> bool:
        """Whether nothing can become of it any more."""
        return self.state in OVER

    @property
    def is_settled(self) -> bool:
        """Whether nothing happens until the client says something."""
        return self.is_over or self.state == ASKS

    def show(self, *, closed: bool = False) -> Task:
        """The task as it is; `closed` if its session does not run, so that its agent does not work."""
        status = self._status
        if closed and not self.is_settled:
            status = TaskStatus(state=ASKS, message=self._make_message("closed", CLOSED), timestamp=status.timestamp)
        artifacts = self._list_artifacts()
        return Task(id=self.id, context_id=self._sid, status=status, artifacts=artifacts, history=self._history)

    def take(self, event: Event) -> list[Update]:
        """Take the next event of the session; returns what it changes."""
        note = read_note(event)
        if self.is_over:
            return []
        if note is not None and note.task == self.begin:
            return self._resume(event, note)
        if note is not None and (note.task is not None or note.role == BEGINS) and self.state == ASKS:
            self.is_active = False
        return self._observe(event) if self.is_active else []

    def hear(self, action: int, text: str) -> list[Update]:
        """Take what an action prints while it runs."""
        return []

    def _resume(self, event: Event, note: TaskNote) -> list[Update]:
        if note.cancels:
            return [self._become(CANCELED, event)]
        self.is_active = True
        # The question is kept before its answer.
        update = self._become(WORKING, event)
        self._remember(event, note)
        return [update]

    @abstractmethod
    def _observe(self, event: Event) -> list[Update]:
        """Take an event that may be a part of the task."""

    @abstractmethod
    def _list_artifacts(self) -> list[Artifact]:
        """All that was made."""

    def _become(self, state: TaskState, event: Event, text: str = "", more: Sequence[Part] = ()) -> Update:
        if self._status.HasField("message"):
            self._keep(self._status.message)
        self.state = state
        message = self._make_message(str(event.id), text, more) if text else None
        self._status = TaskStatus(state=state, message=message, timestamp=make_timestamp(event))
        return TaskStatusUpdateEvent(task_id=self.id, context_id=self._sid, status=self._status)

    def _make_update(self, artifact: Artifact, *, append: bool = False, last: bool = False) -> Update:
        return TaskArtifactUpdateEvent(
            task_id=self.id, context_id=self._sid, artifact=artifact, append=append, last_chunk=last
        )

    def _make_message(self, name: str, text: str, more: Sequence[Part] = ()) -> Message:
        return Message(
            message_id=f"{self.id}-{name}",
            role=Role.ROLE_AGENT,
            task_id=self.id,
            context_id=self._sid,
            parts=[Part(text=text), *more],
        )

    def _remember(self, event: Event, note: TaskNote) -> None:
        """Keep what the client said."""
        said = note.text or (event.body.content if isinstance(event.body, MessageAction) else event.message or "")
        message = Message(
            message_id=note.message or f"{self.id}-{event.id}",
            role=Role.ROLE_USER,
            task_id=self.id,
            context_id=self._sid,
            parts=[Part(text=said)],
        )
        self._keep(message)

    def _keep(self, message: Message) -> None:
        self._history.append(message)
        del self._history[:-A2A_HISTORY]


def make_artifact(name: str, *parts: Part) -> Artifact:
    """An artifact, whose name is its id."""
    return Artifact(artifact_id=name, name=name, parts=parts)
