"""The HTTP connection to a model's server, over httpx2, which is imported with the first request."""

import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import to_thread

from cloche.config.secret import mask_address
from cloche.errors import ConfigError, LLMError
from cloche.limits import LLM_CONNECT_TIMEOUT
from cloche.llm.endpoint import Endpoint
from cloche.llm.failures import FailureWording
from cloche.llm.faults import AnswerFault

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

_HEADERS = {
    "content-type": "application/json",
    "accept": "text/event-stream, application/json",
    "accept-encoding": "identity",
    "user-agent": "cloche",
}

CLOSE_GRACE = 0.5
"""Seconds that closing a connection may take."""


class ServerResponse:
    """The head of an answer; its body is read piece by piece."""

    def __init__(self, response: "httpx2.Response", wording: FailureWording) -> None:
        self._response = response
        self._wording = wording
        self._pieces: AsyncIterator[bytes] = response.aiter_bytes()
        self.status = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        import httpx2

        try:
            return await anext(self._pieces, b"")
        except httpx2.DecodingError:
            raise AnswerFault("its compression is damaged") from None
        except httpx2.TransportError as error:
            raise explain_transport(error, self._wording) from error

    async def close(self) -> None:
        """End it; unless it was read to its end, this closes the connection."""
        with anyio.CancelScope(shield=True, deadline=anyio.current_time() + CLOSE_GRACE):
            await self._response.aclose()


class Connection:
    """Sends requests to one server, and keeps connections for the next request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._wording = FailureWording(endpoint)
        self._client: httpx2.AsyncClient | None = None
        self._opening = anyio.Lock()
        self._closed = False

    async def post(self, body: bytes) -> ServerResponse:
        """Send a request; the answer has to be closed. Redirects are not followed."""
        client = await self._open_client()
        import httpx2

        headers = {name: value.reveal() for name, value in self._endpoint.headers.items()}
        # The address alone is logged by the library: a query may hold a key.
        target = {"target": self._endpoint.target.reveal().encode()}
        request = client.build_request("POST", self._endpoint.url, content=body, headers=headers, extensions=target)
        try:
            return ServerResponse(await client.send(request, stream=True), self._wording)
        except httpx2.TransportError as error:
            raise explain_transport(error, self._wording) from error

    async def close(self) -> None:
        """Close all connections, also those in use."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            with anyio.CancelScope(shield=True, deadline=anyio.current_time() + CLOSE_GRACE):
                await client.aclose()

    async def _open_client(self) -> "httpx2.AsyncClient":
        if self._client is None:
            async with self._opening:
                if self._closed:
                    raise self._wording.explain_connection("is closed", "Open the model again", passing=False)
                if self._client is None:
                    # In a thread: importing the library and reading the certificates of this machine take long.
                    self._client = await to_thread.run_sync(_make_client, self._endpoint)
        return self._client


def _make_client(endpoint: Endpoint) -> "httpx2.AsyncClient":
    require_httpx()
    import httpx2

    try:
        return httpx2.AsyncClient(
            headers=_HEADERS,
            # How long it may take to answer is limited elsewhere.
            timeout=httpx2.Timeout(None, connect=LLM_CONNECT_TIMEOUT),
            # With certificates from SSL_CERT_FILE, also where no proxy of the environment is used.
            verify=httpx2.create_ssl_context(),
            trust_env=not endpoint.local,
            follow_redirects=False,
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        shown = mask_address(str(error))
        raise ConfigError(f"the proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used: {shown}") from None
    except OSError as error:
        raise ConfigError(f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR cannot be read: {error}") from None


def require_httpx() -> None:
    """Say what to install if the HTTP library is missing; it is not imported."""
    if find_spec("httpx2") is None:
        raise ConfigError("models need the extra `agent`: pip install 'cloche[agent]'")


def explain_transport(error: "httpx2.TransportError", wording: FailureWording) -> LLMError:
    """The library's error as one of ours."""
    import httpx2

    if found := _find_cause(error, ssl.SSLCertVerificationError):
        advice = "Set SSL_CERT_FILE to a file with the certificate of the authority that signed it"
        return wording.explain_connection(
            f"has a certificate that is not trusted: {found.verify_message}", advice, passing=False
        )
    if isinstance(error, httpx2.ProxyError):
        return wording.explain_connection(f"could not be reached: the proxy said: {error}", _PROXY, passing=False)
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        # Its text may have a header in it.
        return wording.explain_connection(f"cannot be asked: {type(error).__name__}", _ADDRESS, passing=False)
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        name = _find_cause(error, socket.gaierror)
        known = not (name and name.errno == socket.EAI_NONAME)
        said = f"no connection within {LLM_CONNECT_TIMEOUT:g} s" if isinstance(error, httpx2.ConnectTimeout) else error
        return wording.explain_connection(f"could not be reached: {said}", _ADDRESS, passing=known)
    why = str(error) or type(error).__name__
    return wording.explain_connection(f"broke off the connection: {why}", "Try again, or check the server's log")


_ADDRESS = "Check that it runs, and [llm] base_url"
_PROXY = "Check HTTPS_PROXY and NO_PROXY"


def _find_cause(error: BaseException | None, kind: type[T]) -> T | None:
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None
