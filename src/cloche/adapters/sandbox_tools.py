"""The tools that models get from frameworks that have tools."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from cloche.errors import ConfigError
from cloche.limits import MCP_IMAGES, READ_LIMIT, SHOWN_CHARACTERS
from cloche.sandbox.results.readable import Picture, drop_picture_name, find_pictures, format_result, shorten_output
from cloche.sandbox.sandbox import Sandbox

Path = Annotated[str, Meta(min_length=1, description="Path, relative to /workspace or absolute.")]
ToolAnswer = list[str | Picture]
"""What the model gets: a text, and before it the pictures that were shown."""


def describe_pictures(answer: ToolAnswer) -> str:
    """The answer for a model that gets no pictures: it is told that there were some."""
    texts = [each if isinstance(each, str) else f"[A picture ({each.kind}) was shown.]" for each in answer]
    return "\n".join(filter(None, texts)) or "(no output)"


class RunPython(Struct, forbid_unknown_fields=True):
    """Run Python in a sandbox, as in a notebook cell: variables and imports stay for the next call, the value of the
    last expression is returned, top-level `await` works. Files are in /workspace, shared with run_bash. `%pip install
    NAME` installs packages. There are no threads (use asyncio). Long output is cut in the middle."""

    code: Annotated[str, Meta(description="Python source, as in a notebook cell.")]

    async def perform(self, box: Sandbox) -> ToolAnswer:
        return await _run(box, "python", self.code)


class RunBash(Struct, forbid_unknown_fields=True):
    """Run commands in the sandbox's bash; its folder, variables and functions stay for the next call. It has the usual
    tools (ls, grep, sed, awk, jq, find, tar, curl, git, sqlite3, ...), python3, pip, node and other languages, over the
    same files as run_python. It is not a Linux machine: native programs cannot be compiled or installed. Long output is
    cut in the middle."""

    command: Annotated[str, Meta(description="Commands for bash; several lines are fine.")]

    async def perform(self, box: Sandbox) -> ToolAnswer:
        return await _run(box, "bash", self.command)


class ReadFile(Struct, forbid_unknown_fields=True):
    """Read a text file of the sandbox. A long file is cut in the middle: read parts of it with `sed -n` in run_bash."""

    path: Path

    async def perform(self, box: Sandbox) -> ToolAnswer:
        data = await box.read(self.path, limit=READ_LIMIT)
        try:
            return [shorten_output(data.decode(), SHOWN_CHARACTERS)]
        except UnicodeDecodeError:
            return [f"{self.path} ({len(data)} bytes) is not text: look at it with run_bash and `xxd`."]


class WriteFile(Struct, forbid_unknown_fields=True):
    """Make or replace a text file of the sandbox, and the folders above it."""

    path: Path
    content: Annotated[str, Meta(description="The whole content of the file.")]

    async def perform(self, box: Sandbox) -> ToolAnswer:
        data = self.content.encode("utf-8", "replace")
        await box.write(self.path, data)
        return [f"Wrote {len(data)} bytes to {self.path}."]


Arguments = RunPython | RunBash | ReadFile | WriteFile

TOOLS: Mapping[str, type[Arguments]] = {
    "run_python": RunPython,
    "run_bash": RunBash,
    "read_file": ReadFile,
    "write_file": WriteFile,
}


def choose_tools(names: Collection[str] | None) -> dict[str, type[Arguments]]:
    """The tools of these names, or all; raises ConfigError for a name that none has."""
    if unknown := set(names or ()) - set(TOOLS):
        raise ConfigError(f"there is no tool {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    return {name: kind for name, kind in TOOLS.items() if names is None or name in names}


async def use_tool(box: Sandbox, kind: type[Arguments], arguments: Mapping[str, Any] | str) -> ToolAnswer:
    """Use a tool as a model has asked; what it can do better next time is an answer, not an exception."""
    try:
        if isinstance(arguments, str):
            given = msgspec.json.decode(arguments or "{}", type=kind)
        else:
            given = msgspec.convert(arguments, kind)
        return await given.perform(box)
    except (msgspec.DecodeError, RecursionError) as error:
        return [f"The arguments are not what this tool takes: {error}."]
    except (ConfigError, OSError) as error:
        return [f"{type(error).__name__}: {error}"]


async def _run(box: Sandbox, language: str, code: str) -> ToolAnswer:
    result = await box.run(code, language=language)
    found = find_pictures(result.displays, MCP_IMAGES)
    if found:
        result = drop_picture_name(result)
    text = format_result(result, limit=SHOWN_CHARACTERS // 2)
    return [*found, text] if text or not found else found
