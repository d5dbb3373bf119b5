"""HTTP requests to registries, with the environment's proxies and certificates, limits, and checked redirects."""

import functools
import gzip
import hashlib
import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.message import Message
from pathlib import Path
from typing import IO, Any, TypeVar, cast
from urllib.parse import urlsplit

import msgspec

from cloche.errors import PackageDamaged
from cloche.limits import MB, PACKAGE_LIMIT
from cloche.sandbox.network.addresses import ADDRESSES_TRIED, is_public_host
from cloche.sandbox.network.trusted_authorities import load_authorities

SILENCE = 20.0
"""Seconds without a byte after which a server counts as gone."""

WHOLE = 240.0
"""Seconds that one file may take."""

ATTEMPTS = 3
PAUSE = 0.3
"""Seconds before the second attempt; each further one waits twice as long."""

REDIRECTS = 5
PIECE = 1 << 18
PASSING = (408, 429, 500, 502, 503, 504)
"""Codes of a server that may answer another time."""

ALGORITHMS = ("sha256", "sha512", "sha1", "md5")
T = TypeVar("T")
_context = functools.lru_cache(maxsize=4)(load_authorities)
_SECRET = ("authorization", "cookie", "npm-auth-type")


class PageAbsent(Exception):
    """The server says that there is no such thing."""


class RegistryUnreached(Exception):
    """The server could not be reached, or does not answer as it should."""


class RequestOptions(msgspec.Struct, frozen=True):
    """What goes with a request."""

    headers: dict[str, str]
    certificates: str | None = None
    base: str = ""
    """The registry as it was configured: where it is may be private. If it is empty, the address that is asked."""


class FetchedBytes(msgspec.Struct, frozen=True):
    """What a server said."""

    body: bytes
    etag: str = ""
    unchanged: bool = False


def check_address(address: str, base: str) -> None:
    """Refuse an address that a registry names although it is none of the registry's business.

    Its own is what the owner configured: the same scheme, host and port, or https in place of http. Any other host must
    be public, and reached by https unless the registry itself is not.
    """
    own, found = _parse_origin(base), _parse_origin(address)
    if _is_own(address, base):
        return
    plain = own is not None and own[0] == "http" and found is not None and found[1] != own[1]
    if found is None or "@" in urlsplit(address).netloc or (found[0] != "https" and not plain):
        raise PackageDamaged(f"A registry names {address[:200]!r}, which is no safe address. It was refused.")
    if not is_public_host(found[1]):
        raise PackageDamaged(f"A registry names {address[:200]!r}, which is in a private network. It was refused.")


