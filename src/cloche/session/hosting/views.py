"""What is told of sessions, stored or running."""

from typing import TYPE_CHECKING

from cloche.config import AppConfig
from cloche.events import SessionInfo
from cloche.session.hosting.records import SessionView, read_details

if TYPE_CHECKING:
    from cloche.session.hosting.hosted_session import HostedSession


def make_view(
    info: SessionInfo, config: AppConfig, session: "HostedSession | None", owner: str, *, interrupted: bool = False
) -> SessionView:
    """What is told of a session; `session` is None if nobody has asked for it since the server started."""
    at_rest = "interrupted" if interrupted else "stored"
    details = read_details(info)
    wanted = details.wanted
    return SessionView(
        id=info.sid,
        title=info.title,
        owner=owner,
        state=at_rest if session is None else session.state,
        runtime=wanted.runtime or config.core.runtime,
        repository=wanted.repository,
        branch=wanted.branch,
        agent=wanted.agent or config.core.default_agent,
        model=wanted.model,
        events=info.events,
        created=info.created,
        last_activity=info.last_time,
        clients=0 if session is None else session.clients,
        forked_from=details.forked_from,
        status="" if session is None else session.status,
        workspace_kept=details.workspace is not None or config.core.workspace is not None,
    )
