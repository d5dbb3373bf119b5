"""Many sessions in one server: where they are kept, which of them run, and who listens to them."""

from cloche.session.hosting.clients import Client
from cloche.session.hosting.hosted_session import HostedSession
from cloche.session.hosting.manager import SessionManager
from cloche.session.hosting.records import ForkOrigin, NewSession, SessionView

__all__ = ["Client", "ForkOrigin", "HostedSession", "NewSession", "SessionManager", "SessionView"]
