"""`run_code`: runs code in any language."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from cloche.events import Observation
from cloche.mcp.arguments import Language, TimedArguments
from cloche.mcp.call_progress import CallProgress
from cloche.mcp.contents import show_result
from cloche.mcp.run_result import RunResult
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.actions.code_results import make_code_action, observe_result
from cloche.runtime.live_output import Hear


class RunCode(TimedArguments):
    language: Annotated[Language, Field(description="The language of the code.")]
    code: Annotated[str, Field(description="Source in that language.")]
    stdin: Annotated[str | None, Field(description="What the program reads from standard input.")] = None


async def run_language(
    request: ToolRequest, given: TimedArguments, language: str, code: str, stdin: str | None
) -> CallToolResult:
    """Run code and return its result; used by all tools that run code."""
    seconds = given.timeout or request.session.timeout
    progress = CallProgress(request.context)
    action = make_code_action(language, code, stdin)

    async def work(hear: Hear) -> tuple[CallToolResult, Observation]:
        async def tell(stream: str, text: str) -> None:
            hear(stream, text)
            await progress.tell(text)

        session = request.session
        result = await session.run(language, code, stdin=stdin, seconds=seconds, on_text=tell)
        answer = show_result(result, seconds, session.take_notice(), fails=request.fails)
        return answer, observe_result(action, result, seconds)

    return await request.perform(action, work, seconds=seconds)


async def run_code(request: ToolRequest, given: RunCode) -> CallToolResult:
    """Run code in the given language."""
    return await run_language(request, given, given.language, given.code, given.stdin)


TOOL = Tool(
    "run_code",
    "Run code",
    "Run code of any language in the sandbox. Each language keeps its state between calls; all share /workspace.",
    RunCode,
    RunResult,
    run_code,
    rank=3,
    runs=True,
)
