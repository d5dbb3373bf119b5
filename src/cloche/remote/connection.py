"""The HTTP connection to a server, over httpx2, which is imported with the first request."""

import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct

from cloche.errors import ConfigError, ServerUnauthorized, ServerUnavailable
from cloche.limits import CALL_LINE, CALL_SILENCE, KB, MB
from cloche.remote.address import ServerAddress
from cloche.remote.calls import decode_path
from cloche.remote.problems import MEDIA_TYPE, ProblemDetails, describe_refusal, rebuild_error

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
log = logging.getLogger(__name__)

Body = bytes | AsyncIterable[bytes] | Struct | None
CONNECT_TIMEOUT = 10.0
ANSWER_TIMEOUT = 60.0
"""Seconds to the beginning of an answer; long ones begin at once."""
KEEP_ALIVE = 3.0
"""Seconds that a connection is kept for the next call; servers keep it for at least 5."""
CLOSE_GRACE = 0.5
"""Seconds that closing a connection may take."""
PROBLEM_LIMIT = 64 * KB
ANSWER_LIMIT = 64 * MB
PASSING = frozenset({"stopping", "rate_limit", "connections"})
"""What a server says that may accept the same request soon."""
TOKEN = "give the one that the server printed, or that `cloche token create NAME` did: token=, or [remote] token"
EXPLAINED = {
    401: (ServerUnauthorized, f"does not accept the token: {TOKEN}"),
    403: (ServerUnauthorized, "does not allow this with this token"),
    404: (ServerUnavailable, "has no Cloche server at this address: give the one that `cloche serve` printed"),
}
_HEADERS = {"accept-encoding": "identity", "user-agent": "cloche"}


class ConnectionCut(ConnectionError):
    """The server was lost, or cannot answer now: the same request may succeed later."""

    def __init__(self, message: str, *, retry_after: float | None = None, arrived: bool = True) -> None:
        """`arrived` is whether the server may have received the request."""
        super().__init__(message)
        self.retry_after = retry_after
        self.arrived = arrived


class ServerAnswer:
    """An answer that was not refused; its body is read piece by piece. It has to be closed."""

    def __init__(self, response: "httpx2.Response", place: str) -> None:
        self._response = response
        self._place = place
        self._pieces: AsyncIterator[bytes] = response.aiter_raw()
        self._rest = bytearray()
        self.type = response.headers.get("content-type", "").partition(";")[0].strip()

    async def read_piece(self) -> bytes:
        """The next bytes; empty at the end."""
        import httpx2

        try:
            with anyio.fail_after(CALL_SILENCE):
                return await anext(self._pieces, b"")
        except TimeoutError:
            raise ConnectionCut(f"nothing has come for {CALL_SILENCE:g} s") from None
        except httpx2.TransportError as error:
            raise ConnectionCut(_describe(error)) from error

    async def read_all(self, limit: int = ANSWER_LIMIT) -> bytes:
        """The whole body."""
        data = bytearray()
        while piece := await self.read_piece():
            data += piece
            if len(data) > limit:
                raise ServerUnavailable(f"{self._place} gave an answer of more than {limit} bytes")
        return bytes(data)

    async def read_line(self) -> bytes:
        """The next line, without its end; raises ConnectionCut if the body ends before."""
        seen = 0
        while (end := self._rest.find(b"\n", seen)) < 0:
            seen = len(self._rest)
            if seen > CALL_LINE:
                raise ServerUnavailable(f"{self._place} sent a line of more than {CALL_LINE // MB} MB")
            piece = await self.read_piece()
            if not piece:
                raise ConnectionCut("its answer broke off")
            self._rest += piece
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line

    async def close(self) -> None:
        """End it; unless it was read to its end, this closes the connection."""
        with anyio.CancelScope(shield=True, deadline=anyio.current_time() + CLOSE_GRACE):
            await self._response.aclose()


