"""One request and its answer, over a new or an idle connection."""

from collections.abc import Awaitable, Callable

import anyio
import h11

from cloche.sandbox.network.connection import Connection
from cloche.sandbox.network.dialer import Dialer
from cloche.sandbox.network.idle_connections import IdleConnections
from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.refusals import ConnectionLost, RequestRefused, TooLarge
from cloche.sandbox.network.request import GuestRequest, Headers
from cloche.sandbox.network.request_body import RequestBody
from cloche.sandbox.network.request_log import NetworkRequest

_REPEATABLE = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}
_WITH_BODY = {"POST", "PUT", "PATCH"}


class HttpAnswer:
    """The head of a response, and access to its body."""

    def __init__(self, head: h11.Response, connection: Connection, limit: int) -> None:
        self.status = head.status_code
        self.reason = head.reason.decode("latin-1")
        raw: list[tuple[bytes, bytes]] = head.headers.raw_items()
        self.headers: Headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw]
        self.complete = False
        self.keep_alive = head.http_version == b"1.1" and "close" not in (self.header("connection") or "").lower()
        self._connection = connection
        self._limit = limit
        self._size = 0
        connection.pace.patient = (self.header("content-type") or "").lower().startswith("text/event-stream")

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    def announce(self, method: str) -> None:
        """Read the length that the server announces, if any; raises TooLarge if it is over the limit."""
        length = self.header("content-length") or ""
        if not length.isdigit() or method == "HEAD" or self.status in (204, 304) or self.header("transfer-encoding"):
            return
        if int(length) > self._limit:
            raise TooLarge(f"the answer has {length} bytes, more than the {self._limit} that it may have")
        self._connection.expect(int(length))

    async def block(self) -> bytes:
        """The next bytes of the body; empty at its end."""
        block = await self._connection.block()
        self._size += len(block)
        if self._size > self._limit:
            raise TooLarge(f"the answer is over the {self._limit} bytes that it may have")
        self.complete = not block
        return block


Use = Callable[[HttpAnswer], Awaitable[None]]


class ExchangePool:
    """Makes requests, and keeps connections between them."""

    def __init__(self, dialer: Dialer, limits: NetworkLimits) -> None:
        self._dialer = dialer
        self._limits = limits
        self._idle = IdleConnections()

    async def close(self) -> None:
        await self._idle.close()

    async def carry(
        self, request: GuestRequest, added: Headers, body: RequestBody, note: NetworkRequest, use: Use
    ) -> None:
        """Send a request with added headers and use its response; the connection is kept if that is read to the end."""
        length = 0 if request.bodiless else await body.prepare()
        head = _build_head(request, added, length)
        waiting = await self._idle.take(request.target.origin)
        if waiting is not None:
            try:
                await _Exchange(self, waiting, request, body, note).run(head, length, use)
            except ConnectionLost:
                # The server may have closed it just then.
                if waiting.heard or request.method not in _REPEATABLE or not body.repeatable:
                    raise
            else:
                return
        raw, stream = await self._dialer.connect(request.target, request.connect)
        fresh = Connection(raw, stream, self._limits, request.target.host)
        await _Exchange(self, fresh, request, body, note).run(head, length, use)

    def answer(self, head: h11.Response, connection: Connection) -> HttpAnswer:
        return HttpAnswer(head, connection, self._limits.answer_bytes)

    @property
    def limits(self) -> NetworkLimits:
        return self._limits

    async def release(self, request: GuestRequest, connection: Connection, keep_alive: bool) -> None:
        await self._idle.give(request.target.origin, connection, keep_alive)


class _Exchange:
    def __init__(
        self, home: ExchangePool, connection: Connection, request: GuestRequest, body: RequestBody, note: NetworkRequest
    ) -> None:
        self._home = home
        self._connection = connection
        self._request = request
        self._body = body
        self._note = note
        self._complete = False
        self._keep_alive = False

    async def run(self, head: h11.Request, length: int | None, use: Use) -> None:
        try:
            whole = b"" if length == 0 else self._body.whole
            if whole is not None:
                await self._send_whole(head, whole)
                await self._receive(self._home.limits.answer, use)
            else:
                await self._both(head, use)
        finally:
            if self._complete:
                await self._home.release(self._request, self._connection, self._keep_alive)
            else:
                await self._connection.close()

    async def _send_whole(self, head: h11.Request, whole: bytes) -> None:
        parts = (h11.Data(data=whole),) if whole else ()
        try:
            self._note.sent += await self._connection.send(head, *parts, h11.EndOfMessage())
        except ConnectionLost:
            # A server that refuses the body may already have said why.
            if not whole:
                raise

    async def _both(self, head: h11.Request, use: Use) -> None:
        """Send and receive at the same time: a server may respond before it has the whole body."""
        problems: list[RequestRefused] = []

        async def send() -> None:
            try:
                await self._send_stream(head)
            except ConnectionLost:
                # The server's response, or its absence, says more.
                pass
            except RequestRefused as error:
                problems.append(error)
                group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(send)
            try:
                await self._receive(self._home.limits.total, use)
            except RequestRefused as error:
                problems.append(error)
            group.cancel_scope.cancel()
        if problems:
            raise problems[0]

    async def _send_stream(self, head: h11.Request) -> None:
        self._note.sent += await self._connection.send(head)
        await self._body.pour(self._send_piece)
        await self._connection.send(h11.EndOfMessage())

    async def _send_piece(self, piece: bytes) -> None:
        self._note.sent += await self._connection.send(h11.Data(data=piece))

    async def _receive(self, seconds: float, use: Use) -> None:
        answer = self._home.answer(await self._connection.head(seconds), self._connection)
        self._note.status = answer.status
        answer.announce(self._request.method)
        await use(answer)
        self._complete, self._keep_alive = answer.complete, answer.keep_alive


def _build_head(request: GuestRequest, added: Headers, length: int | None) -> h11.Request:
    replaced = {name.lower() for name, _ in added}
    headers = [("Host", request.target.authority)]
    headers += [pair for pair in request.headers if pair[0].lower() not in replaced]
    headers += added
    if length is None:
        headers.append(("Transfer-Encoding", "chunked"))
    elif length or request.method in _WITH_BODY:
        headers.append(("Content-Length", str(length)))
    return h11.Request(
        method=request.method,
        target=request.target.path,
        headers=[(name.encode(), _encode_value(value)) for name, value in headers],
    )


def _encode_value(value: str) -> bytes:
    try:
        return value.strip().encode("latin-1")
    except UnicodeEncodeError:
        return value.strip().encode()
