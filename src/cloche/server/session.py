"""A client's connection to a session: it gets every event once and in order, and what actions print meanwhile."""

import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, cast

import anyio
import msgspec

from cloche.events import ChangeAgentStateAction, Event, encode_event, event_for_stock, event_from_dict, is_action
from cloche.limits import SERVER_LIVE
from cloche.server.access.users import User
from cloche.server.problems import Problem, socket_problem
from cloche.session import HostedSession

log = logging.getLogger(__name__)

Send = Callable[[str, Any], Awaitable[None]]
"""Sends a message of this name to the client; waits while the client is slow, and raises ClientGone in the end."""

EVENT = "oh_event"
OUTPUT = "cloche_output"
"""A piece of live output: `{"action": 12, "stream": "stdout", "text": "..."}`; it is not stored."""
STATUS = "cloche_status"


class ClientGone(Exception):
    """The client is gone, or does not read."""


class Session:
    """One client of one session."""

    def __init__(self, hosted: HostedSession, user: User, send: Send, *, after_id: int = -1, stock: bool) -> None:
        """Events after `after_id` are sent; a `stock` client of OpenHands gets only what it understands."""
        self.hosted = hosted
        self.user = user
        self._send = send
        self._after = after_id
        self._stock = stock
        self._live: deque[dict[str, Any]] = deque()
        self._size = 0
        self._news = anyio.Event()

    async def run(self) -> None:
        """Send events until cancelled, the session is deleted or the client is gone."""
        self.hosted.attach(self)
        try:
            async with anyio.create_task_group() as tasks:
                if not self._stock:
                    tasks.start_soon(self._send_live)
                await self._send_events()
                tasks.cancel_scope.cancel()
        except* ClientGone:
            log.info("a client of %s is gone", self.hosted.sid)
        finally:
            self.hosted.detach(self)

    async def take(self, data: Any) -> dict[str, Any]:
        """What the client says, as an event; returns the answer, in which the id of the stored event is."""
        try:
            if not self.user.may_run:
                raise Problem(403, "read_only", f"the token of {self.user.name} may only read")
            if not isinstance(data, dict):
                raise Problem(422, "invalid", "a message is an event, such as {'action': 'run', 'args': {...}}")
            stored = await put_event(self.hosted, event_from_dict(cast("dict[str, Any]", data)), wait=False)
        except Exception as error:  # noqa: BLE001 - the border of a request: its client is told, and goes on
            problem = socket_problem(error)
            if self._stock:
                await self._send(EVENT, problem)
            return problem
        return {"id": stored.id}

    def hear_output(self, action: int, stream: str, text: str) -> None:
        """Output of a running action; the oldest is left out if the client is slow."""
        last = self._live[-1] if self._live else None
        if last is not None and last.get("action") == action and last.get("stream") == stream:
            last["text"] += text
        else:
            self._live.append({"action": action, "stream": stream, "text": text})
        self._size += len(text)
        while self._size > SERVER_LIVE and len(self._live) > 1:
            self._size -= len(self._live.popleft().get("text", ""))
        if self._size > SERVER_LIVE:
            only = self._live[0]
            only["text"] = only["text"][-SERVER_LIVE:]
            self._size = len(only["text"])
        self._news.set()

    def hear_status(self, level: str, status: str, text: str) -> None:
        """A status; it is an event too, which tells the client."""

    def hear_message(self, message: dict[str, Any]) -> None:
        """Something that only clients of today are told."""
        self._live.append(message)
        self._news.set()

    async def _send_events(self) -> None:
        async with aclosing(self.hosted.stream.follow(self._after)) as events:
            async for event in events:
                data = event_for_stock(event) if self._stock else msgspec.Raw(encode_event(event))
                if data is not None:
                    await self._send(EVENT, data)

    async def _send_live(self) -> None:
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            while self._live:
                piece = self._live.popleft()
                self._size -= len(piece.get("text", "")) if "action" in piece else 0
                await self._send(OUTPUT if "action" in piece else STATUS, piece)


async def put_event(hosted: HostedSession, event: Event, *, wait: bool) -> Event:
    """Store what a user wants; with `wait`, returns the observation of an action that is executed."""
    if event.timeout is not None and not 0 < event.timeout <= LONGEST:
        raise Problem(422, "invalid", f"a timeout is above 0 s and at most {LONGEST:g} s, not {event.timeout:g} s")
    if not is_action(event.body):
        raise Problem(422, "invalid", f"`{event.kind}` is no action", fix="Send an action, such as `run`.")
    if event.body.runnable:
        return await hosted.act(event, wait=wait)
    if isinstance(event.body, ChangeAgentStateAction) or event.kind in SAID:
        return await hosted.send(event.body)
    raise Problem(
        422, "invalid", f"`{event.kind}` is for agents", fix=f"Users send actions that run, or {', '.join(SAID)}."
    )


LONGEST = 604_800.0
"""Seconds that an action may ask for."""
SAID = ("message", "change_agent_state", "loop_recovery")
"""What users say besides actions that are executed."""
