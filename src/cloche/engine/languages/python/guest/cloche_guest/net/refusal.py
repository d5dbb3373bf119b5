"""The one error of everything that is not HTTP."""

from __future__ import annotations

import errno

_ONLY_HTTP = (
    "this sandbox has no raw network, only HTTP and HTTPS requests that its host makes for it: "
    "use urllib, requests, httpx or aiohttp"
)


def not_http(what: str) -> OSError:
    """Say what was tried, and what can be done instead."""
    return OSError(errno.EPROTONOSUPPORT, f"{what}: {_ONLY_HTTP}")
