"""Replaces a TCP connection: takes the bytes of HTTP requests and returns those of the responses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from cloche_guest.host_requests import RequestError, send_request
from cloche_guest.net.exchange import Exchange
from cloche_guest.net.failures import failure_of
from cloche_guest.net.parsing import End, Head, Parser
from cloche_guest.net.refusal import not_http

TLS_HELLO = b"\x16\x03\x01\xffcloche\n"
"""Marks the start of TLS in memory; the host does the real TLS."""
_HELLO_START = TLS_HELLO[:2]
_KEPT = 1000
_FRESH = 5.0
"""Seconds until the host is asked again whether an address may be reached; it checks each request anyway."""
_reached: dict[str, float] = {}
_PORTS = {"http": 80, "https": 443}


class Connection:
    """One connection of a client, through the host."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.place = f"{f'[{host}]' if ':' in host else host}:{port}"
        self.secure = False
        self.ended = False
        """Whether the server would have closed it."""
        self._parser = Parser()
        self._open: deque[Exchange] = deque()
        self._sending: Exchange | None = None
        self._used = False
        self._failure: OSError | None = None

    def __del__(self) -> None:
        self.close()

    def reach(self, seconds: float | None) -> None:
        """Ask whether the address may be reached at all."""
        if self._known():
            return
        host_request = send_request({"kind": "reach", "host": self.host, "port": self.port})
        try:
            host_request.data(seconds)
        except RequestError as error:
            raise failure_of(error, self.place) from None
        finally:
            host_request.close()
        _reached[self.place] = monotonic()

    async def reach_async(self) -> None:
        """The same, without blocking the event loop."""
        if self._known():
            return
        host_request = send_request({"kind": "reach", "host": self.host, "port": self.port})
        try:
            await host_request.data_async()
        except RequestError as error:
            raise failure_of(error, self.place) from None
        finally:
            host_request.close()
        _reached[self.place] = monotonic()

    def _known(self) -> bool:
        if len(_reached) > _KEPT:
            _reached.clear()
        return monotonic() - _reached.get(self.place, -_FRESH) < _FRESH

    def write(self, data: memoryview) -> None:
        """Take bytes of requests."""
        if self.ended:
            raise BrokenPipeError(32, "Broken pipe")
        if not self._used and data[:2] == _HELLO_START:
            data = self._start_tls(data)
        for event in self._parser.feed(data):
            self._used = True
            if isinstance(event, Head):
                self._sending = Exchange(event, self._url(event), self.place)
                self._open.append(self._sending)
            elif isinstance(event, End):
                self._finish()
            elif self._sending is not None:
                self._sending.add(event)

    @property
    def sending(self) -> Exchange | None:
        """The request whose body is being sent."""
        return self._sending

    @property
    def receiving(self) -> Exchange | None:
        """The request whose response is next."""
        return self._open[0] if self._open else None

    @property
    def idle(self) -> bool:
        """Whether no request is open."""
        return not self._open

    def wait(self, seconds: float | None) -> None:
        """Wait for bytes of the responses, or their end."""
        if self._failure is None and self.receiving is not None:
            with self._noting():
                self.receiving.wait(seconds)

    async def wait_async(self) -> None:
        """The same, without blocking the event loop."""
        if self._failure is None and self.receiving is not None:
            with self._noting():
                await self.receiving.wait_async()

    def readable(self) -> bool:
        """Whether take() would return bytes, the end or an error now."""
        if self.receiving is None:
            return self.ended
        try:
            self.wait(0)
        except OSError:
            return self._failure is not None
        return True

    def take(self, buffer: memoryview) -> int:
        """Read bytes of the responses; 0 at the end, -1 if the caller must wait."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            self.close()
            raise failure
        exchange = self.receiving
        if exchange is None:
            self._check_spoken()
            return 0
        size = exchange.take(buffer)
        if exchange.done:
            self._open.popleft()
            self.ended = self.ended or exchange.closes
        return size

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Make a failure permanent."""
        try:
            yield
        except OSError as error:
            if not isinstance(error, TimeoutError) or error.errno is not None:
                self._failure = error
            raise

    def close(self) -> None:
        """Stop everything; may be called twice."""
        self.ended = True
        while self._open:
            self._open.popleft().close()

    def _finish(self) -> None:
        if self._sending is not None:
            self._sending.finish()
        self._sending = None

    def _start_tls(self, data: memoryview) -> memoryview:
        if data[: len(TLS_HELLO)] != TLS_HELLO:
            raise not_http("TLS is spoken by the host, not by a library in the sandbox")
        self.secure = True
        return data[len(TLS_HELLO) :]

    def _check_spoken(self) -> None:
        if self._used or self.ended:
            return
        raise not_http("nothing can be received before an HTTP request was sent")

    def _url(self, head: Head) -> str:
        scheme = "https" if self.secure else "http"
        host = self._named(head)
        here = f"{scheme}://{host}" if self.port == _PORTS[scheme] else f"{scheme}://{host}:{self.port}"
        if head.target.startswith("/"):
            return here + head.target
        if head.method != "CONNECT" and head.target.lower().startswith((f"{here}/", f"{here}?")):
            return head.target
        raise not_http(f"a proxy cannot be used ({head.method} {head.target[:100]} was sent to {self.place})")

    def _named(self, head: Head) -> str:
        # The client has looked this address up by name before, and allow_net may list that name.
        if self.host == "127.0.0.1" and (head.header("host") or "").partition(":")[0] == "localhost":
            return "localhost"
        return f"[{self.host}]" if ":" in self.host else self.host
