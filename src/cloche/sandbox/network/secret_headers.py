"""Headers that the host adds for a host name and that the guest never sees."""

import re
from collections.abc import Mapping

from cloche.errors import ConfigError
from cloche.sandbox.network.addresses import parse_address
from cloche.sandbox.network.policy import LOCALHOST, Policy
from cloche.sandbox.network.refusals import BadRequest
from cloche.sandbox.network.request import Headers, check_header, is_host_header
from cloche.sandbox.network.urls import UrlTarget, normalise_host, split_host

Secret = str | Mapping[str, str]
"""`"Name: value"`, or several headers."""

MASKED_LEAST = 8
"""Shorter secrets are not masked in responses: they would be found everywhere."""


class SecretHeaders:
    """The secrets of one sandbox; `repr` and errors do not show them."""

    def __init__(self, given: Mapping[str, Secret] | None, policy: Policy) -> None:
        self._headers: dict[tuple[str, int | None], Headers] = {}
        for place, secret in (given or {}).items():
            host, port = _read_place(place)
            address = parse_address(host)
            known = policy.allows_name(host, port) if address is None else policy.allows_address(address, port)
            if not known:
                raise ConfigError(f"secrets: {place!r} is not in allow_net, so its secret could never be used: add it")
            self._headers[host, port] = _read_headers(place, secret)

    def headers(self, target: UrlTarget) -> Headers:
        """The headers to add to a request; none if the connection is not encrypted."""
        if not target.secure and not _is_loopback(target):
            return []
        found = self._headers.get((target.host, target.port))
        return found if found is not None else self._headers.get((target.host, None), [])


class HeaderMask:
    """Masks secrets in responses, even if a secret is split between two pieces."""

    def __init__(self, headers: Headers) -> None:
        words = {word for _, value in headers for word in value.split()}
        found = sorted((word for word in words if len(word) >= MASKED_LEAST), key=len, reverse=True)
        self._words = [word.encode("latin-1", "ignore") for word in found]
        self._pattern = re.compile(b"|".join(map(re.escape, self._words)))
        self._in_text = re.compile("|".join(map(re.escape, found)))
        self._held = b""

    def __bool__(self) -> bool:
        return bool(self._words)

    def text(self, text: str) -> str:
        """The text with the secrets masked."""
        return self._in_text.sub(lambda match: "*" * len(match[0]), text) if self._words else text

    def feed(self, piece: bytes) -> bytes:
        """Mask the next piece; an end that could be the beginning of a secret is held back."""
        data = self._blot(self._held + piece)
        keep = self._beginning(data)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return held

    def _blot(self, data: bytes) -> bytes:
        return self._pattern.sub(lambda match: b"*" * len(match[0]), data)

    def _beginning(self, data: bytes) -> int:
        longest = max(map(len, self._words)) - 1
        for size in range(min(longest, len(data)), 0, -1):
            if any(word.startswith(data[-size:]) for word in self._words):
                return size
        return 0


def _read_place(place: str) -> tuple[str, int | None]:
    try:
        host, port = split_host(place)
        return normalise_host(host), port
    except (BadRequest, TypeError) as error:
        raise ConfigError(f"secrets: {place!r} is not a host or host:port: {error}") from None


def _read_headers(place: str, secret: Secret) -> Headers:
    if isinstance(secret, str):
        name, colon, value = secret.partition(":")
        pairs = [(name, value)] if colon else []
    else:
        pairs = list(secret.items())
    headers = [(name.strip(), value.strip()) for name, value in pairs]
    try:
        for name, value in headers:
            check_header(name, value)
    except BadRequest:
        # The message does not show the header: it is secret.
        headers = []
    if not headers or any(is_host_header(name) for name, _ in headers):
        raise ConfigError(f'secrets: that of {place!r} must be "Name: value" or a dict of headers that may be set')
    return headers


def _is_loopback(target: UrlTarget) -> bool:
    return target.host == LOCALHOST or (target.address is not None and target.address.is_loopback)
