"""The tools that run code."""

from mcp_types import CallToolResult

from cloche.mcp.tools.call_progress import CallProgress
from cloche.mcp.tools.contents import make_answer, show_result
from cloche.mcp.tools.models import (
    Arguments,
    InstalledPackage,
    InstallPackages,
    InstallResult,
    InterruptResult,
    Reset,
    ResetResult,
    RunBash,
    RunCode,
    RunPython,
    RunResult,
    Timed,
)
from cloche.mcp.tools.tool import Tool, ToolRequest


async def run_code(request: ToolRequest, given: Timed, language: str, code: str, stdin: str | None) -> CallToolResult:
    """Run code and return its result."""
    seconds = given.timeout or request.session.timeout
    progress = CallProgress(request.context)
    result = await request.session.run(language, code, stdin=stdin, seconds=seconds, on_text=progress.tell)
    return show_result(result, seconds, request.session.take_notice(), fails=request.fails)


async def _python(request: ToolRequest, given: RunPython) -> CallToolResult:
    return await run_code(request, given, "python", given.code, None)


async def run_bash(request: ToolRequest, given: RunBash) -> CallToolResult:
    """Run commands and return their result."""
    return await run_code(request, given, "bash", given.command, given.stdin)


async def _code(request: ToolRequest, given: RunCode) -> CallToolResult:
    return await run_code(request, given, given.language, given.code, given.stdin)


async def install_packages(request: ToolRequest, given: InstallPackages) -> CallToolResult:
    """Install packages and list what is new."""
    async with request.session.box() as box:
        new = await box.install(*given.packages, language=given.language, guest=True)
    packages = [InstalledPackage(name=package.name, version=package.version) for package in new]
    names = ", ".join(f"{each.name} {each.version}" for each in packages)
    text = f"Installed {names}." if names else "Everything was installed already."
    return make_answer(text, InstallResult(language=given.language, packages=packages))


async def _interrupt(request: ToolRequest, given: Arguments) -> CallToolResult:
    stopped = await request.session.interrupt()
    return make_answer("Interrupted." if stopped else "Nothing was running.", InterruptResult(interrupted=stopped))


async def _reset(request: ToolRequest, given: Reset) -> CallToolResult:
    await request.session.reset(given.language)
    if given.language is None:
        return make_answer("The next call has a new sandbox.", ResetResult(reset="everything"))
    return make_answer(f"{given.language} is fresh; files are kept.", ResetResult(reset=given.language))


TOOLS = (
    Tool(
        "run_python",
        "Run Python",
        "Run Python in a sandbox, as in a notebook cell: variables and imports stay for the next call, the value of "
        "the last expression is returned, top-level `await` works, plots and data frames are shown. Files are in "
        "/workspace, shared with bash and the other languages. Add numpy, pandas, matplotlib and other packages with "
        "install_packages. There are no threads (use asyncio). {network} Long output is cut in the middle.",
        RunPython,
        RunResult,
        _python,
        runs=True,
    ),
    Tool(
        "run_bash",
        "Run bash",
        "Run commands in the sandbox's bash; its folder, variables and functions stay for the next call. It has the "
        "usual tools (ls, grep, sed, awk, jq, find, tar, curl, git, sqlite3, ...), python3, pip, node and the other "
        "languages, over the same files as run_python. It is not a Linux machine: native programs cannot be compiled "
        "or installed. {network}",
        RunBash,
        RunResult,
        run_bash,
        runs=True,
    ),
    Tool(
        "run_code",
        "Run code",
        "Run code of any language in the sandbox. Each language keeps its state between calls; all share /workspace.",
        RunCode,
        RunResult,
        _code,
        runs=True,
    ),
    Tool(
        "install_packages",
        "Install packages",
        "Install packages into the sandbox from the language's registry, also where code has no network.",
        InstallPackages,
        InstallResult,
        install_packages,
        destroys=False,
        fetches=True,
        repeatable=True,
    ),
    Tool(
        "interrupt",
        "Interrupt",
        "Stop the code that another call runs in the sandbox, as Ctrl-C would; variables are kept.",
        Arguments,
        InterruptResult,
        _interrupt,
        destroys=False,
        repeatable=True,
        remote=True,
    ),
    Tool(
        "reset",
        "Reset",
        "Restart one language, or throw the whole sandbox away, files included.",
        Reset,
        ResetResult,
        _reset,
        repeatable=True,
    ),
)
