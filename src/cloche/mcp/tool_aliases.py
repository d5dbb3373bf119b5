"""Tools under the names that earlier Pyodide MCP servers used, for agents that know those."""

import json
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from cloche.events import FileEditAction, FileReadAction
from cloche.mcp.arguments import Arguments, TimedArguments
from cloche.mcp.contents import is_ok, make_answer
from cloche.mcp.run_result import RunResult
from cloche.mcp.tool import Tool, ToolRequest
from cloche.mcp.tools.edit_file import EditResult, perform_edit
from cloche.mcp.tools.install_packages import InstallPackages, InstallResult, install_packages
from cloche.mcp.tools.list_files import Entry, FileListing, ListFiles, list_files
from cloche.mcp.tools.read_file import FileText, ReadFile, read_file
from cloche.mcp.tools.run_bash import RunBash, run_bash
from cloche.mcp.tools.run_code import run_language

FOLDER_NAME_PATTERN = r"^[^/]+$"


class PythonExecute(Arguments):
    code: Annotated[str, Field(description="Python source.")]
    timeout: Annotated[float, Field(gt=0, le=86_400_000, description="Milliseconds after which it is stopped.")] = 5000


class PythonCode(TimedArguments):
    python_code: Annotated[str, Field(description="Python source.")]
    global_variables: Annotated[dict[str, Any] | None, Field(description="Names to set before it runs.")] = None


class OnePackage(Arguments):
    package: Annotated[str, Field(description="Names of packages, separated by spaces.")]


class EditorArguments(Arguments):
    command: Literal["view", "create", "str_replace", "insert", "undo_edit"]
    path: Annotated[str, Field(description="Path of the file.")]
    file_text: str | None = None
    old_str: str | None = None
    new_str: str | None = None
    insert_line: int | None = None
    view_range: Annotated[
        list[int] | None, Field(min_length=2, max_length=2, description="First and last line to view; -1 is the end.")
    ] = None


class MountedArguments(Arguments):
    mount_name: Annotated[
        str,
        Field(
            alias="mountName", pattern=FOLDER_NAME_PATTERN, description="Name of a folder below /mnt, or `workspace`."
        ),
    ]


class MountedImage(MountedArguments):
    image_path: Annotated[str, Field(alias="imagePath", min_length=1, description="Path of a picture in that folder.")]


async def _python_execute(request: ToolRequest, given: PythonExecute) -> CallToolResult:
    return await run_language(request, TimedArguments(timeout=given.timeout / 1000), "python", given.code, None)


async def _python_code(request: ToolRequest, given: PythonCode) -> CallToolResult:
    if given.global_variables:
        names = json.dumps(given.global_variables)
        setting = f"globals().update(__import__('json').loads({names!r}))"
        done = await run_language(request, given, "python", setting, None)
        if not is_ok(done):
            return done
    return await run_language(request, given, "python", given.python_code, None)


async def _install_package(request: ToolRequest, given: OnePackage) -> CallToolResult:
    return await install_packages(request, InstallPackages(packages=given.package.split() or [given.package]))


async def _edit_file(request: ToolRequest, given: EditorArguments) -> CallToolResult:
    if given.command == "view":
        looked = FileReadAction(given.path, impl_source="oh_aci", view_range=given.view_range)
        return await perform_edit(request, looked)
    action = FileEditAction(
        given.path,
        given.command,
        given.file_text,
        given.old_str,
        given.new_str,
        given.insert_line,
    )
    return await perform_edit(request, action)


async def _list_folders(request: ToolRequest, given: Arguments) -> CallToolResult:
    async with request.session.box() as box:
        try:
            mounts = await box.files("/mnt")
        except FileNotFoundError:
            mounts = []
    folders = ["/workspace", *(file.path for file in mounts)]
    entries = [Entry(path=folder, kind="dir", size=0) for folder in folders]
    return make_answer("\n".join(folders), FileListing(path="/", files=entries))


async def _list_mount(request: ToolRequest, given: MountedArguments) -> CallToolResult:
    return await list_files(request, ListFiles(path=_mount_folder(given)))


async def _read_image(request: ToolRequest, given: MountedImage) -> CallToolResult:
    return await read_file(request, ReadFile(path=f"{_mount_folder(given)}/{given.image_path}"))


def _mount_folder(given: MountedArguments) -> str:
    return "/workspace" if given.mount_name == "workspace" else f"/mnt/{given.mount_name}"


def _describe_alias(name: str, of: str) -> tuple[str, str, str]:
    title = name.replace("_", " ").replace("-", " ")
    return name, title, f"An older name of `{of}`, which is the same with more to choose."


TOOLS = (
    Tool(*_describe_alias("python_execute", "run_python"), PythonExecute, RunResult, _python_execute, runs=True),
    Tool(*_describe_alias("run_python_code", "run_python"), PythonCode, RunResult, _python_code, runs=True),
    Tool(
        *_describe_alias("pyodide_install-packages", "install_packages"),
        OnePackage,
        InstallResult,
        _install_package,
        destroys=False,
        fetches=True,
    ),
    Tool(*_describe_alias("python_get_dirs", "list_files"), Arguments, FileListing, _list_folders, reads_only=True),
    Tool(
        *_describe_alias("pyodide_list-mounted-directory", "list_files"),
        MountedArguments,
        FileListing,
        _list_mount,
        reads_only=True,
    ),
    Tool(*_describe_alias("pyodide_read-image", "read_file"), MountedImage, FileText, _read_image, reads_only=True),
    Tool(*_describe_alias("execute_bash", "run_bash"), RunBash, RunResult, run_bash, runs=True),
    Tool(*_describe_alias("pyodide_execute_bash", "run_bash"), RunBash, RunResult, run_bash, runs=True),
    Tool(*_describe_alias("str_replace_editor", "edit_file"), EditorArguments, EditResult, _edit_file),
    Tool(*_describe_alias("pyodide_str_replace_editor", "edit_file"), EditorArguments, EditResult, _edit_file),
)
