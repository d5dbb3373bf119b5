"""Help with code before it runs: completion, inspection, whether it is complete."""

from typing import Annotated

from fastapi import APIRouter, Depends
from msgspec import Meta, Struct
from starlette.responses import Response

from cloche.limits import CODE_LIMIT
from cloche.sandbox.results.completion import Completeness, Completion
from cloche.server.access.callers import Wanted
from cloche.server.embedded import ask_sandbox
from cloche.server.wire import LanguageName, answer, body_of, describe

router = APIRouter(prefix="/sessions/{sid}", tags=["code"])

FAULTS = (404, 409, 501)


class CodeQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Some code, and where the cursor is in it."""

    code: Annotated[str, Meta(max_length=CODE_LIMIT)]
    cursor: Annotated[int, Meta(ge=0, le=CODE_LIMIT)] | None = None
    """Characters before it; by default, and at most, all."""
    language: LanguageName = "python"

    @property
    def place(self) -> int:
        """Where the cursor is."""
        return len(self.code) if self.cursor is None else min(self.cursor, len(self.code))


class Inspection(Struct, frozen=True):
    """What is known of the name at the cursor."""

    text: str | None
    """Its signature and docstring; null if there is nothing."""


Question = Annotated[CodeQuestion, Depends(body_of(CodeQuestion))]


@router.post("/complete", **describe(CodeQuestion, Completion, problems=FAULTS))
async def complete_code(wanted: Wanted, given: Question) -> Response:
    """What may stand at the cursor."""
    async with ask_sandbox(wanted) as box:
        return answer(await box.complete(given.code, given.place, language=given.language))


@router.post("/inspect", **describe(CodeQuestion, Inspection, problems=FAULTS))
async def inspect_code(wanted: Wanted, given: Question) -> Response:
    """The signature and docstring of the name at the cursor."""
    async with ask_sandbox(wanted) as box:
        return answer(Inspection(await box.inspect(given.code, given.place, language=given.language)))


@router.post("/is_complete", **describe(CodeQuestion, Completeness, problems=FAULTS))
async def check_code(wanted: Wanted, given: Question) -> Response:
    """Whether a prompt should run this code, or ask for more lines."""
    async with ask_sandbox(wanted) as box:
        return answer(await box.is_complete(given.code, language=given.language))
