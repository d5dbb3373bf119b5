"""`reset`: restarts a language, or the whole sandbox."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.mcp.arguments import Arguments, Language
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest


class Reset(Arguments):
    language: Annotated[
        Language | None,
        Field(description="Restart only this language and keep files; leave it out to throw everything away."),
    ] = None


class ResetResult(BaseModel):
    reset: Annotated[str, Field(description="What is fresh now: a language, or `everything`.")]


async def reset(request: ToolRequest, given: Reset) -> CallToolResult:
    """Restart a language or the sandbox, and say which."""
    await request.session.reset(given.language)
    if given.language is None:
        return make_answer("The next call has a new sandbox.", ResetResult(reset="everything"))
    return make_answer(f"{given.language} is fresh; files are kept.", ResetResult(reset=given.language))


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
