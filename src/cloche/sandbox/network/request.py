"""Reads and checks the request of a guest."""

import re
from typing import Annotated, Any, Literal

import msgspec

from cloche.limits import NET_HEAD_LIMIT, NET_HEADERS
from cloche.sandbox.network.refusals import BadRequest, TooLarge
from cloche.sandbox.network.urls import UrlTarget, bracket_host, normalise_host, parse_url

Headers = list[tuple[str, str]]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]*")
_METHODS_REFUSED = {"CONNECT", "TRACE", "TRACK"}
_OURS = {
    *("host", "connection", "transfer-encoding", "content-length", "expect", "keep-alive", "te", "trailer"),
    *("upgrade", "http2-settings"),
}
_HOP_BY_HOP = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
_CREDENTIALS = {"authorization", "cookie", "cookie2"}


class _RequestFields(msgspec.Struct):
    url: str
    method: str = "GET"
    headers: list[tuple[str, str]] = []
    redirect: Literal["manual", "follow"] = "manual"
    connect: Annotated[float, msgspec.Meta(gt=0)] | None = None


class _PlaceFields(msgspec.Struct):
    host: str
    port: int


class GuestRequest(msgspec.Struct, frozen=True):
    """One request of a guest, on its way to one target."""

    method: str
    target: UrlTarget
    headers: Headers
    follow: bool
    length: int | None = None
    """The length of the body, according to the guest."""
    redirected: bool = False
    bodiless: bool = False
    """Whether a redirect has dropped the body."""
    connect: float | None = None
    """The guest's own limit for connecting, in seconds; the host's limit applies too."""


def read_request(question: dict[str, Any]) -> GuestRequest:
    """The HTTP request in the content of a `fetch`; raises BadRequest."""
    try:
        asked = msgspec.convert(question, _RequestFields)
    except msgspec.ValidationError as error:
        raise BadRequest(f"the request cannot be read: {error}") from None
    method = asked.method.upper()
    if not _TOKEN.fullmatch(method) or method in _METHODS_REFUSED:
        raise BadRequest(f"the method {method[:40]!r} is not possible here")
    _check_headers(asked.headers)
    headers = [pair for pair in asked.headers if not is_host_header(pair[0])]
    target = parse_url(asked.url)
    follow = asked.redirect == "follow"
    return GuestRequest(method, target, headers, follow, _read_length(asked.headers), connect=asked.connect)


def read_place(question: dict[str, Any]) -> UrlTarget:
    """The target in the content of a `reach`; raises BadRequest."""
    try:
        asked = msgspec.convert(question, _PlaceFields)
    except msgspec.ValidationError as error:
        raise BadRequest(f"the place cannot be read: {error}") from None
    if not 1 <= asked.port <= 65535:
        raise BadRequest(f"{asked.port} is not a port")
    return UrlTarget("http", normalise_host(bracket_host(asked.host)), asked.port)


def is_host_header(name: str) -> bool:
    """Whether only the host may set this header."""
    name = name.lower()
    return name in _OURS or name.startswith("proxy-")


def check_header(name: str, value: str) -> None:
    """Raise BadRequest for a header that could be read differently on the wire."""
    if not _TOKEN.fullmatch(name):
        raise BadRequest(f"{name[:100]!r} is not the name of a header")
    if not _VALUE.fullmatch(value):
        raise BadRequest(f"the value of the header {name} holds a line break or another control character")


def redirect_request(request: GuestRequest, status: int, location: str) -> GuestRequest:
    """The request that follows a redirect, by the rules of browsers."""
    target = request.target.join(location)
    headers, method = request.headers, request.method
    bodiless = request.bodiless
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        method, bodiless = "GET", True
        headers = [pair for pair in headers if not pair[0].lower().startswith("content-")]
    if target.origin != request.target.origin:
        headers = [pair for pair in headers if pair[0].lower() not in _CREDENTIALS]
    return msgspec.structs.replace(
        request, method=method, target=target, headers=headers, redirected=True, bodiless=bodiless
    )


def pass_on_headers(headers: Headers) -> Headers:
    """The headers of a response, without those about the connection."""
    return [pair for pair in headers if pair[0].lower() not in _HOP_BY_HOP]


def _check_headers(headers: Headers) -> None:
    if len(headers) > NET_HEADERS or sum(len(name) + len(value) for name, value in headers) > NET_HEAD_LIMIT:
        raise TooLarge(f"a request has at most {NET_HEADERS} headers and {NET_HEAD_LIMIT} bytes of them")
    for name, value in headers:
        check_header(name, value)


def _read_length(headers: Headers) -> int | None:
    given = {value.strip() for name, value in headers if name.lower() == "content-length"}
    if not given:
        return None
    value = given.pop()
    if given or not (value.isascii() and value.isdigit()) or len(value) > 15:
        raise BadRequest("the request's Content-Length is not one number")
    return int(value)
