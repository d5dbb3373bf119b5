"""The card of a remote agent: who it is, and at which address it speaks which version of the protocol."""

import json
import re
from typing import Any

import httpx
from a2a.client.card_resolver import parse_agent_card
from a2a.types import AgentCard, AgentInterface
from google.protobuf.json_format import MessageToDict, ParseError
from msgspec import Struct

from cloche.errors import RemoteAgentError
from cloche.limits import A2A_SKILLS
from cloche.runtime.a2a.updates import clean_name

WELL_KNOWN = "/.well-known/agent-card.json"
BINDINGS = ("JSONRPC", "HTTP+JSON")
DESCRIPTION = 2000
"""Characters of a description that are listed."""
EXAMPLES = 10
"""Examples of a skill that are listed."""
_SPOKEN = re.compile(r"1(\.\d+)*|0\.3(\.\d+)*")


class CardInfo(Struct, frozen=True):
    """What a card says of an agent, cleaned and cut to what a reader needs."""

    name: str
    description: str
    skills: list[dict[str, Any]]
    """Each with its `name`, `description` and `examples`."""
    more_skills: int = 0
    """How many are left out."""


def card_address(url: str) -> str:
    """Where the card of a configured server is."""
    address = httpx.URL(url)
    if address.path.endswith(".json"):
        return url
    return str(address.copy_with(path=address.path.rstrip("/") + WELL_KNOWN))


async def fetch_card(http: httpx.AsyncClient, url: str) -> AgentCard:
    """Ask a server for its card."""
    response = await http.get(card_address(url))
    response.raise_for_status()
    try:
        return parse_agent_card(json.loads(response.content))
    except (ParseError, ValueError, RecursionError) as error:
        raise RemoteAgentError(f"its card could not be read: {clean_name(str(error))}") from error


def read_card(card: AgentCard) -> CardInfo:
    """What a card says of its agent."""
    skills = list(card.skills)
    return CardInfo(
        name=clean_name(card.name, 100) or "unnamed",
        description=clean_name(card.description, DESCRIPTION),
        skills=[_read_skill(MessageToDict(skill)) for skill in skills[:A2A_SKILLS]],
        more_skills=max(len(skills) - A2A_SKILLS, 0),
    )


def choose_interface(card: AgentCard) -> AgentInterface:
    """The first address at which the agent speaks a version and a form of the protocol that we do."""
    offered = list(card.supported_interfaces)
    known = [each for each in offered if each.protocol_binding in BINDINGS]
    spoken = [each for each in known if _SPOKEN.fullmatch(each.protocol_version or "1.0")]
    # Those of 1.0 first: 0.3 is only understood.
    for each in sorted(spoken, key=lambda each: each.protocol_version.startswith("0.3")):
        return each
    told = ", ".join(clean_name(f"{each.protocol_binding} {each.protocol_version}", 40) for each in offered[:5])
    raise RemoteAgentError(
        f"it offers {told or 'no address'}, and this client speaks A2A 1.0 over {' or '.join(BINDINGS)}"
    )


def _read_skill(skill: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": clean_name(skill.get("name", "")),
        "description": clean_name(skill.get("description", ""), DESCRIPTION),
        "examples": [clean_name(each, DESCRIPTION) for each in skill.get("examples", [])[:EXAMPLES]],
    }