class ServerConnection:
    """Sends requests to one server with its token, and never anywhere else: redirects are not followed."""

    def __init__(self, address: ServerAddress) -> None:
        self.address = address
        self._client: httpx2.AsyncClient | None = None
        self._opening = anyio.Lock()
        self._closed = False

    @property
    def place(self) -> str:
        """The server, as messages name it."""
        return self.address.url

    async def send(
        self, method: str, path: str, body: Body = None, *, query: Mapping[str, str] | None = None
    ) -> ServerAnswer:
        """Send a request; the answer has to be closed.

        Raises ConnectionCut if the same request may succeed later, or the error that the server reports.
        """
        client = await self._open_client()
        import httpx2

        content, kind = _encode_body(body)
        request = client.build_request(method, f"{self.address.url}{path}", content=content, params=query, headers=kind)
        try:
            response = await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if (why := _find_distrust(error)) is not None:
                raise ServerUnavailable(
                    f"the certificate of {self.place} is not trusted: {why}. Name the file with that of its authority "
                    "in the environment variable SSL_CERT_FILE"
                ) from error
            raise ConnectionCut(_describe(error), arrived=False) from error
        except httpx2.TransportError as error:
            raise ConnectionCut(_describe(error)) from error
        answer = ServerAnswer(response, self.place)
        if response.is_success:
            return answer
        try:
            raise await self._explain(response, answer)
        finally:
            await answer.close()

    async def ask(
        self, method: str, path: str, told: type[T], body: Body = None, *, query: Mapping[str, str] | None = None
    ) -> T:
        """Send a request, and read its answer as this type."""
        answer = await self.send(method, path, body, query=query)
        try:
            data = await answer.read_all()
        finally:
            await answer.close()
        return self.read_value(data, told)

    def read_value(self, data: bytes | msgspec.Raw, told: Any) -> Any:
        """JSON as this type; raises ServerUnavailable for anything else."""
        try:
            return msgspec.json.decode(data or b"null", type=told, dec_hook=decode_path)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise ServerUnavailable(f"{self.place} gave an answer that could not be read: {error}") from error

    async def close(self) -> None:
        """Close all connections, also those in use; may be called twice."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            with anyio.CancelScope(shield=True, deadline=anyio.current_time() + CLOSE_GRACE):
                await client.aclose()

    async def _open_client(self) -> "httpx2.AsyncClient":
        if self._closed:
            raise ServerUnavailable(f"the connection to {self.place} is closed")
        if self._client is None:
            async with self._opening:
                if self._client is None:
                    # In a thread: importing the library and reading the certificates of this machine take long.
                    self._client = await to_thread.run_sync(_make_client, self.address)
        return self._client

    async def _explain(self, response: "httpx2.Response", answer: ServerAnswer) -> Exception:
        """What an answer that refuses means."""
        status = response.status_code
        if response.is_redirect:
            where = response.headers.get("location", "nowhere")[:200]
            return ServerUnavailable(
                f"{self.place} sent us on to {where!r}, where the token must not go: give the address of the server "
                "itself"
            )
        problem = _read_problem(await answer.read_all(PROBLEM_LIMIT)) if answer.type == MEDIA_TYPE else None
        if problem is not None:
            if problem.code in PASSING or status == 429:
                said = describe_refusal(problem, "it")
                return ConnectionCut(said, retry_after=_read_retry(response), arrived=False)
            if problem.code == "no_token":
                return ServerUnauthorized(f"{self.place} {EXPLAINED[401][1]}")
            return rebuild_error(problem, self.place)
        if status in (408, 425, 429) or status >= 500:
            return ConnectionCut(f"it answered {status}", retry_after=_read_retry(response))
        kind, why = EXPLAINED.get(status, (ServerUnavailable, f"answered {status}, which no Cloche server does"))
        return kind(f"{self.place} {why}")


def require_client() -> None:
    """Say what to install if the HTTP library is missing; it is not imported."""
    if find_spec("httpx2") is None:
        raise ConfigError("a remote sandbox needs the extra `client`: pip install 'cloche[client]'")


def _make_client(address: ServerAddress) -> "httpx2.AsyncClient":
    require_client()
    import httpx2

    login = {} if address.token is None else {"authorization": f"Bearer {address.token.reveal()}"}
    try:
        return httpx2.AsyncClient(
            headers={**_HEADERS, **login},
            # How long the body of an answer may be silent is limited where it is read.
            timeout=httpx2.Timeout(ANSWER_TIMEOUT, connect=CONNECT_TIMEOUT),
            # Calls of one sandbox wait for each other at the server, and answers to questions must get past them.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=8, keepalive_expiry=KEEP_ALIVE),
            # With certificates from SSL_CERT_FILE, also where no proxy of the environment is used.
            verify=httpx2.create_ssl_context(),
            trust_env=not address.is_local,
            follow_redirects=False,
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise ConfigError(
            f"{address.url} cannot be reached with the proxy settings of this machine: {error}"
        ) from error


def _encode_body(body: Body) -> tuple[bytes | AsyncGenerator[bytes] | AsyncIterable[bytes] | None, dict[str, str]]:
    if isinstance(body, Struct):
        return msgspec.json.encode(body), {"content-type": "application/json"}
    return body, {} if body is None else {"content-type": "application/octet-stream"}


def _read_problem(data: bytes) -> ProblemDetails | None:
    try:
        return msgspec.json.decode(data, type=ProblemDetails)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _read_retry(response: "httpx2.Response") -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _find_distrust(error: BaseException | None) -> str | None:
    """Why a certificate is not trusted, if that is behind an error."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message
        error = error.__cause__ or error.__context__
    return None


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error or 'it went away'}"
