"""One remote agent: sends it messages and follows what becomes of them."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import NamedTuple, Self

import anyio
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
)
from anyio import lowlevel
from google.protobuf.json_format import MessageToDict
from msgspec import Struct

from cloche.errors import RemoteAgentError, RemoteAgentLost
from cloche.runtime.a2a.address_guard import AddressGuard, parse_origin
from cloche.runtime.a2a.agent_card import BINDINGS, CardInfo, choose_interface, fetch_card, read_card
from cloche.runtime.a2a.guarded_transport import CallTransport, GuardedTransport, open_http
from cloche.runtime.a2a.sdk_errors import explain_error, is_unsupported
from cloche.runtime.a2a.updates import FINAL, WAITING, StatusUpdate, TaskUpdate, clean_name, read_response

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
"""Seconds between two looks at a task whose updates are not streamed."""
RETRY_PAUSE = 0.5
"""Seconds after which a server that was lost is asked once more."""
DRAIN_WAIT = 1.0
CONTEXTS = 1000
"""How many contexts are remembered."""


class OutgoingMessage(Struct, frozen=True):
    """What is sent to an agent."""

    text: str
    message_id: str
    session: str
    """Groups messages: it is the context of new tasks, unless the agent has chosen another for it."""
    task_id: str | None = None
    """The task that it continues."""


class Call(NamedTuple):
    """A client of the library for the requests about one task."""

    client: Client
    transport: CallTransport


class Progress:
    """How far a task has come."""

    def __init__(self, task_id: str | None) -> None:
        self.task_id: str | None = task_id
        self.context_id: str | None = None
        self.state = ""
        self._is_heard = False
        self._may_be_old = task_id is not None
        """Whether the next response may be the task as it was before the message that continues it."""

    @property
    def settled(self) -> bool:
        """Whether nothing more happens until someone acts."""
        return self.state in FINAL or self.state in WAITING

    @property
    def has_task(self) -> bool:
        """Whether there is a task to look up, and the agent has taken the message."""
        return self._is_heard and self.task_id is not None

    def take(self, response: StreamResponse) -> list[TaskUpdate]:
        """The updates in a response, without those of other tasks, and those after the end."""
        taken: list[TaskUpdate] = []
        may_be_old = self._may_be_old and response.HasField("task")
        self._is_heard, self._may_be_old = True, False
        for each in read_response(MessageToDict(response)):
            is_other = self.task_id and each.task_id and each.task_id != self.task_id
            is_old = may_be_old and isinstance(each, StatusUpdate) and each.state in WAITING
            if is_other or is_old or self.settled:
                continue
            self.task_id = self.task_id or each.task_id or None
            self.context_id = each.context_id or self.context_id
            if isinstance(each, StatusUpdate):
                self.state = each.state
            taken.append(each)
        return taken


class RemoteAgent:
    """An agent whose card was read."""

    def __init__(self, card: AgentCard, transport: GuardedTransport) -> None:
        self._card = card
        self._transport = transport
        self._contexts: dict[str, str] = {}
        self.info: CardInfo = read_card(card)

    @classmethod
    async def open(cls, url: str, guard: AddressGuard) -> Self:
        """Read the card of a server; raises RemoteAgentError if it cannot be used."""
        shared = GuardedTransport(guard)
        try:
            async with open_http(CallTransport(shared)) as http:
                card = await fetch_card(http, url)
            chosen = choose_interface(card)
            guard.check(parse_origin(chosen.url))
            del card.supported_interfaces[:]
            card.supported_interfaces.append(chosen)
            return cls(card, shared)
        except Exception as error:  # the library raises anything for a hostile card
            await shared.aclose()
            raise explain_error(error) from error
        except BaseException:
            await shared.aclose()
            raise

    async def send(self, message: OutgoingMessage) -> AsyncGenerator[TaskUpdate]:
        """Send a message and follow its task until it is settled."""
        check_task_id(message.task_id or "")
        progress = Progress(message.task_id)
        async with self._open_call(polling=message.task_id is None) as call:
            source = call.client.send_message(self._make_request(message))
            for pause in _list_pauses():
                async with aclosing(_read_updates(call, source, progress)) as updates:
                    async for update in updates:
                        yield update
                self._remember(message, progress)
                if progress.settled:
                    return
                await anyio.sleep(pause)
                for update in progress.take(StreamResponse(task=await self._look(call, progress))):
                    yield update
                source = self._follow(call, progress)

    async def cancel(self, task_id: str) -> str:
        """Cancel a task; returns its state."""
        check_task_id(task_id)
        async with self._open_call() as call:
            try:
                task = await call.client.cancel_task(CancelTaskRequest(id=task_id))
                (*_, status) = read_response(MessageToDict(StreamResponse(task=task)))
            except Exception as error:  # the library raises anything for a hostile answer
                raise explain_error(error) from error
        return status.state if isinstance(status, StatusUpdate) else ""

    async def close(self) -> None:
        """Close its connections; may be called twice."""
        await self._transport.aclose()

    @asynccontextmanager
    async def _open_call(self, *, polling: bool = True) -> AsyncGenerator[Call]:
        """A client; without streams it polls, or waits for the answer: a task that is continued may look as before."""
        transport = CallTransport(self._transport)
        async with open_http(transport) as http:
            streams = self._card.capabilities.streaming
            config = ClientConfig(
                streaming=streams,
                polling=polling and not streams,
                httpx_client=http,
                supported_protocol_bindings=list(BINDINGS),
            )
            yield Call(ClientFactory(config).create(self._card), transport)

    def _make_request(self, message: OutgoingMessage) -> SendMessageRequest:
        # A task that is continued has a context already: one that is not known is left to the agent.
        context = self._contexts.get(message.task_id or message.session, None if message.task_id else message.session)
        sent = Message(
            message_id=message.message_id,
            task_id=message.task_id,
            context_id=context,
            role=Role.ROLE_USER,
            parts=[Part(text=message.text)],
        )
        return SendMessageRequest(message=sent, configuration=SendMessageConfiguration(history_length=0))

    def _remember(self, message: OutgoingMessage, progress: Progress) -> None:
        """Keep the context that the agent has given."""
        for name in (message.session, progress.task_id):
            if name and progress.context_id:
                self._contexts[name] = progress.context_id
        while len(self._contexts) > CONTEXTS:
            del self._contexts[next(iter(self._contexts))]

    async def _look(self, call: Call, progress: Progress) -> Task:
        """The task as it is now; a server that is lost is asked once more."""
        request = GetTaskRequest(id=progress.task_id, history_length=0)
        for is_last in (False, True):
            try:
                return await call.client.get_task(request)
            except Exception as error:  # the library raises anything for a hostile answer
                failure = explain_error(error)
                if is_last or not isinstance(failure, RemoteAgentLost):
                    raise failure from error
            await anyio.sleep(RETRY_PAUSE)
        raise AssertionError("the second time returns or raises")

    async def _follow(self, call: Call, progress: Progress) -> AsyncGenerator[StreamResponse]:
        """What the server streams of a task from now on; nothing if it cannot, or the task is settled."""
        if progress.settled or not self._card.capabilities.streaming:
            return
        try:
            async for response in call.client.subscribe(SubscribeToTaskRequest(id=progress.task_id)):
                yield response
        except Exception as error:  # the library raises anything for a hostile answer
            failure = explain_error(error)
            # The next look at the task says more.
            if not isinstance(failure, RemoteAgentLost) and not is_unsupported(error):
                raise failure from error


def check_task_id(task_id: str) -> None:
    """Raise RemoteAgentError for what would be another path at a server, whose paths have the ids of tasks in them."""
    if not task_id.isprintable() or any(char in task_id for char in "/\\?#% "):
        raise RemoteAgentError(f"{clean_name(task_id)!r} is no id of a task")


def _list_pauses() -> Iterator[float]:
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)


async def _read_updates(
    call: Call, source: AsyncIterator[StreamResponse], progress: Progress
) -> AsyncGenerator[TaskUpdate]:
    """The updates of a stream until it ends or is lost; raises RemoteAgentError if there is no task to look up then."""
    try:
        async for response in source:
            for update in progress.take(response):
                yield update
            if progress.settled:
                call.transport.stop()
            # Many small updates must not hold up everything else.
            await lowlevel.checkpoint()
    except Exception as error:  # the library raises anything for a hostile answer
        failure = explain_error(error)
        if not isinstance(failure, RemoteAgentLost) or not progress.has_task:
            raise failure from error
    finally:
        call.transport.stop()
        await _drain(source)
    if not progress.settled and not progress.has_task:
        raise RemoteAgentError("its answer ended without a task")


async def _drain(source: AsyncIterator[StreamResponse]) -> None:
    """Read to its end what was stopped, so that its connection is given back."""
    with anyio.move_on_after(DRAIN_WAIT, shield=True):
        try:
            async for _ in source:
                pass
        except Exception:  # noqa: BLE001 - nobody needs it any more
            return
