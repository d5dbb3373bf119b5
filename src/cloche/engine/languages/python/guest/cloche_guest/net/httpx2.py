"""Transports for httpx2, which has none for this platform: requests go straight to the host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from cloche_guest.host_requests import HostRequest, RequestError, send_request
from cloche_guest.net.failures import failure_of

_DROPPED = {"connection", "keep-alive", "transfer-encoding"}


def transports() -> dict[str, Any]:
    """The names in httpx2_jsfetch."""
    from httpx2._transports import base
    from httpx2._types import AsyncByteStream, SyncByteStream

    class Stream(_Body, SyncByteStream):
        pass

    class AsyncStream(_AsyncBody, AsyncByteStream):
        pass

    class JavascriptFetchTransport(base.BaseTransport):
        """Has the host make each request."""

        def __init__(self, *_args: Any, **_options: Any) -> None:
            """Accept the options of other transports; the host decides all of them."""

        def handle_request(self, request: Any) -> Any:
            return _Exchange(request).send(b"".join(request.stream), Stream)

    class AsyncJavascriptFetchTransport(base.AsyncBaseTransport):
        """The same, without blocking the event loop."""

        def __init__(self, *_args: Any, **_options: Any) -> None:
            """Accept the options of other transports; the host decides all of them."""

        async def handle_async_request(self, request: Any) -> Any:
            body = b"".join([part async for part in request.stream])
            return await _Exchange(request).send_async(body, AsyncStream)

    kinds = (JavascriptFetchTransport, AsyncJavascriptFetchTransport)
    return {kind.__name__: kind for kind in kinds}


class _Exchange:
    """One request of httpx2."""

    def __init__(self, request: Any) -> None:
        import httpx2

        self.library: Any = httpx2
        self._request = request
        self.host_request: HostRequest
        self.place = f"{request.url.host}:{request.url.port or (443 if request.url.scheme == 'https' else 80)}"
        self._times: dict[str, float | None] = request.extensions.get("timeout") or {}

    @property
    def patience(self) -> float | None:
        return self._times.get("read")

    def send(self, body: bytes, stream: Any) -> Any:
        self.host_request = self._send(body)
        try:
            return self._response(self.host_request.data(self.patience), stream(self))
        except (RequestError, TimeoutError) as error:
            raise self.translated(error, self.library.ConnectError) from None
        except BaseException:
            self.host_request.close()
            raise

    async def send_async(self, body: bytes, stream: Any) -> Any:
        self.host_request = self._send(body)
        try:
            return self._response(await self.host_request.data_async(self.patience), stream(self))
        except (RequestError, TimeoutError) as error:
            raise self.translated(error, self.library.ConnectError) from None
        except BaseException:
            self.host_request.close()
            raise

    def translated(self, error: RequestError | TimeoutError, kind: Any) -> Exception:
        """What httpx2's users expect."""
        self.host_request.close()
        failure = failure_of(error, self.place) if isinstance(error, RequestError) else error
        chosen = self.library.ReadTimeout if isinstance(failure, TimeoutError) else kind
        return chosen(str(failure), request=self._request)

    def _send(self, body: bytes) -> HostRequest:
        request = self._request
        headers = [(key.decode("latin-1"), value.decode("latin-1")) for key, value in request.headers.raw]
        return send_request(
            {
                "kind": "fetch", "method": request.method, "url": str(request.url), "headers": headers,
                "redirect": "manual",
            },
            body or None,
        )  # fmt: skip

    def _response(self, data: Any, stream: Any) -> Any:
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in data["headers"]]
        headers = [pair for pair in headers if pair[0].lower().decode() not in _DROPPED]
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": data["reason"].encode("latin-1")}
        return self.library.Response(data["status"], headers=headers, stream=stream, extensions=extensions)


class _Body:
    """The body of a response, as it arrives."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange, self._host_request = exchange, exchange.host_request

    def __iter__(self) -> Iterator[bytes]:
        try:
            while self._host_request.ready(self._exchange.patience):
                yield self._host_request.read()
        except (RequestError, TimeoutError) as error:
            raise self._exchange.translated(error, self._exchange.library.ReadError) from None

    def close(self) -> None:
        self._host_request.close()


class _AsyncBody:
    """The same, without blocking the event loop."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange, self._host_request = exchange, exchange.host_request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while await self._host_request.ready_async(self._exchange.patience):
                yield await self._host_request.read_async()
        except (RequestError, TimeoutError) as error:
            raise self._exchange.translated(error, self._exchange.library.ReadError) from None

    async def aclose(self) -> None:
        self._host_request.close()
