"""The cards of agents: what they can do, and where they are."""

import hashlib
from importlib.metadata import version
from itertools import product
from typing import Any

import msgspec
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from starlette.requests import Request
from starlette.responses import Response

from cloche.sandbox.languages import Language, languages
from cloche.session import HostedSession, SessionView

TEXT, JSON = "text/plain", "application/json"
VERSION = version("cloche")
BINDINGS, PROTOCOLS = ("JSONRPC", "HTTP+JSON"), ("1.0", "0.3")
EXAMPLE = '{"action": "run_code", "args": {"language": "%s", "code": "..."}}'


def make_session_card(hosted: HostedSession, view: SessionView, url: str) -> AgentCard:
    """The card of one session, which is at this address."""
    name, agent = view.title or hosted.sid, view.agent if hosted.has_agent else None
    return _make_card(f"Cloche: {name}", f"The session {name}, a sandbox with files and state.", agent, url)


def make_server_card(agent: str | None, url: str) -> AgentCard:
    """The card of the server, which begins a session for each context."""
    return _make_card("Cloche", "Begins a session, a sandbox with files and state, for each context.", agent, url)


def answer_card(card: AgentCard, request: Request) -> Response:
    """A card as it is sent; 304 if the client has it already."""
    plain: dict[str, Any] = agent_card_to_dict(card)
    body = msgspec.json.encode(plain, order="sorted")
    headers = {"etag": f'W/"{hashlib.sha256(body).hexdigest()[:32]}"', "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=JSON, headers=headers)


def _make_card(name: str, about: str, agent: str | None, url: str) -> AgentCard:
    return AgentCard(
        name=name,
        description=about,
        version=VERSION,
        supported_interfaces=[_make_interface(url, *each) for each in product(BINDINGS, PROTOCOLS)],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=[TEXT, JSON],
        default_output_modes=[TEXT, JSON],
        skills=_make_skills(agent),
        security_schemes={"bearer": SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))},
        security_requirements=[SecurityRequirement(schemes={"bearer": StringList()})],
    )


def _make_interface(url: str, binding: str, protocol: str) -> AgentInterface:
    return AgentInterface(url=url, protocol_binding=binding, protocol_version=protocol)


def _make_skills(agent: str | None) -> list[AgentSkill]:
    about = "Works on a task that is described in text, asks when it needs to know something, and answers."
    agents = [AgentSkill(id="agent", name=agent, description=about, tags=["agent"])] if agent else []
    return [*agents, *map(_make_skill, languages().values())]


def _make_skill(language: Language) -> AgentSkill:
    example = '{"action": "run", "args": {"command": "..."}}' if language.name == "bash" else EXAMPLE % language.name
    return AgentSkill(
        id=language.name,
        name=language.name,
        description=f"Runs {language.name}, by a data part; its state stays for the next task.",
        tags=["code"],
        examples=[example],
        input_modes=[JSON],
    )
