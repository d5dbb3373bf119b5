"""Tools under the names that earlier Pyodide MCP servers gave them, for agents that have learned those."""

from typing import Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from cloche.events import FileEditAction
from cloche.mcp.files import perform_edit
from cloche.mcp.models import Arguments, Edited, Installed, InstallPackages, RunBash, RunResult, Timed
from cloche.mcp.running import install, run_code
from cloche.mcp.tool import Request, Tool


class PythonExecute(Arguments):
    code: Annotated[str, Field(description="Python source.")]
    timeout: Annotated[float, Field(gt=0, description="Milliseconds after which it is stopped.")] = 5000


class PythonCode(Timed):
    python_code: Annotated[str, Field(description="Python source.")]
    global_variables: Annotated[dict[str, Any] | None, Field(description="Names to set before it runs.")] = None


class OnePackage(Arguments):
    package: Annotated[str, Field(description="Names of packages, separated by spaces.")]


class Editor(Arguments):
    command: Literal["view", "create", "str_replace", "insert", "undo_edit"]
    path: Annotated[str, Field(description="Path of the file.")]
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    insert_line: int | None = None


async def _python_execute(request: Request, given: PythonExecute) -> CallToolResult:
    timed = Timed(timeout=given.timeout / 1000)
    return await run_code(request, timed, "python", given.code, None)


async def _python_code(request: Request, given: PythonCode) -> CallToolResult:
    if given.global_variables:
        names = repr(given.global_variables)
        setting = f"globals().update({names})"
        await run_code(request, Timed(timeout=given.timeout), "python", setting, None)
    return await run_code(request, given, "python", given.python_code, None)


async def _install(request: Request, given: OnePackage) -> CallToolResult:
    return await install(request, InstallPackages(packages=given.package.split() or [given.package]))


async def _bash(request: Request, given: RunBash) -> CallToolResult:
    return await run_code(request, given, "bash", given.command, given.stdin)


async def _edit(request: Request, given: Editor) -> CallToolResult:
    action = FileEditAction(
        given.path,
        given.command,
        given.file_text,
        given.old_str,
        given.new_str,
        given.insert_line,
    )
    return await perform_edit(request, action)


def _alias(name: str, of: str) -> tuple[str, str, str]:
    return name, name.replace("_", " "), f"An older name of `{of}`, which is the same with more to choose."


TOOLS = (
    Tool(*_alias("python_execute", "run_python"), PythonExecute, RunResult, _python_execute),
    Tool(*_alias("run_python_code", "run_python"), PythonCode, RunResult, _python_code),
    Tool(*_alias("pyodide_install-packages", "install_packages"), OnePackage, Installed, _install, destroys=False),
    Tool(*_alias("execute_bash", "run_bash"), RunBash, RunResult, _bash),
    Tool(*_alias("pyodide_execute_bash", "run_bash"), RunBash, RunResult, _bash),
    Tool(*_alias("str_replace_editor", "edit_file"), Editor, Edited, _edit),
    Tool(*_alias("pyodide_str_replace_editor", "edit_file"), Editor, Edited, _edit),
)
