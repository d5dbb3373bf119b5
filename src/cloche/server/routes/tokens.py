"""The tokens of users, for the owner of the server."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path
from msgspec import Meta, Struct
from starlette.responses import Response

from cloche.server.access.callers import Here, Owner
from cloche.server.access.token_file import NAME, TokenFile
from cloche.server.problems import Problem
from cloche.server.wire import answer, body_of, describe

router = APIRouter(prefix="/tokens", tags=["tokens"])


class TokenView(Struct, frozen=True):
    """A user, and what the token lets them do."""

    name: str
    scopes: list[str]
    created: float
    """Seconds since 1970."""


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """A user who is to get a token."""

    name: Annotated[str, Meta(pattern=NAME)]
    read_only: bool = False
    """Whether the user may look, and change nothing."""


class CreatedToken(Struct, frozen=True):
    """A token, which cannot be shown again."""

    name: str
    token: str


def _find_tokens(here: Here, _: Owner) -> TokenFile:
    tokens = here.logins.tokens
    if tokens is None:
        why = "this server keeps nothing, tokens neither"
        raise Problem(501, "no_tokens", why, fix='Set file_store = "local" in [core].')
    return tokens


Tokens = Annotated[TokenFile, Depends(_find_tokens)]


@router.get("", **describe(told=list[TokenView], problems=(501,)))
async def list_tokens(tokens: Tokens) -> Response:
    """All users but the owner."""
    found = await to_thread.run_sync(tokens.list_tokens)
    return answer([TokenView(each.name, list(each.scopes), each.created) for each in found])


@router.post("", **describe(NewToken, CreatedToken, status=201, problems=(409, 501)))
async def create_token(tokens: Tokens, given: Annotated[NewToken, Depends(body_of(NewToken))]) -> Response:
    """Create a token for a user who has none."""
    if any(each.name == given.name for each in await to_thread.run_sync(tokens.list_tokens)):
        raise Problem(409, "conflict", f"{given.name} has a token", fix="Revoke it first.")
    scopes = ("read",) if given.read_only else ("read", "run")
    token = await to_thread.run_sync(tokens.create, given.name, scopes)
    return answer(CreatedToken(given.name, token), 201)


@router.delete("/{name}", **describe(status=204, problems=(404, 501)))
async def revoke_token(tokens: Tokens, name: Annotated[str, Path(max_length=100)]) -> Response:
    """Make the token of a user invalid, at once."""
    if not await to_thread.run_sync(tokens.revoke, name):
        raise Problem(404, "not_found", f"{name} has no token")
    return Response(status_code=204)
