"""Executes an action in a session for somebody who wants to hear what it prints."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from cloche.events import Event
from cloche.runtime.live_output import LiveOutput, OnOutput, pass_on_output
from cloche.session import HostedSession
from cloche.session.hosting.clients import OutputListener

EARLY = 1000
"""Pieces of output that are kept until it is known which action they belong to."""


async def execute_heard(
    hosted: HostedSession, event: Event, on_output: OnOutput | None, *, notes: Mapping[str, Any]
) -> Event:
    """The observation of an action, which has a `cloche.key`; one that is sent again is not executed again."""
    if on_output is None:
        return await hosted.act(event, notes=notes)
    async with pass_on_output(on_output) as live:
        listener = _Listener(live)
        hosted.attach(listener)
        try:
            listener.listen_to((await hosted.act(event, wait=False, notes=notes)).id)
            return await hosted.act(event, notes=notes)
        finally:
            hosted.detach(listener)


class _Listener(OutputListener):
    """Hears one action; until it is known which one that is, all that began since."""

    def __init__(self, live: LiveOutput) -> None:
        self._live = live
        self._action: int | None = None
        self._early: deque[tuple[int, str, str]] = deque(maxlen=EARLY)

    def listen_to(self, action: int | None) -> None:
        """Hear this action, which may have printed something already."""
        self._action = action
        while self._early:
            self.hear_output(*self._early.popleft())

    def hear_output(self, action: int, stream: str, text: str) -> None:
        if self._action is None:
            self._early.append((action, stream, text))
        elif action == self._action:
            self._live.put(stream, text)
