"""Executes actions in a session of a Cloche server, over HTTP."""

import hashlib
from collections.abc import Sequence
from typing import Any, ClassVar

from cloche.errors import RuntimeUnavailable, ServerUnavailable
from cloche.limits import EVENT_LIMIT
from cloche.remote.calls import Begun, Changed, Done, Failed
from cloche.remote.connection import ConnectionCut
from cloche.remote.remote_call import RemoteCall
from cloche.remote.remote_session import RemoteSession
from cloche.remote.sessions import Interrupted
from cloche.remote.verbs import Act, AnyVerb, Install
from cloche.runtime.live_output import Hear
from cloche.runtime.remote.forwarder import CallRefused, Transport
from cloche.sandbox.results.result import Text


class HTTPTransport(Transport):
    """Sends each action as a call, which takes up a lost connection by itself."""

    limit: ClassVar[int] = EVENT_LIMIT
    """What the server can keep."""

    def __init__(self, session: RemoteSession) -> None:
        self.session = session
        self._running: RemoteCall | None = None

    async def open(self) -> None:
        try:
            await self.session.begin()
        except ConnectionCut as error:
            if error.arrived:
                # Another attempt could begin a second session.
                raise RuntimeUnavailable(f"{self.session.connection.place} did not answer: {error}") from error
            raise
        except ServerUnavailable as error:
            raise RuntimeUnavailable(str(error)) from error

    async def call(self, event: dict[str, Any], on_output: Hear | None = None) -> dict[str, Any]:
        own: dict[str, Any] = event.get("cloche") or {}
        key = own.get("key")
        # A key of ours may hold any character.
        name = None if key is None else hashlib.sha256(str(key).encode()).hexdigest()
        return await self._make(Act(event), dict[str, Any], key=name, place=own.get("runtime"), on_output=on_output)

    async def install(self, packages: Sequence[str]) -> None:
        """Install packages of Python; raises RuntimeUnavailable if that fails."""
        try:
            await self._make(Install(list(packages)), object)
        except CallRefused as error:
            raise RuntimeUnavailable(f"the packages {', '.join(packages)} could not be installed: {error}") from error

    async def interrupt(self) -> bool:
        if self._running is None:
            return False
        path = f"{self.session.calls}/{self._running.key}/interrupt"
        return (await self.session.connection.ask("POST", path, Interrupted)).interrupted

    async def close(self) -> None:
        await self.session.close()

    async def _make(
        self,
        verb: AnyVerb,
        told: Any,
        *,
        key: str | None = None,
        place: str | None = None,
        on_output: Hear | None = None,
    ) -> Any:
        """Make a call, and read its answer as this type."""
        call = RemoteCall(self.session.connection, self.session.calls, verb, key=key, place=place)
        self._running = call
        try:
            return await self._finish(call, told, on_output)
        except ServerUnavailable as error:
            raise RuntimeUnavailable(str(error)) from error
        finally:
            self._running = None
            await call.close()

    async def _finish(self, call: RemoteCall, told: Any, on_output: Hear | None) -> Any:
        while True:
            match await call.next():
                case Text(stream, text):
                    if on_output is not None:
                        on_output(stream, text)
                case Done(value):
                    return self.session.connection.read_value(value, told)
                case Failed(problem):
                    raise CallRefused(f"{problem.detail} {problem.fix}".strip())
                case Begun() | Changed():
                    pass
                case other:
                    raise ValueError(f"`{type(other).__name__}` does not belong to an action")
