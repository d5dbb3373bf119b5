"""Commands that take long: left running, polled, fed and stopped."""

import gc
from collections.abc import AsyncGenerator

import anyio.lowlevel
import msgspec
import pytest

from cloche.config import AppConfig
from cloche.config.app_config import SandboxConfig
from cloche.events import CmdOutputObservation, CmdRunAction, ErrorObservation, IPythonRunCellObservation
from cloche.runtime import Runtime
from cloche.runtime.actions.commands import RUNNING
from cloche.runtime.pyodide import PyodideRuntime
from cloche.sandbox.results.transcript import Transcript

QUICK = msgspec.structs.replace(AppConfig(), sandbox=SandboxConfig(no_change_timeout=0.4))


@pytest.fixture
async def runtime(prepared: object) -> AsyncGenerator[Runtime]:
    async with PyodideRuntime(QUICK) as runtime:
        # Where nothing is waited for, the start of bash is not either.
        await run(runtime, ":", blocking=True)
        yield runtime


@pytest.fixture
async def patient(prepared: object) -> AsyncGenerator[Runtime]:
    """Returns when a program asks or ends, however slow the machine is."""
    async with PyodideRuntime(AppConfig(sandbox=SandboxConfig(no_change_timeout=1000))) as runtime:
        yield runtime


async def run(
    runtime: Runtime, command: str, *, is_input: bool = False, blocking: bool = False
) -> CmdOutputObservation:
    done = await runtime.run(CmdRunAction(command, is_input=is_input, blocking=blocking), timeout=15)
    assert isinstance(done, CmdOutputObservation)
    return done


@pytest.mark.slow
async def test_a_silent_command_is_left_running_and_can_be_polled(runtime: Runtime) -> None:
    begun = await run(runtime, "echo one; sleep 1; echo two")
    assert (begun.content, begun.exit_code) == ("one\n", RUNNING)
    assert "no new output after 0.4 seconds" in begun.metadata.suffix
    later = await run(runtime, "")
    while later.exit_code == RUNNING:
        later = await run(runtime, "")
    assert (later.content, later.exit_code) == ("two\n", 0)
    assert later.metadata.prefix == "[Below is the output of the previous command.]\n"


async def test_the_machine_is_known_by_the_names_that_it_calls_itself(runtime: Runtime) -> None:
    said = await run(runtime, "whoami; hostname; which python3")
    metadata = said.metadata
    assert said.content.split() == [metadata.username, metadata.hostname, metadata.py_interpreter_path]


@pytest.mark.slow
async def test_what_a_command_printed_after_the_last_look_comes_with_the_next(runtime: Runtime) -> None:
    said = [await run(runtime, "sleep 1; echo late; touch seen")]
    while "seen" not in await runtime.list_files():
        await anyio.lowlevel.checkpoint()
    # At the first attempt the shell may still be about to end it.
    while said[-1].exit_code == RUNNING:
        said.append(await run(runtime, "echo next"))
    assert said[-1].content == "next\n"
    assert [text for each in said for text in (each.metadata.prefix, each.content) if "late" in text] != []


async def test_nothing_else_is_executed_while_a_command_runs(runtime: Runtime) -> None:
    await run(runtime, "sleep 60")
    refused = await run(runtime, "touch made")
    assert refused.exit_code == RUNNING
    assert 'Your command "touch made" is NOT executed. The previous command is' in refused.metadata.suffix
    cell = await runtime.run_ipython("open('made', 'w')")
    assert isinstance(cell, ErrorObservation)
    assert "still running" in cell.content
    assert await runtime.list_files() == []
    stopped = await run(runtime, "C-c", is_input=True)
    assert stopped.exit_code == 130
    assert "CTRL+C was sent" in stopped.metadata.suffix
    assert isinstance(await runtime.run_ipython("1"), IPythonRunCellObservation)


async def test_input_reaches_the_program_that_asks(patient: Runtime) -> None:
    asked = await run(patient, """python3 -c 'print("hello", input("name? "))'""")
    assert (asked.content, asked.exit_code) == ("name? ", RUNNING)
    answered = await run(patient, "Ada", is_input=True)
    assert (answered.content, answered.exit_code) == ("hello Ada\n", 0)


async def test_input_reaches_the_shell_that_asks(runtime: Runtime) -> None:
    asked = await run(runtime, "read -p 'Name? ' x; echo hi $x")
    assert (asked.content, asked.exit_code) == ("Name? ", RUNNING)
    answered = await run(runtime, "Ann", is_input=True)
    assert (answered.content, answered.exit_code) == ("hi Ann\n", 0)
    assert (await run(runtime, "echo $x")).content == "Ann\n"


