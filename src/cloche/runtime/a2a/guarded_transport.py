"""HTTP to a remote agent: only to addresses that may be reached, and only so much of what it answers."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import httpx
from anyio import to_thread

from cloche.config.secret import mask_address
from cloche.errors import RemoteAgentError
from cloche.runtime.a2a.address_guard import AddressGuard, Origin, parse_origin
from cloche.runtime.a2a.limited_body import ByteBudget, LimitedBody
from cloche.sandbox.network.trusted_authorities import load_authorities

CONNECT_WAIT = 10.0
"""Seconds for a connection, and for a piece of a request to be taken; what an answer may take is the caller's."""
CLOSE_WAIT = 2.0
"""Seconds for connections to be closed."""
KEPT = httpx.Limits(keepalive_expiry=2.0)
"""Connections are kept for less than the five seconds of common servers: one that is just being closed is no use."""
HEADERS = {"accept-encoding": "identity", "user-agent": "cloche"}


class GuardedTransport(httpx.AsyncBaseTransport):
    """Connections to the addresses that a guard allows, kept for each origin."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._origins: dict[Origin, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        origin = parse_origin(str(request.url))
        addresses = await self._guard.find(origin)
        if (key := self._guard.key(origin)) is not None:
            request.headers["authorization"] = f"Bearer {key.reveal()}"
        transport = await self._open(origin)
        for address in addresses[:-1]:
            try:
                return await transport.handle_async_request(_address_request(request, address))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        try:
            return await transport.handle_async_request(_address_request(request, addresses[-1]))
        except (httpx.ConnectError, httpx.ConnectTimeout):
            self._guard.forget(origin)
            raise

    async def aclose(self) -> None:
        origins, self._origins = self._origins, {}
        for transport in origins.values():
            with anyio.move_on_after(CLOSE_WAIT, shield=True):
                await transport.aclose()

    async def _open(self, origin: Origin) -> httpx.AsyncHTTPTransport:
        if origin not in self._origins:
            # In a thread: it reads the certificates of this machine.
            context = await to_thread.run_sync(load_authorities if origin[0] == "https" else _make_no_context)
            self._origins.setdefault(origin, httpx.AsyncHTTPTransport(verify=context, limits=KEPT))
        return self._origins[origin]


class CallTransport(httpx.AsyncBaseTransport):
    """The requests about one task, over connections that are kept."""

    def __init__(self, shared: GuardedTransport) -> None:
        self._shared = shared
        self._budget = ByteBudget()
        self._body: LimitedBody | None = None

    def stop(self) -> None:
        """End the answer that is still being read: nothing more is needed of it."""
        if self._body is not None:
            self._body.stop()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._shared.handle_async_request(request)
        try:
            _check_answer(response)
        except RemoteAgentError:
            await response.aclose()
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream), "an asynchronous transport answers with such a one"
        is_events = "text/event-stream" in response.headers.get("content-type", "")
        body = self._body = LimitedBody(response.stream, self._budget, is_events=is_events)
        return httpx.Response(
            response.status_code, headers=response.headers, stream=body, extensions=response.extensions
        )


@asynccontextmanager
async def open_http(transport: CallTransport) -> AsyncGenerator[httpx.AsyncClient]:
    """An HTTP client for one task; it follows no redirect and uses no proxy."""
    patience = httpx.Timeout(CONNECT_WAIT, read=None, pool=None)
    client = httpx.AsyncClient(transport=transport, headers=HEADERS, timeout=patience, trust_env=False)
    try:
        yield client
    finally:
        # It closes only itself: the connections below are kept.
        with anyio.CancelScope(shield=True):
            await client.aclose()


def _address_request(request: httpx.Request, address: str) -> httpx.Request:
    """The request to this address; its certificate is still checked for the name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )


def _check_answer(response: httpx.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise RemoteAgentError("it sent a compressed answer, which was not asked for")
    if response.is_redirect:
        place = mask_address(response.headers.get("location", "")[:200])
        raise RemoteAgentError(f"it redirects to {place!r}, which is not followed: configure the address itself")


def _make_no_context() -> ssl.SSLContext:
    """A context that trusts nobody, for connections that never use it."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
