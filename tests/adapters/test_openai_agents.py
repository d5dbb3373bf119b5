"""Tools for the OpenAI Agents SDK."""

import asyncio
from collections.abc import Iterator
from typing import Any, cast
from uuid import uuid4

import pytest
from agents import Agent, Runner, RunResult, ToolCallOutputItem, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses.response_output_item import LocalShellCall, LocalShellCallAction

from cloche import Sandbox, SyncSandbox
from cloche.adapters.openai_agents import ClocheTools
from tests.adapters.page import run_example

SHOW_PICTURE = """
from IPython.display import Image
from base64 import b64decode
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""


@pytest.fixture(scope="module", autouse=True)
def _no_traces() -> None:
    set_tracing_disabled(True)


@pytest.fixture(scope="module")
def tools() -> Iterator[ClocheTools]:
    with ClocheTools(timeout=10) as tools:
        yield tools


def shell_call(*commands: str, **limits: int) -> Any:
    """What a model answers that uses its shell tool."""
    action = {"type": "exec", "commands": list(commands), **limits}
    name = uuid4().hex
    return {"type": "shell_call", "id": name, "call_id": name, "status": "completed", "action": action}


def run_agent(tools: list[Any], *calls: Any) -> RunResult:
    """The run of an agent whose model makes these calls, and is done."""
    model = ScriptedModel([*([each] for each in calls), [assistant_message("done")]])
    result = asyncio.run(Runner.run(Agent("coder", model=model, tools=tools), "Go."))
    assert result.final_output == "done"
    return result


def answers(result: RunResult) -> list[Any]:
    """What the tools have answered."""
    return [item.output for item in result.new_items if isinstance(item, ToolCallOutputItem)]


def test_the_shell_tool_says_how_each_command_ended(tools: ClocheTools) -> None:
    result = run_agent([tools.shell()], shell_call("cd /tmp; X=1; echo out; echo err >&2; exit 3", "pwd; echo [$X]"))
    (item,) = [cast("Any", item.raw_item) for item in result.new_items if isinstance(item, ToolCallOutputItem)]
    assert [(each["stdout"], each["stderr"], each["outcome"]) for each in item["output"]] == [
        ("out\n", "err\n", {"type": "exit", "exit_code": 3}),
        ("/workspace\n[]\n", "", {"type": "exit", "exit_code": 0}),
    ]


def test_the_shell_tool_obeys_the_limits_of_a_call(tools: ClocheTools) -> None:
    slow, short, long = answers(
        run_agent(
            [tools.shell()],
            shell_call("echo begun; sleep 60", "echo never", timeout_ms=3000),
            shell_call("seq 100000", max_output_length=50),
            shell_call("seq 100000"),
        )
    )
    assert "begun" in slow
    assert "status: timeout" in slow
    assert "never" not in slow
    assert len(short) == 50
    assert "characters left out" in long
    assert len(long) < 31_000


def test_the_older_shell_tool_has_variables_and_a_folder(tools: ClocheTools) -> None:
    action = LocalShellCallAction(
        command=["bash", "-c", 'echo "$LEAF"; pwd; exit 3'],
        env={"LEAF": "two words"},
        type="exec",
        working_directory="/tmp",
    )
    call = LocalShellCall(id="call", action=action, call_id="call", status="completed", type="local_shell_call")
    assert answers(run_agent([tools.local_shell()], call)) == ["two words\n/tmp\n[exit code 3]"]


def test_functions_are_for_all_models(tools: ClocheTools) -> None:
    calls = [
        function_call("run_python", {"code": "x = 41"}, call_id="1"),
        function_call("write_file", {"path": "a.txt", "content": "glass\n"}, call_id="2"),
        function_call("run_bash", {"command": "cat a.txt; exit 3"}, call_id="3"),
        function_call("run_python", '{"code": ', call_id="4"),
        function_call("read_file", {"path": "nowhere"}, call_id="5"),
        function_call("run_python", {"code": "x + 1"}, call_id="6"),
        function_call("run_python", {"code": SHOW_PICTURE}, call_id="7"),
    ]
    made, written, shell, unfit, missing, value, picture = answers(run_agent([*tools.functions()], *calls))
    assert (made, written, shell) == ("(no output)", "Wrote 6 bytes to a.txt.", "glass\n[exit code 3]")
    assert "not what this tool takes" in unfit
    assert "No such file or directory: '/workspace/nowhere'" in missing
    assert (value, picture) == ("42", "[A picture (image/png) was shown.]")
    (seen,) = answers(run_agent([*tools.functions(["run_python"], pictures=True)], calls[-1]))
    assert [each["type"] if isinstance(each, dict) else each.type for each in seen] == ["image"]


def test_a_lost_sandbox_is_an_error_for_the_model() -> None:
    with ClocheTools() as tools:
        shell = tools.shell()
    (told,) = answers(run_agent([shell], shell_call("echo")))
    assert "this adapter is closed" in told


def test_a_given_sandbox_stays_open() -> None:
    async def main() -> None:
        async with Sandbox() as box, ClocheTools(box) as tools:
            model = ScriptedModel([[shell_call("echo glass > leaf")], [assistant_message("done")]])
            await Runner.run(Agent("coder", model=model, tools=[tools.shell()]), "Go.")
            assert await box.read("leaf") == b"glass\n"

    asyncio.run(main())
    with SyncSandbox() as box:
        with ClocheTools(box) as tools:
            assert "glass" in answers(run_agent([tools.shell()], shell_call("echo glass")))[0]
        assert box.run("1").ok


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("openai_agents", ScriptedModel([[shell_call("bash --version")], [assistant_message("done")]]))
    assert capsys.readouterr().out == "done\n"
