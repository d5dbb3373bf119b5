"""Closes sessions that nobody needs any more."""

import logging
from collections.abc import Callable, Sequence

import anyio

from cloche.errors import ClocheError
from cloche.limits import SESSION_LOOK
from cloche.session.agent_session import AgentSession
from cloche.session.control.states import AgentState
from cloche.session.hosting.host import Host
from cloche.session.hosting.hosted_session import HostedSession

log = logging.getLogger(__name__)


async def close_unneeded(host: Host, list_known: Callable[[], Sequence[HostedSession]]) -> None:
    """Look again and again for sessions that nobody needs, until cancelled."""
    delay, grace = host.config.sandbox.close_delay, host.config.server.grace
    while True:
        await anyio.sleep(min(SESSION_LOOK, delay / 2, grace / 2))
        for session in list_known():
            idle = session.measure_idle()
            if idle is not None and idle >= delay:
                log.info("the session %s is closed: nobody has needed it for %.0f s", session.sid, idle)
                host.tasks.start_soon(session.stop)
            elif (session.left or 0.0) >= grace:
                _leave(host, session)


def _leave(host: Host, session: HostedSession) -> None:
    """What the configuration says, after the last client has gone."""
    what, running = host.config.server.on_leave, session.running
    if running is None:
        return
    if what == "close":
        log.info("the session %s is closed: its last client has gone", session.sid)
        host.tasks.start_soon(session.stop)
    elif what == "pause" and running.state is AgentState.RUNNING:
        log.info("the agent of the session %s is paused: its last client has gone", session.sid)
        host.tasks.start_soon(_pause, running)


async def _pause(running: AgentSession) -> None:
    try:
        await running.change_state(AgentState.PAUSED)
    except ClocheError as error:
        log.warning("the agent of the session %s could not be paused: %s", running.sid, error)
