"""Who the caller is, and the cookie with which a page stays logged in."""

from fastapi import APIRouter, Request
from msgspec import Struct
from starlette.responses import Response

from cloche.server.access.callers import Caller, Here
from cloche.server.problems import Problem
from cloche.server.wire import answer, describe

router = APIRouter(prefix="/login", tags=["server"])


class UserView(Struct, frozen=True):
    """The user of a token, and what it lets them do."""

    name: str
    """Empty for the owner of the server."""
    is_owner: bool
    may_run: bool
    """Whether the user may change anything."""


@router.get("", **describe(told=UserView))
async def show_user(caller: Caller) -> Response:
    """Whose token came with the request."""
    return answer(UserView(caller.name, caller.is_owner, caller.may_run))


@router.post("", **describe(told=UserView))
async def log_in(request: Request, caller: Caller, here: Here) -> Response:
    """Keep the token of `Authorization` in a cookie, so that a page need not send it again."""
    token = here.logins.read_bearer(request.headers)
    if token is None:
        raise Problem(400, "no_bearer", "no token came with the request", fix="Send `Authorization: Bearer TOKEN`.")
    response = answer(UserView(caller.name, caller.is_owner, caller.may_run))
    here.logins.keep(response, token, secure=here.config.server.tls_cert is not None)
    return response


@router.delete("", **describe(status=204))
async def log_out(here: Here) -> Response:
    """Have the page forget the cookie; the token stays valid."""
    response = Response(status_code=204)
    response.delete_cookie(here.logins.cookie, path="/")
    return response
