"""Begins, continues and cancels the tasks of sessions: each step is an event."""

from collections import OrderedDict
from weakref import WeakKeyDictionary

import anyio
from a2a.types import Task
from a2a.utils.errors import InvalidParamsError, TaskNotFoundError, UnsupportedOperationError
from msgspec import Struct
from msgspec.structs import replace

from cloche.events import (
    AgentStateChangedObservation,
    ChangeAgentStateAction,
    CmdRunAction,
    ErrorObservation,
    Event,
    MessageAction,
    Status,
    is_action,
    new_event,
)
from cloche.limits import A2A_MESSAGES
from cloche.runtime.codes import STOPPED
from cloche.server.agents.action_task import ActionTask
from cloche.server.agents.agent_task import AgentTask
from cloche.server.agents.incoming import Incoming
from cloche.server.agents.notes import BEGINS, TaskNote, make_event, read_note
from cloche.server.agents.task_record import TaskRecord
from cloche.server.agents.values import split_task_id
from cloche.session import AgentState, HostedSession
from cloche.session.control.states import USER_CONFIRMED, USER_REJECTED
from cloche.session.hosting.hosted_session import STORED

CANCELED = "A2A$CANCELED"
WAS_CANCELED = "The task was cancelled."


class Taken(Struct, frozen=True):
    """A task after a message of its client."""

    record: TaskRecord
    last: int
    """The last event that the record has taken."""


class SentMessages:
    """The messages of one session: one that is sent again is not obeyed again."""

    def __init__(self) -> None:
        self.turn = anyio.Lock()
        """Held while a message is stored."""
        self._tasks: OrderedDict[str, str] = OrderedDict()

    def find(self, message: str) -> str | None:
        """The task of a message that was taken already."""
        return self._tasks.get(message)

    def add(self, message: str, task: str) -> None:
        """Note a message."""
        self._tasks[message] = task
        while len(self._tasks) > A2A_MESSAGES:
            self._tasks.popitem(last=False)


class SessionTasks:
    """The tasks of all sessions."""

    def __init__(self) -> None:
        self._messages: WeakKeyDictionary[HostedSession, SentMessages] = WeakKeyDictionary()

    async def find(self, hosted: HostedSession, task_id: str) -> tuple[TaskRecord, int]:
        """A task as it is now, and the last event that it has taken."""
        found = split_task_id(task_id)
        begin = await _find_begin(hosted, found[1]) if found is not None and found[0] == hosted.sid else None
        if begin is None or begin.id is None:
            raise TaskNotFoundError(message=f"this agent has no task {task_id[:100]}")
        record = make_record(hosted.sid, begin)
        return record, await _take_events(hosted, record, begin.id)

    async def begin(self, hosted: HostedSession, incoming: Incoming) -> Taken:
        """Begin a task."""
        sent = self._messages.setdefault(hosted, SentMessages())
        async with sent.turn:
            if (known := sent.find(incoming.id)) is not None:
                return Taken(*await self.find(hosted, known))
            event = await _store_first(hosted, incoming)
            record = make_record(hosted.sid, event)
            sent.add(incoming.id, record.id)
        return Taken(record, record.begin)

    async def resume(self, hosted: HostedSession, task_id: str, incoming: Incoming) -> Taken:
        """Continue a task that waits for its client."""
        sent = self._messages.setdefault(hosted, SentMessages())
        async with sent.turn:
            record, last = await self.find(hosted, task_id)
            if sent.find(incoming.id) is None:
                event = await _store_next(hosted, record, incoming)
                sent.add(incoming.id, task_id)
                last = await _take_events(hosted, record, last, event.id)
        return Taken(record, last)

    async def cancel(self, hosted: HostedSession, record: TaskRecord) -> None:
        """Cancel a task, and stop what is done for it."""
        note = TaskNote(task=record.begin, cancels=True)
        # First, so that what is stopped now is not taken for its end.
        await hosted.stream.add_event(make_event(Status(CANCELED, WAS_CANCELED), note))
        if isinstance(record, ActionTask):
            await _stop_action(hosted, record.current)
        elif record.is_active:
            await _stop_agent(hosted)


