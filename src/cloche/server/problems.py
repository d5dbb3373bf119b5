"""What clients are told when something fails: one shape, over HTTP (RFC 9457) and over Socket.IO."""

import errno
import logging
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from cloche import errors
from cloche.errors import ClocheError
from cloche.remote.problems import MEDIA_TYPE, ProblemDetails

log = logging.getLogger(__name__)


class Problem(Exception):
    """Raised where a request is refused; becomes the answer."""

    def __init__(
        self, status: int, code: str, detail: str, *, fix: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.fix = fix
        self.headers = dict(headers or {})


TITLES = {
    400: "The request is malformed",
    401: "No valid token",
    403: "Not allowed",
    404: "There is no such thing",
    405: "The method is not supported here",
    406: "Not available in this form",
    408: "It took too long",
    409: "It cannot be done now",
    411: "The length is missing",
    412: "It is not as you say",
    413: "Too large",
    415: "The type of content is not supported",
    416: "There is no such range",
    421: "The server is not known by this name",
    422: "The request is invalid",
    429: "Too many requests",
    500: "The server failed",
    501: "Not supported here",
    502: "Another server failed",
    503: "Not available now",
    504: "Another server took too long",
    507: "There is no room on the disk",
}

STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (errors.SessionUnknown, 404),
    (errors.SessionLimit, 429),
    (errors.DiskLimit, 507),
    (errors.SessionTaken, 409),
    (errors.PoolExhausted, 503),
    (errors.SessionError, 409),
    (errors.RuntimeUnavailable, 503),
    (errors.RuntimeFailed, 409),
    (errors.PackagesUnreachable, 502),
    (errors.PackageNotFound, 404),
    (errors.PackageError, 409),
    (errors.SandboxError, 503),
    (errors.StoreFull, 507),
    (errors.StoreError, 503),
    (errors.EventError, 422),
    (errors.ConfigError, 422),
    (errors.RemoteAgentError, 502),
    (FileNotFoundError, 404),
    (PermissionError, 403),
    (FileExistsError, 409),
    (IsADirectoryError, 409),
    (NotADirectoryError, 409),
    (TimeoutError, 504),
    (KeyError, 404),
    (ValueError, 422),
)
"""The first that fits counts."""

FIXES = {
    "session_taken": "End it there, or use it there.",
    "session_limit": "Stop a session that is not needed, or ask the owner of the server for more.",
    "runtime_unavailable": "Look at the status events of the session, and at `cloche doctor` on the server.",
    "sandbox_unavailable": "Try again; `cloche doctor` on the server says what is missing.",
    "pool_exhausted": "Try again when other sessions have ended.",
    "store_full": "Make room on the disk of the server.",
    "store_locked": "Try again; another program uses the file of the sessions.",
}
FULL = (errno.ENOSPC, errno.EDQUOT)


def problem_of(error: BaseException) -> Problem:
    """What a client is told of an error; one of no known kind is logged, and nothing of it is told."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        return Problem(507, "disk_full", "The disk of the server is full.", fix="Make room, and try again.")
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    if isinstance(error, ClocheError):
        code = error.code
        return Problem(status, code, str(error), fix=FIXES.get(code, ""))
    if status == 500:
        return Problem(
            500, "internal", "The server failed; its log says why.", fix="Tell the owner of the server the id."
        )
    words = error.strerror or "it failed" if isinstance(error, OSError) else str(error).strip("'\"")
    name = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
    return Problem(status, CODES.get(status, "invalid"), f"{name}{words}")


CODES = {403: "forbidden", 404: "not_found", 409: "conflict", 422: "invalid", 504: "timeout"}
"""The codes of errors that are Python's own."""


def describe_problem(problem: Problem, instance: str = "") -> ProblemDetails:
    """The problem as it is sent."""
    return ProblemDetails(
        f"urn:cloche:error:{problem.code}",
        TITLES.get(problem.status, "Error"),
        problem.status,
        problem.detail,
        problem.code,
        uuid4().hex,
        problem.fix,
        instance,
    )


def tell_problem(error: BaseException, instance: str = "") -> ProblemDetails:
    """What is sent of an error, which is logged with the same id if it is the server's fault."""
    details = describe_problem(problem_of(error), instance)
    if details.status >= 500:
        known = isinstance(error, ClocheError | Problem | OSError)
        log.error("error %s at %s: %s", details.id, instance, error, exc_info=None if known else error)
    return details


def make_problem_response(error: BaseException, path: str = "") -> Response:
    """The answer to a request that failed."""
    headers = error.headers if isinstance(error, Problem) else {}
    details = tell_problem(error, path)
    return Response(msgspec.json.encode(details), details.status, headers=headers, media_type=MEDIA_TYPE)


async def answer_error(request: Request, error: Exception) -> Response:
    """An exception handler for all that our own code raises."""
    return make_problem_response(error, request.url.path)


def socket_problem(error: BaseException) -> dict[str, Any]:
    """The same for a client of Socket.IO: `error` and `message` are what clients of OpenHands look for."""
    details = tell_problem(error, "socket")
    return {"error": True, "message": details.detail, **msgspec.to_builtins(details)}