def _parse_origin(address: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (KeyError, ValueError):
        return None
    return parts.scheme, (parts.hostname or "").lower(), port


def _is_own(address: str, base: str) -> bool:
    """Whether an address is one of the registry's, or what it becomes when its server takes to https."""
    own, found = _parse_origin(base), _parse_origin(address)
    secured = ("https", own[1], 443) if own and own[::2] == ("http", 80) else own
    return found is not None and found in (own, secured)


def read_address(address: str, limit: int, options: RequestOptions) -> FetchedBytes:
    """Read an answer; blocks."""
    return _retry_request(lambda: _read_answer(address, limit, options))


def download_address(address: str, target: Path, options: RequestOptions) -> dict[str, str]:
    """Write an answer to a file and give its hashes; blocks."""
    return _retry_request(lambda: _download_file(address, target, options))


def _retry_request(act: Callable[[], T]) -> T:
    pause = PAUSE
    for attempt in range(ATTEMPTS):
        try:
            return act()
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (404, 410):
                    raise PageAbsent(f"{error.code} {error.reason}") from None
                if error.code not in PASSING or attempt == ATTEMPTS - 1:
                    raise RegistryUnreached(f"{error.code} {error.reason}") from None
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            if attempt == ATTEMPTS - 1 or not isinstance(error, http.client.HTTPException | ConnectionError):
                raise RegistryUnreached(_explain_error(error)) from None
        time.sleep(pause)
        pause *= 2
    raise RegistryUnreached("it did not answer")


def _read_answer(address: str, limit: int, options: RequestOptions) -> FetchedBytes:
    try:
        packed = msgspec.structs.replace(options, headers={"Accept-Encoding": "gzip", **options.headers})
        with open_address(address, packed) as answer:
            body = b"".join(_read_pieces(answer, limit))
            if answer.headers.get("Content-Encoding", "").lower() == "gzip":
                body = _unpack_body(body, limit)
            return FetchedBytes(body, str(answer.headers.get("ETag") or ""))
    except urllib.error.HTTPError as error:
        if error.code != 304:
            raise
        error.close()
        return FetchedBytes(b"", options.headers.get("If-None-Match", ""), unchanged=True)


def _unpack_body(body: bytes, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            whole = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PackageDamaged(f"A registry sent an answer that cannot be unpacked: {error}.") from None
    if len(whole) > limit:
        raise PackageDamaged(f"A registry sent more than {limit // MB} MB at once. It was refused.")
    return whole


def _download_file(address: str, target: Path, options: RequestOptions) -> dict[str, str]:
    digests = {name: hashlib.new(name, usedforsecurity=False) for name in ALGORITHMS}
    with open_address(address, options) as answer, target.open("wb") as file:
        for piece in _read_pieces(answer, PACKAGE_LIMIT):
            file.write(piece)
            for each in digests.values():
                each.update(piece)
    return {name: each.hexdigest() for name, each in digests.items()}


def _read_pieces(answer: http.client.HTTPResponse, limit: int) -> Iterator[bytes]:
    length = answer.headers.get("Content-Length")
    due = int(length) if length and length.isdigit() else None
    size, end = 0, time.monotonic() + WHOLE
    while piece := answer.read1(PIECE):
        size += len(piece)
        if size > limit:
            raise PackageDamaged(f"A registry sent more than {limit // MB} MB at once. It was refused.")
        if time.monotonic() > end:
            raise TimeoutError(f"it was not done after {WHOLE:g} s")
        yield piece
    if due is not None and size != due:
        raise http.client.IncompleteRead(b"", due - size)


def open_address(address: str, options: RequestOptions) -> http.client.HTTPResponse:
    """Ask for an address; redirects lead to no private one."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise ValueError("no http or https address")
    base = options.base or address
    opener = urllib.request.build_opener(_Redirects(), _Plain(base), _Secure(base, _context(options.certificates)))
    request = urllib.request.Request(address, headers={"User-Agent": "cloche", **options.headers})
    return cast("http.client.HTTPResponse", opener.open(request, timeout=SILENCE))


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_pick_connection(http.client.HTTPConnection, req, self._base), req)


class _Secure(urllib.request.HTTPSHandler):
    def __init__(self, base: str, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._base = base
        self._trusted = context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_pick_connection(http.client.HTTPSConnection, req, self._base), req, context=self._trusted)


def _pick_connection(kind: Any, req: urllib.request.Request, base: str) -> Any:
    """What makes the connection for a request: to public addresses only, unless it is the registry's or a proxy."""
    # By what was set for it, not by how its address is written.
    proxied = req.has_proxy() or getattr(req, "_tunnel_host", None) is not None

    def make(*args: Any, **options: Any) -> Any:
        made = kind(*args, **options)
        if not proxied and not _is_own(req.full_url, base):
            made._create_connection = _connect_public
        return made

    return make


def _connect_public(address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
    """Connect to what a name leads to now, if that is public: asked again, it might lead elsewhere."""
    found = [str(each[4][0]) for each in socket.getaddrinfo(*address, type=socket.SOCK_STREAM)][:ADDRESSES_TRIED]
    if not found or not all(map(is_public_host, found)):
        raise OSError("its name leads to no public address")
    for each in found[:-1]:
        with suppress(OSError):
            return socket.create_connection((each, address[1]), timeout, source)
    return socket.create_connection((found[-1], address[1]), timeout, source)


class _Redirects(urllib.request.HTTPRedirectHandler):
    max_redirections = REDIRECTS

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """Follow, but never from https to http, to a private network, or with credentials to another host."""
        try:
            check_address(newurl, req.full_url)
        except PackageDamaged:
            raise urllib.error.URLError(f"it redirects to {newurl[:200]!r}, which is not followed") from None
        new = super().redirect_request(req, fp, code, msg, cast("Any", headers), newurl)
        if new is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            new.headers = {name: value for name, value in new.headers.items() if name.lower() not in _SECRET}
        return new


def _explain_error(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    if isinstance(error, TimeoutError) or isinstance(reason, TimeoutError):
        return str(reason or error) if "not done" in str(error) else f"no answer within {SILENCE:g} s"
    return str(reason or error) or type(error).__name__
