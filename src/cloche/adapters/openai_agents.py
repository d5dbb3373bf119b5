"""Tools for the OpenAI Agents SDK: its shell tools, and functions that any model can call."""

import shlex
from collections.abc import Collection
from typing import Any, Unpack

from cloche.adapters.held_sandbox import GivenSandbox, HeldSandbox, SandboxHolder
from cloche.adapters.missing import explain_missing
from cloche.adapters.sandbox_tools import Arguments, ToolAnswer, choose_tools, describe_pictures, use_tool
from cloche.limits import SHOWN_CHARACTERS
from cloche.llm.tool_schema import read_description, read_schema
from cloche.options import SandboxOptions
from cloche.sandbox.fresh_shell import in_fresh_shell
from cloche.sandbox.results.readable import Picture, format_result, shorten_output
from cloche.sandbox.sandbox import UNSET, Sandbox

with explain_missing("openai-agents"):
    from agents import (
        FunctionTool,
        LocalShellCommandRequest,
        LocalShellTool,
        ShellActionRequest,
        ShellCallOutcome,
        ShellCommandOutput,
        ShellCommandRequest,
        ShellResult,
        ShellTool,
        ToolOutputImage,
        ToolOutputText,
    )


class ClocheTools(SandboxHolder):
    """Tools over a sandbox: `async with ClocheTools() as box: Agent("coder", tools=[box.shell()])`.

    `shell` and `local_shell` are for models of OpenAI that know them, `functions` are for all. Without `box` it has a
    sandbox of its own with these options, which ends with the `with` block or `close`.
    """

    def __init__(self, box: GivenSandbox = None, **options: Unpack[SandboxOptions]) -> None:
        self._held = HeldSandbox(box, options)

    def shell(self, **settings: Any) -> ShellTool:
        """The shell tool, each of whose commands has a shell of its own; `settings` are those of ShellTool."""
        return ShellTool(executor=self._run_commands, **settings)

    def local_shell(self) -> LocalShellTool:
        """The older shell tool."""
        return LocalShellTool(executor=self._run_local)

    def functions(self, tools: Collection[str] | None = None, *, pictures: bool = False) -> list[FunctionTool]:
        """Python, bash and files as functions, or those of these names; with `pictures`, the model sees plots."""
        return [self._make_function(name, kind, pictures) for name, kind in choose_tools(tools).items()]

    async def _run_commands(self, request: ShellCommandRequest) -> ShellResult:
        action = request.data.action
        outputs = await self._held.call_async(lambda box: _run_all(box, action))
        return ShellResult(output=outputs, max_output_length=action.max_output_length)

    async def _run_local(self, request: LocalShellCommandRequest) -> str:
        action = request.data.action
        code = in_fresh_shell(shlex.join(action.command), action.working_directory, action.env)
        seconds = _read_timeout(action.timeout_ms)
        result = await self._held.call_async(lambda box: box.bash(code, timeout=seconds))
        return format_result(result, limit=SHOWN_CHARACTERS // 2) or "(no output)"

    def _make_function(self, name: str, kind: type[Arguments], pictures: bool) -> FunctionTool:
        async def use(_: Any, arguments: str) -> str | list[ToolOutputText | ToolOutputImage]:
            answer = await self._held.call_async(lambda box: use_tool(box, kind, arguments))
            return _show(answer) if pictures else describe_pictures(answer)

        return FunctionTool(
            name=name,
            description=read_description(kind),
            params_json_schema=read_schema(kind),
            on_invoke_tool=use,
            strict_json_schema=False,
        )


async def _run_all(box: Sandbox, action: ShellActionRequest) -> list[ShellCommandOutput]:
    """Run commands one after another; one that takes too long is the last."""
    limit = SHOWN_CHARACTERS if action.max_output_length is None else action.max_output_length
    outputs: list[ShellCommandOutput] = []
    for command in action.commands:
        result = await box.bash(in_fresh_shell(command), timeout=_read_timeout(action.timeout_ms))
        outcome = (
            ShellCallOutcome(type="timeout")
            if result.timed_out
            else ShellCallOutcome(type="exit", exit_code=result.exit_code)
        )
        stdout, stderr = shorten_output(result.stdout, limit), shorten_output(result.stderr, limit)
        outputs.append(ShellCommandOutput(stdout=stdout, stderr=stderr, outcome=outcome, command=command))
        if result.timed_out:
            break
    return outputs


def _read_timeout(milliseconds: int | None) -> float:
    """Seconds; without a number, those of the sandbox."""
    return milliseconds / 1000 if milliseconds else UNSET


def _show(answer: ToolAnswer) -> list[ToolOutputText | ToolOutputImage]:
    return [
        ToolOutputImage(image_url=f"data:{each.kind};base64,{each.data}")
        if isinstance(each, Picture)
        else ToolOutputText(text=each)
        for each in answer
        if each
    ] or [ToolOutputText(text="(no output)")]
