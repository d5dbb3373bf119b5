"""The calls of one sandbox at a server: in order, each with the sandbox that it is meant for."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from cloche.errors import ServerUnavailable
from cloche.remote.calls import Asked, Begun, Changed, Done, Failed, Line, Skipped
from cloche.remote.patience import insist
from cloche.remote.problems import rebuild_error
from cloche.remote.remote_call import RemoteCall
from cloche.remote.remote_session import RemoteSession
from cloche.remote.sessions import Interrupted
from cloche.remote.verbs import AnyVerb
from cloche.sandbox.call_turn import CallTurn
from cloche.sandbox.network.request_log import NetworkRequest
from cloche.sandbox.owner_check import OwnerCheck
from cloche.sandbox.packages.package import Package
from cloche.sandbox.process.call import OnInput
from cloche.sandbox.results.result import Event

T = TypeVar("T")
log = logging.getLogger(__name__)

GONE = "sandbox_gone"
"""The code of a call that was meant for a sandbox that is gone."""


class RemoteCalls:
    """Makes calls in a session, one at a time, and knows what they have changed."""

    def __init__(self, session: RemoteSession) -> None:
        self.session = session
        self.connection = session.connection
        self.owner = OwnerCheck()
        self.packages: list[Package] = []
        self.requests: list[NetworkRequest] = []
        self._turn = CallTurn(self.owner)
        self._place: str | None = None
        self._stamp = ""
        self._running: str | None = None

    @asynccontextmanager
    async def calling(self, verb: AnyVerb, on_input: OnInput | None = None) -> AsyncGenerator[RemoteCall]:
        """A call, from its turn to its end."""
        async with self._turn:
            call = RemoteCall(
                self.connection,
                self.session.calls,
                verb,
                place=self._place,
                known=self._stamp,
                on_input=on_input,
            )
            self._running = call.key
            try:
                yield call
            finally:
                self._running = None
                await call.close()

    async def ask(self, verb: AnyVerb, told: Any) -> Any:
        """Make a call whose answer is of this type."""
        async with self.calling(verb) as call:
            while not isinstance(line := await call.next(), Done):
                self.note(line)
        return self.connection.read_value(line.value, told)

    def note(self, line: Line) -> Event | None:
        """Take in a line: an event of the sandbox is returned, an error is raised."""
        match line:
            case Begun(place):
                self._place = place
            case Changed(stamp, packages, requests):
                self._stamp, self.packages, self.requests = stamp, packages, requests
            case Failed(problem):
                if problem.code == GONE:
                    self._place = None
                    raise ServerUnavailable(f"{self.connection.place}: {problem.detail}")
                raise rebuild_error(problem, self.connection.place)
            case Asked() | Done() | Skipped():
                raise ServerUnavailable(f"{self.connection.place} gave an answer that does not belong to the call")
            case _:
                return line
        return None

    async def interrupt(self) -> bool:
        """Stop the running call; returns whether there was one."""
        self.owner.check()
        if self._running is None:
            return False
        path = f"{self.session.calls}/{self._running}/interrupt"
        answer = await insist(lambda: self.connection.ask("POST", path, Interrupted), self.connection.place)
        return answer.interrupted
