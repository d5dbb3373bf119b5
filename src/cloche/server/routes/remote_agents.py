"""The remote agents that a session can give tasks to."""

from typing import Any

from fastapi import APIRouter
from msgspec import Struct, convert
from starlette.responses import Response

from cloche.server.access.callers import Wanted
from cloche.server.wire import answer, describe

router = APIRouter(prefix="/sessions/{sid}/remote_agents", tags=["tools"])


class RemoteAgentCard(Struct, frozen=True):
    """What the card of an agent says."""

    name: str
    description: str
    skills: list[dict[str, Any]]
    """Each with its `name`, `description` and `examples`."""
    more_skills: int = 0
    """How many are left out."""


class RemoteAgentListing(Struct, frozen=True):
    """The agents, and the servers that cannot be used."""

    agents: list[RemoteAgentCard]
    failures: dict[str, str]
    """Why, by server."""


@router.get("", **describe(told=RemoteAgentListing, problems=(404, 409)))
async def list_remote_agents(wanted: Wanted) -> Response:
    """The agents of all A2A servers that are configured; cards that are not known yet are read."""
    async with wanted.use() as session:
        manager = session.runtime.agents.manager
        await manager.initialize_agent_cards()
        agents = convert(manager.list_remote_agents(), list[RemoteAgentCard])
        return answer(RemoteAgentListing(agents, manager.failures))
