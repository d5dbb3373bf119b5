"""`run_python`: runs a Python cell."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from cloche.mcp.arguments import TimedArguments
from cloche.mcp.run_result import RunResult
from cloche.mcp.tool import Tool, ToolRequest
from cloche.mcp.tools.run_code import run_language


class RunPython(TimedArguments):
    code: Annotated[str, Field(description="Python source, as in a notebook cell.")]


async def run_python(request: ToolRequest, given: RunPython) -> CallToolResult:
    """Run a cell and return its result."""
    return await run_language(request, given, "python", given.code, None)


TOOL = Tool(
    "run_python",
    "Run Python",
    "Run Python in a sandbox, as in a notebook cell: variables and imports stay for the next call, the value of "
    "the last expression is returned, top-level `await` works, plots and data frames are shown. Files are in "
    "/workspace, shared with bash and the other languages. Add numpy, pandas, matplotlib and other packages with "
    "install_packages. There are no threads (use asyncio). {network} Long output is cut in the middle.",
    RunPython,
    RunResult,
    run_python,
    rank=1,
    runs=True,
)
