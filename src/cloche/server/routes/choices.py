"""What a new session may be made of, and what it is made of if nobody says otherwise."""

from typing import Any

from anyio import to_thread
from fastapi import APIRouter
from msgspec import Struct
from starlette.responses import Response

from cloche.config import AppConfig
from cloche.config.listing import Setting, list_settings
from cloche.runtime import list_runtimes
from cloche.runtime.a2a.manager import A2AManager
from cloche.runtime.tools.toolbox import ToolBox
from cloche.sandbox.languages import languages
from cloche.security import list_analyzers
from cloche.server.access.callers import Here, Owner
from cloche.server.wire import answer, describe
from cloche.session.agents import list_agents

router = APIRouter(tags=["server"])


class ModelChoice(Struct, frozen=True):
    """A model that is configured."""

    name: str
    """The NAME of its `[llm.NAME]`; empty for `[llm]`."""
    model: str | None
    """As its server calls it."""


class Defaults(Struct, frozen=True):
    """What holds for sessions that say nothing else."""

    runtime: str
    agent: str
    model: str | None
    max_iterations: int
    timeout: float
    confirmation_mode: bool
    security_analyzer: str | None
    plugins: list[str]
    allow_net: list[str]


class Choices(Struct, frozen=True):
    """What may be chosen."""

    runtimes: list[str]
    agents: list[str]
    models: list[ModelChoice]
    languages: list[str]
    security_analyzers: list[str]
    mcp_servers: list[str]
    a2a_servers: list[str]
    defaults: Defaults


class Settings(Struct, frozen=True):
    """The settings in effect, and where they stand."""

    file: str | None
    """The configuration file that was read."""
    looked_for: list[str]
    """The files that were looked for, in this order."""
    notes: list[str]
    settings: list[Setting]


@router.get("/choices", **describe(told=Choices))
async def list_choices(here: Here) -> Response:
    """The runtimes, agents, models and languages that a session may have, and the defaults."""
    return answer(await to_thread.run_sync(_find_choices, here.config))


@router.get("/config", **describe(told=dict[str, Any]))
async def show_config(here: Here, _: Owner) -> Response:
    """The whole configuration, as in a file; secrets are masked. For the owner only."""
    return answer(here.config.to_tree())


@router.get("/config/settings", **describe(told=Settings))
async def list_config(here: Here, _: Owner) -> Response:
    """Every setting with where its value came from and what it is for; secrets are masked. For the owner only."""
    origin = here.config.origin
    file = None if origin.file is None else str(origin.file)
    looked_for = [str(each) for each in origin.looked_for]
    # In a thread: the sentences are read from a file, once.
    settings = await to_thread.run_sync(lambda: list(list_settings(here.config)))
    return answer(Settings(file, looked_for, list(origin.notes), settings))


def _find_choices(config: AppConfig) -> Choices:
    known = [("", config.llm), *config.llms.items()]
    return Choices(
        runtimes=list_runtimes(),
        agents=list_agents(config),
        models=[ModelChoice(name, each.model) for name, each in known if each.model or name],
        languages=list(languages()),
        security_analyzers=list_analyzers(),
        mcp_servers=ToolBox(config.mcp).servers,
        a2a_servers=A2AManager(config.a2a.servers).places,
        defaults=_find_defaults(config),
    )


def _find_defaults(config: AppConfig) -> Defaults:
    return Defaults(
        runtime=config.core.runtime,
        agent=config.core.default_agent,
        model=config.find_llm(config.find_agent().llm_config).model,
        max_iterations=config.core.max_iterations,
        timeout=config.sandbox.timeout,
        confirmation_mode=config.security.confirmation_mode,
        security_analyzer=config.security.security_analyzer,
        plugins=list(config.sandbox.plugins),
        allow_net=list(config.sandbox.allow_net),
    )
