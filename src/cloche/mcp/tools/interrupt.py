"""`interrupt`: stops the code of another call."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.mcp.arguments import Arguments
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest


class InterruptResult(BaseModel):
    interrupted: Annotated[bool, Field(description="Whether anything was running.")]


async def interrupt(request: ToolRequest, given: Arguments) -> CallToolResult:
    """Stop what is running, and say whether there was anything."""
    stopped = await request.session.interrupt()
    return make_answer("Interrupted." if stopped else "Nothing was running.", InterruptResult(interrupted=stopped))


TOOL = Tool(
    "interrupt",
    "Interrupt",
    "Stop the code that another call runs in the sandbox, as Ctrl-C would; variables are kept.",
    Arguments,
    InterruptResult,
    interrupt,
    rank=5,
    destroys=False,
    repeatable=True,
    remote=True,
)
