"""Finds the user of a request by what it brings: a token in a header, or the cookie of the page."""

import hmac
from http.cookies import CookieError, SimpleCookie

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response

from cloche.server.access.token_file import TokenFile
from cloche.server.access.users import User, make_owner

COOKIE = "cloche"


class Logins:
    """The owner's token, and those of the users."""

    def __init__(self, owner_token: str, tokens: TokenFile | None) -> None:
        self.owner_token = owner_token
        self.tokens = tokens
        self.cookie = COOKIE
        """The name of the cookie; with the port in it, because browsers give cookies to all ports of a machine."""

    async def find(self, token: str) -> User | None:
        """The user of a token."""
        if hmac.compare_digest(token.encode(), self.owner_token.encode()):
            return make_owner()
        # In a thread: it looks at a file, so that a revoked token is refused at once.
        return None if self.tokens is None else await to_thread.run_sync(self.tokens.find, token)

    def read_bearer(self, headers: Headers) -> str | None:
        """The token in `Authorization: Bearer TOKEN`, or in the header that clients of OpenHands send."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and token.strip():
            return token.strip()
        return headers.get("x-session-api-key") or None

    def read_cookie(self, headers: Headers) -> str | None:
        """The token in the cookie that the page was given."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return found.value if found is not None and found.value else None

    def keep(self, response: Response, token: str, *, secure: bool) -> None:
        """Give the page a cookie with the token, which scripts cannot read and other sites cannot use."""
        response.set_cookie(self.cookie, token, httponly=True, samesite="strict", secure=secure, path="/")
