"""`reset`: restarts a language, or the whole sandbox."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.mcp.arguments import Arguments, Language
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.live_output import Hear


class Reset(Arguments):
    language: Annotated[
        Language | None,
        Field(description="Restart only this language and keep files; leave it out to throw everything away."),
    ] = None


class ResetResult(BaseModel):
    reset: Annotated[str, Field(description="What is fresh now: a language, or `everything`.")]


async def reset(request: ToolRequest, given: Reset) -> CallToolResult:
    """Restart a language or the sandbox, and say which."""
    language = given.language
    if language is None:
        await request.session.renew(request.client)
        return make_answer("The next call has a new sandbox.", ResetResult(reset="everything"))

    async def work(_: Hear) -> CallToolResult:
        await request.session.reset(language)
        return make_answer(f"{language} is fresh; files are kept.", ResetResult(reset=language))

    return await request.call("reset", given, work)


TOOL = Tool(
    "reset",
    "Reset",
    "Restart one language, or throw the whole sandbox away, files included.",
    Reset,
    ResetResult,
    reset,
    rank=6,
    repeatable=True,
)
