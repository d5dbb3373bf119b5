"""What routes ask about the one who calls: who it is, and which session they mean."""

from typing import Annotated

from fastapi import Depends, Path, Request
from opentelemetry import trace

from cloche.errors import SessionUnknown
from cloche.server.access.users import User
from cloche.server.problems import Problem
from cloche.server.services import Services
from cloche.session import HostedSession, SessionManager


def _find_services(request: Request) -> Services:
    return request.app.state.services


def _find_user(request: Request) -> User:
    return request.scope["user"]


def _find_owner(request: Request) -> User:
    user = _find_user(request)
    if not user.is_owner:
        raise Problem(403, "owner_only", "only the owner of the server may do this")
    return user


def _find_manager(request: Request) -> SessionManager:
    return _find_services(request).manager


async def _find_session(
    request: Request, sid: Annotated[str, Path(description="the id of a session")]
) -> HostedSession:
    user = _find_user(request)
    # FastAPI makes a span of each request, if anything collects them.
    trace.get_current_span().set_attributes({"session.id": sid, "enduser.id": user.name or "owner"})
    return await find_own_session(_find_manager(request), user, sid)


async def find_own_session(manager: SessionManager, user: User, sid: str) -> HostedSession:
    """A session that this user may see; those of others are as if they were not there."""
    try:
        session = await manager.find(sid)
        if user.is_owner or session.owner == user.name:
            return session
    except SessionUnknown:
        pass
    # One answer for both: whether it exists is not told.
    raise SessionUnknown(f"there is no session {sid[:128]!r}")


Here = Annotated[Services, Depends(_find_services)]
"""What the server is made of."""
Caller = Annotated[User, Depends(_find_user)]
Owner = Annotated[User, Depends(_find_owner)]
Manager = Annotated[SessionManager, Depends(_find_manager)]
Wanted = Annotated[HostedSession, Depends(_find_session)]
"""The session of the path, if it is the caller's."""
