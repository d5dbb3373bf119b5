"""The first thing that a request meets: where it comes from, whose it is, and whether they may. Closed by default."""

from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloche.limits import SERVER_LOGINS, SERVER_RATE_WAIT
from cloche.mcp.host_check import read_host
from cloche.server.access.logins import Logins
from cloche.server.access.rate_limit import RateLimit
from cloche.server.access.users import User
from cloche.server.problems import Problem, make_problem_response

GUARDED = ("/api", "/mcp", "/a2a", "/socket.io", "/metrics")
"""Below these a user is required; all else is the page, which holds no data."""
OPEN = frozenset({"/api/health", "/api/ready"})
"""What is answered to everybody: whether the server lives."""
LOGIN = "/api/login"
"""Who may only read may also log in."""
LOGIN_PAGE = "/login"
"""Where the page asks for a token."""
LATE = "/socket.io"
"""Its clients may send their token in the first message, so that its own handler asks for it."""
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
PAGE_HEADERS = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
"""Pages are isolated from other origins, which shared memory in browsers requires."""


class Gate:
    """Refuses what must not be served, and finds the user of everything else."""

    def __init__(
        self,
        app: ASGIApp,
        logins: Logins,
        *,
        names: Collection[str],
        origins: Collection[str] = (),
        per_second: float = 100.0,
        secure: bool = False,
    ) -> None:
        """`names` are those by which clients may call the server; `*` is any. `origins` are pages of others."""
        self._app = app
        self._logins = logins
        self._names = {name.lower().strip("[]") for name in names}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._rate = RateLimit(per_second)
        self._failed = RateLimit(SERVER_LOGINS)
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            self._check_host(scope)
            if login := await self._find_page_login(scope):
                await login(scope, receive, send)
                return
            await self._admit(scope, headers, foreign=self._is_foreign(headers))
        except Problem as problem:
            await self._refuse(problem, scope, receive, send)
            return
        await self._app(scope, receive, _add_headers(send))

    def _check_host(self, scope: Scope) -> None:
        """Refuse names that are not the server's: a page of another site may have its name lead here."""
        hosts = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
        name = read_host(hosts[0]) if len(hosts) == 1 else None
        if name is None or ("*" not in self._names and name not in self._names):
            raise Problem(
                421,
                "unknown_host",
                f"this server is not called {hosts[0] if hosts else 'nothing'}",
                fix="Use its own address, or add the name to [server] names.",
            )

    def _is_foreign(self, headers: Headers) -> bool:
        """Whether a page of another origin sends it; refused unless that origin is configured."""
        origin = headers.get("origin")
        if origin is None:
            return False
        if origin.lower().partition("://")[2] == headers.get("host", "").lower() and origin != "null":
            return False
        if origin.lower() not in self._origins:
            raise Problem(
                403,
                "foreign_origin",
                f"pages of {origin} may not use this server",
                fix="Add it to [server] cors_origins.",
            )
        return True

    async def _admit(self, scope: Scope, headers: Headers, *, foreign: bool) -> None:
        path = scope["path"]
        if not is_guarded(path) or path in OPEN:
            return
        user, by_cookie = await self._find_user(headers, cookies=not foreign)
        if user is None:
            if path.startswith(LATE):
                return
            await self._hold_up(self._failed, _address(scope))
            raise Problem(
                401,
                "no_token",
                "no valid token came with the request",
                fix="Send `Authorization: Bearer TOKEN`; the server printed the owner's token when it started.",
                headers={"www-authenticate": "Bearer"},
            )
        if scope["type"] == "http":
            self._check_rights(user, scope, headers, by_cookie=by_cookie)
        await self._hold_up(self._rate, user.name or "owner")
        scope["user"] = user

    async def _find_user(self, headers: Headers, *, cookies: bool) -> tuple[User | None, bool]:
        bearer = self._logins.read_bearer(headers)
        if bearer is not None:
            return await self._logins.find(bearer), False
        token = self._logins.read_cookie(headers) if cookies else None
        return (None, False) if token is None else (await self._logins.find(token), True)

    def _check_rights(self, user: User, scope: Scope, headers: Headers, *, by_cookie: bool) -> None:
        if scope["method"] in HARMLESS or scope["path"].startswith(LATE):
            return
        if by_cookie and headers.get("origin") is None and headers.get("sec-fetch-site") != "same-origin":
            raise Problem(403, "no_origin", "a request with a cookie must say which page sends it")
        if not user.may_run and scope["path"] != LOGIN:
            raise Problem(
                403, "read_only", f"the token of {user.name} may only read", fix="Ask for a token with the scope `run`."
            )

    async def _hold_up(self, limit: RateLimit, name: str) -> None:
        """Let a request wait for its turn; refuse it if that takes too long."""
        wait = limit.take(name)
        if wait > SERVER_RATE_WAIT:
            limit.give_back(name)
            raise Problem(
                429,
                "rate_limit",
                "too many requests",
                fix=f"Try again in {wait:.0f} s, or raise [server] requests_per_second.",
                headers={"retry-after": f"{wait:.0f}"},
            )
        if wait > 0:
            await anyio.sleep(wait)

    async def _find_page_login(self, scope: Scope) -> RedirectResponse | None:
        """The page was opened with `?token=`: give it the cookie, and take the token out of the address."""
        if scope["type"] != "http" or scope["method"] != "GET" or is_guarded(scope["path"]):
            return None
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        given = [value for key, value in pairs if key == "token"]
        if not given:
            return None
        if await self._logins.find(given[0]) is None:
            await self._hold_up(self._failed, _address(scope))
            if "text/html" in Headers(scope=scope).get("accept", ""):
                return RedirectResponse(f"{LOGIN_PAGE}?refused", 303, headers={"cache-control": "no-store"})
            raise Problem(
                401, "no_token", "the token in the address is not valid", fix="Use the address that was printed."
            )
        rest = urlencode([(key, value) for key, value in pairs if key != "token"])
        # One slash only: two would lead to another server.
        target = "/" + scope["path"].lstrip("/\\") + (f"?{rest}" if rest else "")
        response = RedirectResponse(target, 303, headers={"cache-control": "no-store"})
        self._logins.keep(response, given[0], secure=self._secure)
        return response

    async def _refuse(self, problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # The handshake is answered by 403: there is no other way to refuse it.
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": problem.detail[:120]})
            return
        await make_problem_response(problem, scope["path"])(scope, receive, _add_headers(send))


def is_guarded(path: str) -> bool:
    """Whether this path needs a user."""
    return any(path == each or path.startswith(f"{each}/") for each in GUARDED)


def _add_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in PAGE_HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return with_headers


def _address(scope: Scope) -> str:
    return (scope.get("client") or ("unknown", 0))[0]
