"""`run_bash`: runs shell commands."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from cloche.mcp.arguments import TimedArguments
from cloche.mcp.run_result import RunResult
from cloche.mcp.tool import Tool, ToolRequest
from cloche.mcp.tools.run_code import run_language


class RunBash(TimedArguments):
    command: Annotated[str, Field(description="Commands for bash; several lines are fine.")]
    stdin: Annotated[str | None, Field(description="What the command reads from standard input.")] = None


async def run_bash(request: ToolRequest, given: RunBash) -> CallToolResult:
    """Run commands and return their result."""
    return await run_language(request, given, "bash", given.command, given.stdin)


TOOL = Tool(
    "run_bash",
    "Run bash",
    "Run commands in the sandbox's bash; its folder, variables and functions stay for the next call. It has the "
    "usual tools (ls, grep, sed, awk, jq, find, tar, curl, git, sqlite3, ...), python3, pip, node and the other "
    "languages, over the same files as run_python. It is not a Linux machine: native programs cannot be compiled "
    "or installed. {network}",
    RunBash,
    RunResult,
    run_bash,
    rank=2,
    runs=True,
)
