"""The languages of the server and of a session."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path
from msgspec import Struct
from starlette.responses import Response

from cloche.events import Status
from cloche.runtime import RuntimeStatus
from cloche.sandbox.language_states import LanguageState, language_states
from cloche.sandbox.languages import check_language
from cloche.server.access.callers import Wanted
from cloche.server.embedded import ask_sandbox
from cloche.server.wire import LANGUAGES, answer, describe

router = APIRouter(tags=["languages"])


class Unloaded(Struct, frozen=True):
    """Whether the language was loaded."""

    unloaded: bool


@router.get("/languages", **describe(told=list[LanguageState]))
async def list_languages() -> Response:
    """Every language: its version, its size, whether its files have been fetched to the server."""
    return answer(await to_thread.run_sync(_list_fetched))


@router.get("/sessions/{sid}/languages", **describe(told=list[LanguageState], problems=(404, 409, 501)))
async def list_loaded(wanted: Wanted) -> Response:
    """The same with what is loaded in a session, and the memory that it takes."""
    async with ask_sandbox(wanted) as box:
        return answer(await box.languages())


@router.post("/sessions/{sid}/languages/{name}/unload", **describe(told=Unloaded, problems=(404, 409, 422, 501)))
async def unload_language(
    wanted: Wanted, name: Annotated[str, Path(json_schema_extra=LANGUAGES, description="of a language, such as ruby")]
) -> Response:
    """End an interpreter with all its variables; the next code in it starts another."""
    title = check_language(name).title
    async with ask_sandbox(wanted) as box:
        unloaded = await box.unload(name)
    if unloaded:
        await wanted.send(
            Status(RuntimeStatus.STARTING_RUNTIME, f"{title} was unloaded, with its variables."), "environment"
        )
    return answer(Unloaded(unloaded))


def _list_fetched() -> list[LanguageState]:
    return language_states({})
