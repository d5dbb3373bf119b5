"""Lists the tasks of a session, page by page."""

from a2a.types import ListTasksRequest, ListTasksResponse, Task
from a2a.utils.constants import DEFAULT_LIST_TASKS_PAGE_SIZE
from a2a.utils.errors import InvalidParamsError
from a2a.utils.task import apply_history_length, validate_page_size

from cloche.events import EventFilter
from cloche.limits import A2A_LISTED
from cloche.server.agents.notes import BEGINS, read_note
from cloche.server.agents.session_tasks import SessionTasks, show_task
from cloche.server.agents.values import make_task_id, split_task_id
from cloche.session import HostedSession


async def list_tasks(hosted: HostedSession, tasks: SessionTasks, params: ListTasksRequest) -> ListTasksResponse:
    """A page of the tasks that are asked for, the newest first."""
    size = params.page_size if params.HasField("page_size") else DEFAULT_LIST_TASKS_PAGE_SIZE
    validate_page_size(size)
    before = _read_token(hosted, params.page_token)
    begun = await _list_begun(hosted)
    if params.status or params.HasField("status_timestamp_after"):
        wanted = [number for number in begun if _is_wanted(await _show(hosted, tasks, number), params)]
    else:
        wanted = begun
    rest = [number for number in wanted if number < before]
    page = [_trim(await _show(hosted, tasks, number), params) for number in rest[:size]]
    token = make_task_id(hosted.sid, rest[size - 1]) if len(rest) > size else ""
    return ListTasksResponse(tasks=page, next_page_token=token, page_size=size, total_size=len(wanted))


async def _list_begun(hosted: HostedSession) -> list[int]:
    """The events with which tasks begin, the newest first."""
    marked = EventFilter(source="user", query=BEGINS)
    found = hosted.stream.get_events(reverse=True, filter=marked, limit=A2A_LISTED)
    notes = [(event.id, read_note(event)) async for event in found]
    return [number for number, note in notes if number is not None and note is not None and note.role == BEGINS]


async def _show(hosted: HostedSession, tasks: SessionTasks, number: int) -> Task:
    record, _ = await tasks.find(hosted, make_task_id(hosted.sid, number))
    return show_task(hosted, record)


def _is_wanted(task: Task, params: ListTasksRequest) -> bool:
    if params.status and task.status.state != params.status:
        return False
    since = params.status_timestamp_after.ToNanoseconds() if params.HasField("status_timestamp_after") else 0
    return task.status.timestamp.ToNanoseconds() >= since


def _trim(task: Task, params: ListTasksRequest) -> Task:
    if not params.include_artifacts:
        task.ClearField("artifacts")
    return apply_history_length(task, params)


def _read_token(hosted: HostedSession, token: str) -> int:
    """The event before which the tasks of the next page begin."""
    if not token:
        return 2**62
    found = split_task_id(token)
    if found is None or found[0] != hosted.sid:
        raise InvalidParamsError(message="the pageToken is not one that was given here")
    return found[1]