def make_record(sid: str, begin: Event) -> TaskRecord:
    """The task that begins with an event."""
    runs = is_action(begin.body) and begin.body.runnable
    return ActionTask(sid, begin) if runs else AgentTask(sid, begin)


def show_task(hosted: HostedSession, record: TaskRecord) -> Task:
    """The task as it is now: an agent does not work while its session does not run."""
    return record.show(closed=isinstance(record, AgentTask) and is_closed(hosted))


def is_closed(hosted: HostedSession) -> bool:
    """Whether a session does not run."""
    return hosted.state == STORED


async def _find_begin(hosted: HostedSession, number: int) -> Event | None:
    async for event in hosted.stream.get_events(number, number):
        note = read_note(event)
        return event if note is not None and note.role == BEGINS else None
    return None


async def _take_events(hosted: HostedSession, record: TaskRecord, last: int, end: int | None = None) -> int:
    """Have a record take the events after one; returns the last that it took."""
    async for event in hosted.stream.get_events(last + 1, end):
        record.take(event)
        last = last if event.id is None else event.id
        if record.is_over:
            break
    return last


async def _store_first(hosted: HostedSession, incoming: Incoming) -> Event:
    note = TaskNote(role=BEGINS, message=incoming.id, text=incoming.text)
    action = incoming.action
    if action is None and not incoming.text.strip():
        raise InvalidParamsError(message="the message has no text, and no action")
    if action is None and hosted.has_agent:
        return await hosted.send(make_event(MessageAction(incoming.text), note))
    body = CmdRunAction(incoming.text, blocking=True) if action is None else action.body
    event = make_event(body, note, key=f"{BEGINS}/{incoming.id}")
    event = replace(event, timeout=None if action is None else action.timeout)
    return await hosted.act(event, wait=False, notes=event.cloche)


async def _store_next(hosted: HostedSession, record: TaskRecord, incoming: Incoming) -> Event:
    if record.is_over:
        raise UnsupportedOperationError(message=f"the task {record.id} is over: send a message without its taskId")
    if incoming.action is not None:
        raise InvalidParamsError(message="an action begins a task: send it without a taskId")
    note = TaskNote(task=record.begin, message=incoming.id, text=incoming.text)
    if record.asks_confirmation:
        if incoming.confirms is None:
            raise InvalidParamsError(message="the agent asks whether it may do something: answer yes or no")
        return await hosted.send(make_event(ChangeAgentStateAction(_name_answer(incoming.confirms)), note))
    if not isinstance(record, ActionTask):
        return await hosted.send(make_event(MessageAction(incoming.text), note))
    if not record.is_settled:
        raise UnsupportedOperationError(message=f"the action of the task {record.id} runs: it takes no messages")
    typed = CmdRunAction(incoming.text, is_input=bool(incoming.text.strip()), blocking=True)
    event = make_event(typed, note, key=f"{record.id}/{incoming.id}")
    return await hosted.act(event, wait=False, notes=event.cloche)


def _name_answer(confirms: bool) -> str:
    return USER_CONFIRMED if confirms else USER_REJECTED


async def _stop_action(hosted: HostedSession, number: int) -> None:
    if not await hosted.stream.claim(number):
        await hosted.interrupt()
        return
    # It has not begun, and will not now.
    action = await hosted.stream.get_event(number)
    answer = ErrorObservation(f"`{action.kind}` was not executed: its task was cancelled.", STOPPED)
    await hosted.stream.add_event(new_event(answer, "user", answers=action))


async def _stop_agent(hosted: HostedSession) -> None:
    wish = ChangeAgentStateAction(AgentState.STOPPED)
    if not is_closed(hosted):
        await hosted.send(wish)
        return
    # It does not go on when the session is started again.
    stopped = AgentStateChangedObservation("", AgentState.STOPPED)
    await hosted.stream.add_events([new_event(wish, "user"), new_event(stopped)])
