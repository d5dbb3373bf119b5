"""One request to the host, whose body may still be in progress, and its response."""

from __future__ import annotations

from typing import Any

from cloche_guest.host_requests import HostRequest, RequestError, send_request
from cloche_guest.net.failures import failure_of
from cloche_guest.net.parsing import Head, body_length
from cloche_guest.net.refusal import not_http
from cloche_guest.net.response import Response

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_WHOLE = 256 << 10
"""Bodies up to this size go with the request; longer ones follow it."""


class Exchange:
    """A request and its response."""

    def __init__(self, head: Head, url: str, place: str) -> None:
        if head.has("upgrade", "websocket"):
            raise not_http("a websocket cannot be opened")
        self._head = head
        self._place = place
        self._request = {
            "kind": "fetch", "method": head.method, "url": url, "headers": head.headers, "redirect": "manual"
        }  # fmt: skip
        self._body = bytearray()
        self._interim = _CONTINUE if head.has("expect", "100-continue") else b""
        self._host_request: HostRequest | None = None
        self._response: Response | None = None
        self._backlog = 0
        self._wanted = True
        self.complete = False
        """Whether the whole request has been passed on."""
        if (body_length(head) or 0) > _WHOLE:
            self._send(more=True)

    def add(self, data: memoryview) -> None:
        """Send a part of the request's body."""
        if self._wanted:
            self._body += data
        if len(self._body) > _WHOLE:
            self._flush()

    def finish(self) -> None:
        """End the request's body."""
        self.complete = True
        if self._host_request is None:
            self._send(more=False)
            return
        self._flush()
        self._host_request.finish()

    @property
    def backlog(self) -> int:
        """Bytes of the body that the host has not accepted yet."""
        return self._backlog

    def wait_room(self, seconds: float | None) -> None:
        """Wait until the host has accepted the body so far."""
        if self._host_request is not None:
            self._taken(self._guarded(self._host_request.room, seconds))

    async def wait_room_async(self) -> None:
        """The same, without blocking the event loop."""
        if self._host_request is not None:
            try:
                self._taken(await self._host_request.room_async())
            except RequestError as error:
                raise failure_of(error, self._place) from None

    @property
    def open(self) -> bool:
        """Whether there is anything to wait for."""
        return self._host_request is not None or bool(self._interim)

    @property
    def answered(self) -> bool:
        """Whether the head of the response has arrived."""
        return self._response is not None

    def wait(self, seconds: float | None) -> None:
        """Wait for bytes of the response, or its end."""
        if self._interim:
            return
        host_request = self._sent_request()
        if self._response is None:
            self._respond(self._guarded(host_request.data, seconds))
        else:
            self._guarded(host_request.ready, seconds)

    async def wait_async(self) -> None:
        """The same, without blocking the event loop."""
        if self._interim:
            return
        host_request = self._sent_request()
        try:
            if self._response is None:
                self._respond(await host_request.data_async())
            else:
                await host_request.ready_async()
        except RequestError as error:
            raise failure_of(error, self._place) from None

    def take(self, buffer: memoryview) -> int:
        """Read bytes of the response; 0 at its end, -1 if the caller must wait."""
        if self._interim:
            part, self._interim = self._interim[: len(buffer)], self._interim[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)
        return -1 if self._response is None else self._response.take(buffer)

    @property
    def done(self) -> bool:
        """Whether the response has been read to its end."""
        return self._response is not None and self._response.done

    @property
    def closes(self) -> bool:
        """Whether the connection ends with this response."""
        return self._response is not None and self._response.closes

    def close(self) -> None:
        """Tell the host to stop."""
        if self._response is not None:
            self._response.close()
        elif self._host_request is not None:
            self._host_request.close()

    def _send(self, *, more: bool) -> None:
        self._host_request = send_request(self._request, bytes(self._body) or None, more=more)
        self._body.clear()

    def _flush(self) -> None:
        if self._host_request is None:
            self._send(more=True)
        elif self._body:
            self._backlog = max(self._host_request.put(self._body), 0)
            self._body.clear()

    def _taken(self, wanted: bool) -> None:
        self._backlog = 0
        self._wanted = wanted

    def _respond(self, data: Any) -> None:
        head = self._head
        closes = head.version == "1.0" or head.has("connection", "close")
        self._response = Response(self._sent_request(), data, method=head.method, closes=closes)

    def _guarded(self, wait: Any, seconds: float | None) -> Any:
        try:
            return wait(seconds)
        except RequestError as error:
            raise failure_of(error, self._place) from None

    def _sent_request(self) -> HostRequest:
        if self._host_request is None:
            raise not_http("nothing can be received before a whole HTTP request was sent")
        return self._host_request
