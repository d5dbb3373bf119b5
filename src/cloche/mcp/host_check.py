"""Refuses requests sent by web pages of other sites: checks `Host` and `Origin` strictly."""

import re
from collections.abc import Collection
from ipaddress import IPv6Address

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?", re.IGNORECASE)
LOCAL = ("127.0.0.1", "localhost", "::1")
"""The names by which a machine knows itself."""


def read_host(text: str) -> str | None:
    """The name in `NAME[:PORT]`, an IPv6 address short and without brackets; None if it is anything else."""
    found = _HOST.fullmatch(text)
    if found is None or int(found["port"] or 1) > 65535:
        return None
    name = found["name"].lower()
    if not name.startswith("["):
        return name
    try:
        return str(IPv6Address(name[1:-1]))
    except ValueError:
        return None


def read_origin(text: str) -> str | None:
    """The name in `http://NAME[:PORT]`; None if it is anything else."""
    scheme, _, host = text.partition("://")
    return read_host(host) if scheme == "http" else None


class HostCheck:
    """Accepts only requests whose `Host`, and `Origin` if there is one, name this machine."""

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {str(IPv6Address(name)) if ":" in name else name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._judge(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _judge(self, scope: Scope) -> PlainTextResponse | None:
        hosts, origins = (
            [value.decode("latin-1") for key, value in scope["headers"] if key == name] for name in (b"host", b"origin")
        )
        if len(hosts) != 1 or read_host(hosts[0]) not in self._names:
            return PlainTextResponse("Invalid Host header", 421)
        if origins and (len(origins) > 1 or read_origin(origins[0]) not in self._names):
            return PlainTextResponse("Invalid Origin header", 403)
        return None
