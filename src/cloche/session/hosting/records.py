"""What a client may ask for, what is told of a session, and what is kept of it beside its events."""

from typing import Any

import msgspec
from msgspec import Struct

from cloche.events import SessionInfo
from cloche.remote.sessions import SandboxWish


class NewSession(Struct, frozen=True, kw_only=True):
    """What a client may ask for; by default what the configuration says."""

    title: str = ""
    runtime: str | None = None
    repository: str | None = None
    branch: str | None = None
    agent: str | None = None
    model: str | None = None
    """The NAME of an `[llm.NAME]`."""
    initial_message: str | None = None
    instructions: str = ""
    max_iterations: int | None = None
    env: dict[str, str] = {}
    """Environment variables for the code; they are kept with the session, so no keys."""
    sandbox: SandboxWish | None = None
    """Options of its sandbox."""


class ForkOrigin(Struct, frozen=True):
    """Where a fork began."""

    session: str
    event: int
    """The last event that both have."""


class SessionView(Struct, frozen=True):
    """What is told of a session."""

    id: str
    title: str
    owner: str
    state: str
    """`stored` when it does not run, `interrupted` if another program was killed with it, `starting`, else the state
    of its agent."""
    runtime: str
    repository: str | None
    branch: str | None
    agent: str
    model: str | None
    events: int
    created: float
    """Seconds since 1970."""
    last_activity: float
    """The time of its last event."""
    clients: int
    forked_from: ForkOrigin | None
    status: str
    """The last status since it was started, empty if there was none."""
    workspace_kept: bool
    """Whether its files are there when it starts again."""


class SessionDetails(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a server keeps of a session, as the details in its store; those of other sessions have every default."""

    owner: str = ""
    """The user; empty for the owner of the server."""
    wanted: NewSession = NewSession()
    hosted: bool = False
    """Whether a server made it, and not a command."""
    begun: bool = False
    """Whether it has ever been started."""
    running_since: int | None = None
    """The first event of the run that has not come to its end; a server that was killed leaves it there."""
    workspace: str | None = None
    """The name of the folder with its files."""
    saved: str | None = None
    """The name of the file with the variables that it starts with."""
    forked_from: ForkOrigin | None = None
    parent: str | None = None
    """The session that has delegated its work to this one."""


def read_details(info: SessionInfo) -> SessionDetails:
    """The details of a stored session."""
    try:
        return msgspec.convert(info.details, SessionDetails)
    except msgspec.ValidationError:
        # Of another version, or of somebody else: it belongs to the server's owner.
        return SessionDetails()


def plain_details(details: SessionDetails) -> dict[str, Any]:
    """The details as they are stored."""
    return msgspec.to_builtins(details)