async def test_a_question_is_reported_at_once_with_all_that_was_printed_before(patient: Runtime) -> None:
    asked = await run(patient, "seq 20000; read -p 'More? ' x; read -p 'Sure? ' y; echo $x $y")
    assert asked.content.endswith("19999\n20000\nMore? ")
    assert "waits for input" in asked.metadata.suffix
    again = await run(patient, "yes", is_input=True)
    assert (again.content, again.exit_code) == ("Sure? ", RUNNING)
    assert "waits for input" in again.metadata.suffix
    assert (await run(patient, "very", is_input=True)).content == "yes very\n"


async def test_an_empty_line_is_an_answer_too(patient: Runtime) -> None:
    await run(patient, "read -p 'Name? ' x; read -p 'Sure? ' y; echo [$x] [$y]")
    again = await run(patient, "", is_input=True)
    assert (again.content, again.exit_code) == ("Sure? ", RUNNING)
    assert (await run(patient, "", is_input=True)).content == "[] []\n"


@pytest.mark.parametrize(("key", "code"), [("C-d", 1), ("C-c", 130)])
async def test_a_shell_that_asks_can_be_stopped(runtime: Runtime, key: str, code: int) -> None:
    await run(runtime, "read -p 'Name? ' x || { echo none; false; }")
    ended = await run(runtime, key, is_input=True)
    assert (ended.content, ended.exit_code) == ("none\n" if key == "C-d" else "", code)
    assert (await run(runtime, "echo next")).content == "next\n"


async def test_what_is_typed_is_a_file_for_cat(runtime: Runtime) -> None:
    await run(runtime, "cat > typed.txt")
    await run(runtime, "one", is_input=True)
    await run(runtime, "two", is_input=True)
    assert (await run(runtime, "C-d", is_input=True)).exit_code == 0
    assert (await run(runtime, "cat typed.txt")).content == "one\ntwo\n"


async def test_a_question_is_open_as_long_as_the_shell_waits(runtime: Runtime) -> None:
    asked = await run(runtime, "read -t 0.3 x; echo $?")
    assert asked.exit_code == RUNNING
    late = await run(runtime, "")
    assert (late.content, late.exit_code) == ("142\n", 0)
    asked = await run(runtime, "read y; echo $y")
    assert asked.exit_code == RUNNING
    assert (await run(runtime, "Ann", is_input=True)).content == "Ann\n"


async def test_the_end_of_input_is_a_key(patient: Runtime) -> None:
    await run(patient, "python3 -c 'input()'")
    ended = await run(patient, "C-d", is_input=True)
    assert ended.exit_code == 1
    assert "EOFError" in ended.content


@pytest.mark.slow
async def test_a_blocking_command_is_waited_for(runtime: Runtime) -> None:
    done = await run(runtime, "sleep 1; echo done", blocking=True)
    assert (done.content, done.exit_code) == ("done\n", 0)


@pytest.mark.parametrize(("command", "is_input"), [("", False), ("y", True), ("C-c", True)])
async def test_without_a_running_command_there_is_nothing_to_wait_for(
    runtime: Runtime, command: str, is_input: bool
) -> None:
    done = await run(runtime, command, is_input=is_input)
    assert done.exit_code == RUNNING
    assert done.content.startswith("ERROR: No previous running command to ")


@pytest.mark.slow
async def test_commands_in_the_background_do_not_hold_up_the_shell(runtime: Runtime) -> None:
    begun = await run(runtime, "(sleep 1; echo finished > done.txt) & echo begun")
    assert (begun.content.strip().splitlines()[-1], begun.exit_code) == ("begun", 0)
    assert (await run(runtime, "wait; cat done.txt", blocking=True)).content.endswith("finished\n")


async def test_several_commands_in_one_action_are_fine(runtime: Runtime) -> None:
    done = await run(runtime, "echo one\necho two\nfor i in 3; do echo $i; done")
    assert done.content == "one\ntwo\n3\n"


@pytest.mark.slow
async def test_output_is_recorded_once(runtime: Runtime) -> None:
    before = count_records()
    await runtime.run("echo begun; sleep 60", timeout=1)
    assert count_records() == before + 1
    await runtime.run(CmdRunAction("C-c", is_input=True))


def count_records() -> int:
    gc.collect()
    return sum(isinstance(each, Transcript) for each in gc.get_objects())
