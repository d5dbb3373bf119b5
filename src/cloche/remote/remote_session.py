"""A session at a server, for as long as a program uses it."""

import logging
from urllib.parse import quote

import anyio

from cloche.errors import ClocheError, ServerUnavailable
from cloche.remote.connection import ServerConnection
from cloche.remote.patience import insist
from cloche.remote.sessions import SessionAnswer, SessionRequest

log = logging.getLogger(__name__)

CLOSE_WAIT = 20.0
"""Seconds to end the session at the server."""


class RemoteSession:
    """A session that is begun for a program, or one that exists and is left as it is."""

    def __init__(self, connection: ServerConnection, request: SessionRequest, *, sid: str | None, keep: bool) -> None:
        self.connection = connection
        self.sid = sid
        self.is_own = sid is None
        self._request = request
        self._keep = keep
        self._closed = False

    @property
    def path(self) -> str:
        """Its path at the server."""
        if self.sid is None or self._closed:
            what = "closed" if self._closed else "not open: use it in an async with statement"
            raise ServerUnavailable(f"this sandbox is {what}")
        return f"/api/sessions/{quote(self.sid, safe='')}"

    @property
    def calls(self) -> str:
        """The path of its calls."""
        return f"{self.path}/calls"

    async def begin(self) -> None:
        """Begin it, unless it exists; raises ConnectionCut if the server could not be reached now."""
        if self.sid is None:
            self.sid = (await self.connection.ask("POST", "/api/sessions", SessionAnswer, self._request)).id

    async def close(self) -> None:
        """End it, with all that runs in it, if it is our own; may be called twice, never raises."""
        if self._closed:
            return
        with anyio.move_on_after(CLOSE_WAIT, shield=True):
            try:
                if self.sid is not None and self.is_own:
                    await self._end()
            except (ClocheError, OSError) as error:
                log.warning("the session %s could not be ended: %s", self.sid, error)
        self._closed = True
        await self.connection.close()

    async def _end(self) -> None:
        connection = self.connection
        method, path = ("POST", f"{self.path}/stop") if self._keep else ("DELETE", self.path)
        await insist(lambda: connection.ask(method, path, object), connection.place, CLOSE_WAIT)
