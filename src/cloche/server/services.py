"""What the routes of a server share."""

from typing import TYPE_CHECKING

import anyio
from msgspec import Struct

from cloche.config import AppConfig
from cloche.server.access.logins import Logins
from cloche.server.calls.calls import Calls
from cloche.server.metrics import Metrics
from cloche.session import SessionManager

if TYPE_CHECKING:
    from cloche.server.sockets import Sockets


class Services(Struct, frozen=True, kw_only=True):
    """Made once for an application."""

    config: AppConfig
    manager: SessionManager
    logins: Logins
    sockets: "Sockets"
    calls: Calls
    metrics: Metrics
    stopping: anyio.Event
    """Set when the server is being stopped, so that streams without an end come to theirs."""
