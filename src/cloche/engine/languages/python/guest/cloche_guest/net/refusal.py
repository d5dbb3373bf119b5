"""The error for everything that is not HTTP."""

from __future__ import annotations

import errno

_ONLY_HTTP = (
    "this sandbox has no raw network, only HTTP and HTTPS requests that its host makes for it: "
    "use urllib, requests, httpx or aiohttp"
)


def not_http(what: str) -> OSError:
    """The error that says what was tried, and what to do instead."""
    return OSError(errno.EPROTONOSUPPORT, f"{what}: {_ONLY_HTTP}")
