"""Answers the requests of the protocol for the sessions of a server."""

import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from typing import NoReturn

import anyio
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import (
    A2AError,
    ExtendedAgentCardNotConfiguredError,
    InternalError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    UnsupportedOperationError,
)
from a2a.utils.proto_utils import validate_proto_required_fields
from a2a.utils.task import apply_history_length, validate_history_length

from cloche.errors import ClocheError
from cloche.limits import A2A_WAIT
from cloche.server.agents.action_task import ActionTask
from cloche.server.agents.following import Followers, Printed
from cloche.server.agents.incoming import read_message
from cloche.server.agents.listing import list_tasks
from cloche.server.agents.session_tasks import SessionTasks, Taken, is_closed, show_task
from cloche.server.agents.task_record import TaskRecord, Update
from cloche.session import HostedSession

log = logging.getLogger(__name__)

Sent = Message | Task | Update
Request = SendMessageRequest | GetTaskRequest | ListTasksRequest | CancelTaskRequest | SubscribeToTaskRequest


class SessionFinder(ABC):
    """Finds the session that a request is for; raises TaskNotFoundError or InvalidParamsError if there is none."""

    @abstractmethod
    async def for_message(self, message: Message, context: ServerCallContext) -> HostedSession:
        """The session that a new task is for."""

    @abstractmethod
    async def for_context(self, context_id: str, context: ServerCallContext) -> HostedSession:
        """The session whose tasks are listed."""

    @abstractmethod
    async def for_task(self, task_id: str, context: ServerCallContext) -> HostedSession:
        """The session of a task."""


class TaskHandler(RequestHandler):
    """Every task is made from the events of its session; nothing else is kept."""

    def __init__(self, sessions: SessionFinder, followers: Followers, tasks: SessionTasks) -> None:
        self._sessions = sessions
        self._followers = followers
        self._tasks = tasks

    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Message | Task:
        with _explained(params):
            hosted, taken = await self._take(params, context)
            if not params.configuration.return_immediately:
                with anyio.move_on_after(A2A_WAIT):
                    async with aclosing(self._follow(hosted, taken.record, taken.last)) as updates:
                        async for _ in updates:
                            pass
            return apply_history_length(show_task(hosted, taken.record), params.configuration)

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Sent]:
        with _explained(params):
            hosted, taken = await self._take(params, context)
            yield apply_history_length(taken.record.show(), params.configuration)
            async with aclosing(self._follow(hosted, taken.record, taken.last)) as updates:
                async for update in updates:
                    yield update

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Sent]:
        with _explained(params):
            hosted = await self._sessions.for_task(params.id, context)
            record, last = await self._tasks.find(hosted, params.id)
            if record.is_over:
                raise UnsupportedOperationError(message=f"the task {params.id} is over: nothing follows")
            yield show_task(hosted, record)
            if is_closed(hosted):
                return
            async with aclosing(self._follow(hosted, record, last)) as updates:
                async for update in updates:
                    yield update

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        with _explained(params):
            validate_history_length(params)
            hosted = await self._sessions.for_task(params.id, context)
            record, _ = await self._tasks.find(hosted, params.id)
            return apply_history_length(show_task(hosted, record), params)

    async def on_list_tasks(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        with _explained(params):
            validate_history_length(params)
            hosted = await self._sessions.for_context(params.context_id, context)
            return await list_tasks(hosted, self._tasks, params)

    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task | None:
        with _explained(params):
            hosted = await self._sessions.for_task(params.id, context)
            record, last = await self._tasks.find(hosted, params.id)
            if record.is_over:
                raise TaskNotCancelableError(message=f"the task {params.id} is over")
            await self._tasks.cancel(hosted, record)
            async for event in hosted.stream.get_events(last + 1):
                record.take(event)
            return record.show()

    async def _take(self, params: SendMessageRequest, context: ServerCallContext) -> tuple[HostedSession, Taken]:
        """Do what a message says; returns what became of its task at once."""
        validate_history_length(params.configuration)
        message = params.message
        incoming = read_message(message)
        if message.task_id:
            hosted = await self._sessions.for_task(message.task_id, context)
            return hosted, await self._tasks.resume(hosted, message.task_id, incoming)
        hosted = await self._sessions.for_message(message, context)
        return hosted, await self._tasks.begin(hosted, incoming)

    async def _follow(self, hosted: HostedSession, record: TaskRecord, after: int) -> AsyncGenerator[Update]:
        """What changes until nothing more happens before the client says something."""
        if record.is_settled:
            return
        async with self._followers.follow(hosted, after, hears=isinstance(record, ActionTask)) as news:
            async for each in news:
                updates = record.hear(each.action, each.text) if isinstance(each, Printed) else record.take(each)
                for update in updates:
                    yield update
                if record.is_settled:
                    return

    async def on_create_task_push_notification_config(
        self, params: TaskPushNotificationConfig, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        _refuse_pushing()

    async def on_get_task_push_notification_config(
        self, params: GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        _refuse_pushing()

    async def on_list_task_push_notification_configs(
        self, params: ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> ListTaskPushNotificationConfigsResponse:
        _refuse_pushing()

    async def on_delete_task_push_notification_config(
        self, params: DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        _refuse_pushing()

    async def on_get_extended_agent_card(
        self, params: GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> AgentCard:
        raise ExtendedAgentCardNotConfiguredError


def _refuse_pushing() -> NoReturn:
    raise PushNotificationNotSupportedError


@contextmanager
def _explained(params: Request) -> Generator[None]:
    """A request, whose failures become errors of the protocol; nothing is told of those that are unforeseen."""
    try:
        validate_proto_required_fields(params)
        yield
    except A2AError:
        raise
    except (ClocheError, TimeoutError) as error:
        raise InternalError(message=str(error)) from error
    except Exception as error:  # the border of a request: it must not end the server
        log.exception("a request to an agent failed")
        raise InternalError(message="The server failed; its log says why.") from error
