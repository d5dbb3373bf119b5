"""Actions that clients send: each once, whatever is sent again, and each with its observation."""

from collections.abc import Mapping
from typing import Any

import anyio
from msgspec import structs

from cloche.errors import EventError, SessionUnknown
from cloche.events import Event, EventFilter, EventStream, is_action, is_observation, new_event
from cloche.events.stores.feeds import Feed
from cloche.limits import SESSION_KEY
from cloche.session.hosting.open_actions import gets_answer

KEY = "key"
"""What an event has under `cloche`, if it may be sent again."""


def check_action(event: Event, notes: Mapping[str, Any] | None = None) -> Event:
    """The event as one of the user, with nothing but what users may say; raises EventError if nothing answers it.

    `notes` are what the server itself says of it, under `cloche`.
    """
    if not is_action(event.body) or not gets_answer(structs.replace(event, source="user")):
        raise EventError(
            f"`{event.kind}` was not sent as an action: nothing answers it. Send it as a message, or an action that "
            "is executed, such as `run`"
        )
    key = (event.cloche or {}).get(KEY)
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= SESSION_KEY):
        raise EventError(f"the key of an action is a text of 1 to {SESSION_KEY} characters, not {str(key)[:40]!r}")
    fresh = new_event(event.body, "user", timeout=event.timeout)
    own = {**(notes or {}), **({} if key is None else {KEY: key})}
    return structs.replace(fresh, cloche=own or None)


def key_of(event: Event) -> str | None:
    """The key with which an action may be sent again."""
    key = (event.cloche or {}).get(KEY)
    return key if isinstance(key, str) else None


class ActionKeys:
    """Which actions of a stream have been sent with which key."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self._known: dict[str, int] | None = None
        self.turn = anyio.Lock()
        """Held from the look for a key until its action is stored."""

    async def find(self, key: str) -> Event | None:
        """The action with this key; None if there is none."""
        if self._known is None:
            sent = self._stream.get_events(filter=EventFilter(source="user"))
            self._known = {key_of(event) or "": event.id or 0 async for event in sent if is_action(event.body)}
        id = self._known.get(key)
        return None if id is None else await self._stream.get_event(id)

    def add(self, key: str, event: Event) -> None:
        """Note an action that was stored."""
        assert self._known is not None, "it was looked for first"
        assert event.id is not None, "what is stored has an id"
        self._known[key] = event.id


async def find_answer(stream: EventStream, action: Event) -> Event | None:
    """The stored observation of an action; None if there is none yet."""
    assert action.id is not None, "what is stored has an id"
    async for event in stream.get_events(action.id + 1):
        if event.cause == action.id and is_observation(event.body):
            return event
    return None


async def wait_for_answer(stream: EventStream, feed: Feed, action: Event, seconds: float) -> Event:
    """The observation of an action that is stored after the feed was opened.

    Raises TimeoutError if there is no observation for so many seconds, not even of the actions before this one.
    """
    assert action.id is not None, "what is stored has an id"
    last, deadline = action.id, anyio.current_time() + seconds
    while True:
        try:
            with anyio.fail_after(deadline - anyio.current_time()):
                fresh = await feed.take()
        except TimeoutError:
            raise TimeoutError(
                f"the action {action.id} of the session {stream.sid} has no observation after {seconds:g} s. It may "
                "still run; its observation will be in the stream"
            ) from None
        if fresh is None:
            raise SessionUnknown(f"the session {stream.sid} was deleted, or its server ended, before it was answered")
        for event in fresh or [event async for event in stream.get_events(last + 1)]:
            last = max(last, event.id or 0)
            if is_observation(event.body):
                if event.cause == action.id:
                    return event
                deadline = anyio.current_time() + seconds
