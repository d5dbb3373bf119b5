"""Sessions: begin, list, rename, stop, fork, delete."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from msgspec import Meta, Struct, field
from starlette.responses import Response

from cloche.errors import EventError
from cloche.server.access.callers import Caller, Manager, Wanted
from cloche.server.problems import Problem
from cloche.server.wire import answer, body_of, describe
from cloche.session import NewSession, SessionView

router = APIRouter(prefix="/sessions", tags=["sessions"])

Title = Annotated[str, Meta(max_length=200)]


class Beginning(NewSession, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new session, and the tokens to clone its repository with, which are not kept."""

    git_provider_tokens: dict[str, str] = field(default_factory=dict[str, str])
    """By provider, `{"github": "..."}`, or by host."""


class Renaming(Struct, frozen=True, forbid_unknown_fields=True):
    """A new title."""

    title: Title


class Forking(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a session is forked."""

    at: Annotated[int, Meta(ge=0)] | None = None
    """The last event that the fork has too; by default the latest, and then files and variables as well."""


class SessionPage(Struct, frozen=True):
    """Some sessions, the most recently used first."""

    sessions: list[SessionView]
    has_more: bool


@router.get("", **describe(told=SessionPage, problems=(422,)))
async def list_sessions(
    caller: Caller,
    manager: Manager,
    search: Annotated[str, Query(max_length=200, description="text in the title or the id")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The caller's sessions; the owner of the server sees those of all users."""
    owner = None if caller.is_owner else caller.name
    found = await manager.list_sessions(owner, search=search, limit=limit + 1, offset=offset)
    return answer(SessionPage(found[:limit], len(found) > limit))


@router.post("", **describe(Beginning, SessionView, status=201))
async def create_session(
    caller: Caller, manager: Manager, given: Annotated[Beginning, Depends(body_of(Beginning))]
) -> Response:
    """Begin a session; it starts in the background, and its status events say how that goes."""
    wanted = NewSession(**{name: getattr(given, name) for name in NewSession.__struct_fields__})
    hosted = await manager.create(caller.name, wanted, tokens=given.git_provider_tokens)
    return answer(await hosted.view(), 201, {"location": f"/api/sessions/{hosted.sid}"})


@router.get("/{sid}", **describe(told=SessionView, problems=(404,)))
async def show_session(wanted: Wanted) -> Response:
    """One session."""
    return answer(await wanted.view())


@router.patch("/{sid}", **describe(Renaming, SessionView, problems=(404,)))
async def rename_session(
    wanted: Wanted, manager: Manager, given: Annotated[Renaming, Depends(body_of(Renaming))]
) -> Response:
    """Give a session a title."""
    await manager.rename(wanted.sid, given.title)
    return answer(await wanted.view())


@router.delete("/{sid}", **describe(status=204, problems=(404, 409)))
async def delete_session(wanted: Wanted, manager: Manager) -> Response:
    """End a session, and remove its events and files."""
    await manager.delete(wanted.sid)
    return Response(status_code=204)


@router.post("/{sid}/start", **describe(told=SessionView, problems=(404, 409)))
async def start_session(wanted: Wanted) -> Response:
    """Start a session that does not run; what needs it does so too."""
    await wanted.start()
    return answer(await wanted.view())


@router.post("/{sid}/stop", **describe(told=SessionView, problems=(404,)))
async def stop_session(wanted: Wanted, manager: Manager) -> Response:
    """Close what runs; the events stay, and the session starts again when somebody needs it."""
    await manager.stop(wanted.sid)
    return answer(await wanted.view())


@router.post("/{sid}/fork", **describe(Forking, SessionView, status=201, problems=(404, 409)))
async def fork_session(
    caller: Caller, wanted: Wanted, manager: Manager, given: Annotated[Forking, Depends(body_of(Forking))]
) -> Response:
    """Another session that has had the same events up to one of them."""
    try:
        fork = await manager.fork(wanted.sid, given.at, caller.name)
    except EventError as error:
        raise Problem(404, "not_found", str(error)) from error
    return answer(await fork.view(), 201, {"location": f"/api/sessions/{fork.sid}"})
