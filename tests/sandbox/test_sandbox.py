"""The sandbox as a Python program sees it: options, order, streaming, limits, information."""

import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

import cloche
from cloche import CodeError, CodeTimeout, ConfigError, Mount, Result, Sandbox, SandboxUnavailable, Text
from cloche.sandbox.languages import languages
from tests.sandbox.conftest import OpenBox


async def test_calls_queue_in_order(box: Sandbox) -> None:
    await box.run("seen = []", check=True)
    order: list[int] = []

    async def call(number: int) -> None:
        await box.run(f"import time\nseen.append({number})\ntime.sleep(0.01)", check=True)
        order.append(number)

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(call, number)
            await anyio.lowlevel.checkpoint()
    assert order == [0, 1, 2, 3, 4]
    assert (await box.run("seen")).value == "[0, 1, 2, 3, 4]"


async def test_an_event_arrives_before_the_run_ends(box: Sandbox) -> None:
    code = "import os, time\nprint('begun')\nwhile not os.path.exists('go'):\n    time.sleep(0.005)\nprint('seen')"
    texts: list[str] = []
    with anyio.fail_after(10):
        async for event in box.stream(code):
            if isinstance(event, Text):
                texts.append(event.text)
                await box.write("go", "")
            else:
                assert isinstance(event, Result)
                assert event.stdout == "begun\nseen\n"
    assert texts == ["begun\n", "seen\n"]


async def test_bash_streams_line_by_line_too(box: Sandbox) -> None:
    command = "echo begun; until [ -e go ]; do sleep 0.01; done; echo seen"
    texts: list[str] = []
    with anyio.fail_after(10):
        async for event in box.stream(command, language="bash"):
            if isinstance(event, Text):
                texts.append(event.text)
                await box.write("go", "")
    assert texts == ["begun\n", "seen\n"]


async def test_streamed_events_come_in_the_order_they_happened(box: Sandbox) -> None:
    code = "import sys\nprint('a')\ndisplay('b')\nprint('c', file=sys.stderr)\nprint('d')\n'e'"
    kinds = [type(event).__name__ + getattr(event, "stream", "") async for event in box.stream(code)]
    assert kinds == ["Textstdout", "Shown", "Textstderr", "Textstdout", "Result"]


async def test_leaving_a_stream_early_stops_the_code(box: Sandbox) -> None:
    with anyio.fail_after(10):
        events = box.stream("x = 1\nprint('begun')\nwhile True: pass", timeout=None)
        async for _ in events:
            break
        await events.aclose()
        assert (await box.run("x")).value == "1"


async def test_cancelling_a_call_stops_the_code(box: Sandbox) -> None:
    with anyio.fail_after(10):
        with anyio.move_on_after(0.3) as scope:
            await box.run("x = 1\nwhile True: pass", timeout=None)
        assert scope.cancelled_caught
        assert (await box.run("x")).value == "1"


async def test_a_call_that_waits_for_its_turn_can_be_cancelled(box: Sandbox) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(box.run, "import time\ntime.sleep(0.3)\ndone = 1")
        await anyio.lowlevel.checkpoint()
        with anyio.move_on_after(0.05):
            await box.run("done = 2")
    assert (await box.run("done")).value == "1"


async def test_check_raises_with_the_result(box: Sandbox) -> None:
    with pytest.raises(CodeError, match="ZeroDivisionError: division by zero in line 2") as caught:
        await box.run("print('before')\n1/0", check=True)
    assert caught.value.result.stdout == "before\n"
    assert not isinstance(caught.value, CodeTimeout)
    with pytest.raises(CodeTimeout, match="stopped after 0") as late:
        await box.run("while True: pass", timeout=0.1, check=True)
    assert late.value.result.timed_out


async def test_reset_gives_a_fresh_interpreter_and_keeps_files_and_shell(box: Sandbox) -> None:
    await box.run("x = 1\nopen('kept', 'w').write('here')", check=True)
    await box.bash("y=2", check=True)
    await box.reset()
    result = await box.run("x")
    assert result.error is not None
    assert result.error.type == "NameError"
    assert (await box.run("open('kept').read()")).value == "'here'"
    assert (await box.bash("echo $y")).stdout == "2\n"


async def test_reset_waits_for_its_turn(box: Sandbox) -> None:
    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run("import time\ntime.sleep(0.2)\n'done'"))

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await anyio.lowlevel.checkpoint()
        await box.reset()
    assert (results[0].value, results[0].state) == ("'done'", "kept")


async def test_environment_variables_reach_every_language(open_box: OpenBox) -> None:
    box = await open_box(env={"LEAF": "green", "EMPTY": ""})
    code = "import os\nos.environ['LEAF'], os.environ['EMPTY'], os.environ.get('STEM')"
    assert (await box.run(code)).value == "('green', '', None)"
    assert (await box.bash('echo "$LEAF"')).stdout == "green\n"
    await box.set_env({"STEM": "long", "LEAF": "red"})
    assert (await box.run(code)).value == "('red', '', 'long')"
    assert (await box.bash("echo $STEM $LEAF")).stdout == "long red\n"
    assert (await box.bash("python3 -c 'import os; print(os.environ[\"STEM\"])'")).stdout == "long\n"
    await box.reset()
    await box.reset("bash")
    assert (await box.run(code)).value == "('red', '', 'long')"
    assert (await box.bash("echo $STEM")).stdout == "long\n"


async def test_the_environment_survives_the_death_of_the_process(open_box: OpenBox) -> None:
    box = await open_box()
    await box.set_env({"STEM": "long"})
    await kill(box)
    assert (await box.run("1")).state == "lost"
    assert (await box.run("import os\nos.environ['STEM']")).value == "'long'"


async def kill(box: Sandbox) -> None:
    """Ends the engine behind the sandbox's back, and waits until it is gone."""
    engine = getattr(box, "_process")  # noqa: B009 - the test reaches for what is private
    os.killpg(getattr(engine, "_process").pid, 9)  # noqa: B009 - as above
    while engine.lost is None:  # noqa: ASYNC110 - no event
        await anyio.sleep(0.01)


async def test_a_sandbox_whose_process_died_starts_another(open_box: OpenBox) -> None:
    box = await open_box()
    await box.write("kept", "here")
    events: list[object] = []
    with anyio.fail_after(10):
        async for event in box.stream("print('on', flush=True)\nwhile True: pass"):
            events.append(event)
            if isinstance(event, Text):
                await kill(box)
        result = events[-1]
        assert isinstance(result, Result)
        assert result.error is not None
        assert (result.error.type, result.state, result.exit_code) == ("SandboxLost", "lost", 137)
        assert result.stdout == "on\n"
        assert (await box.run("open('kept').read()")).value == "'here'"


@pytest.mark.slow
async def test_every_verb_works_after_the_process_died(fresh: Sandbox) -> None:
    with anyio.fail_after(15):
        for act in (lambda: fresh.reset(), lambda: fresh.complete("pri"), lambda: fresh.set_env({"A": "1"})):
            await kill(fresh)
            await act()
            assert (await fresh.run("1 + 1", check=True)).value == "2"


async def test_a_closed_sandbox_says_so(open_box: OpenBox) -> None:
    box = await open_box()
    await box.close()
    await box.close()
    for act in (
        box.run("1"),
        box.bash("true"),
        box.reset(),
        box.read("x"),
        box.write("x", ""),
        box.complete("a"),
        box.set_env({}),
    ):
        with pytest.raises(SandboxUnavailable, match="closed"):
            await act
    with pytest.raises(SandboxUnavailable):
        _ = box.info
    assert await box.interrupt() is False


async def test_closing_ends_a_running_call(open_box: OpenBox) -> None:
    box = await open_box()
    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run("while True: pass", timeout=None))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.sleep(0.2)
            await box.close()
    assert results[0].state == "lost"


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"languages": ["pyton"]}, "Did you mean 'python'"),
        ({"languages": ["cobol"]}, "Known: python, bash"),
        ({"memory_mb": 1}, "from 64 to 4096"),
        ({"memory_mb": 5000}, "from 64 to 4096"),
        ({"memory_mb": 100.5}, "from 64 to 4096"),
        ({"workspace": "/no/such/folder"}, "make it first"),
        ({"mounts": [Mount("/no/such/folder")]}, "make the folder or correct the path"),
        ({"mounts": [Mount("/proc")]}, "mount a folder of files"),
        ({"confinement": "sometimes"}, "auto"),
        ({"timeout": -1}, "seconds"),
        ({"timeout": 0}, "seconds"),
        ({"output_limit": -5}, "output_limit"),
        ({"env": {"A=B": "x"}}, "A=B"),
        ({"env": {"A": "x\0y"}}, "A"),
    ],
)
async def test_wrong_options_are_refused_with_advice(prepared: object, options: dict[str, Any], advice: str) -> None:
    with anyio.fail_after(10), pytest.raises(ConfigError) as caught:
        async with Sandbox(**options):
            pass
    assert advice in str(caught.value)


async def test_wrong_arguments_are_refused_with_advice(box: Sandbox) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'python'"):
        await box.run("1", language="phyton")
    with pytest.raises(ConfigError, match="seconds"):
        await box.run("1", timeout=0)
    with pytest.raises(ConfigError, match="text"):
        await box.run(b"1")  # pyright: ignore[reportArgumentType] - that is the point
    with pytest.raises(ConfigError, match="file of the sandbox"):
        await box.run("1", stdin=b"x" * (9 << 20))
    with pytest.raises(ConfigError, match="file"):
        await box.run("#" + "x" * (20 << 20))
    assert (await box.run("1 + 1")).value == "2"


async def test_a_timeout_keeps_what_was_printed_and_the_variables(box: Sandbox) -> None:
    await box.run("1", check=True)
    code = "x = 5\nprint('begun')\nimport sys\nsys.stdout.write('no newline')\nwhile True: pass"
    result = await box.run(code, timeout=0.3)
    assert result.timed_out
    assert not result.ok
    assert result.stdout == "begun\nno newline"
    assert (result.state, result.value) == ("kept", None)
    assert 0.3 <= result.duration < 3
    assert (await box.run("x")).value == "5"


@pytest.mark.slow
async def test_the_time_limit_of_the_sandbox_is_the_default(open_box: OpenBox) -> None:
    box = await open_box(timeout=0.2)
    assert (await box.run("while True: pass")).timed_out
    assert not (await box.run("import time\ntime.sleep(0.4)", timeout=None)).timed_out
    assert not (await box.run("time.sleep(0.4)", timeout=5)).timed_out
    assert (await box.run("x = 1\nwhile True: pass", language="python", timeout=0.1)).duration < 3


async def test_the_time_that_the_caller_takes_to_answer_does_not_count(box: Sandbox) -> None:
    async def answer(prompt: str) -> str:
        await anyio.sleep(0.5)
        return "late"

    await box.run("1", check=True)
    result = await box.run("input('?')", on_input=answer, timeout=0.4)
    assert (result.value, result.timed_out) == ("'late'", False)


async def test_information_has_versions_memory_and_layers(box: Sandbox) -> None:
    info = box.info
    assert info.versions["cloche"] == "0.1.0"
    assert info.versions["deno"] == importlib.metadata.version("deno")
    assert info.versions["python"].startswith(languages()["python"].version)
    assert "bash" in info.versions
    assert 30 << 20 < info.memory_bytes < 2 << 30
    assert info.memory_limit_mb == 512
    assert [layer.name for layer in info.layers] == ["wasm", "javascript", "deno", "system", "limits"]
    assert all(layer.holds for layer in info.layers)
    assert [folder.target for folder in info.folders] == ["/workspace", "/tmp", "/home/user"]


async def test_without_confinement_the_layers_say_so(open_box: OpenBox) -> None:
    box = await open_box(confinement="none")
    system = next(layer for layer in box.info.layers if layer.name == "system")
    assert not system.holds
    assert (await box.run("1 + 1")).value == "2"


async def test_too_much_output_keeps_head_and_tail(open_box: OpenBox) -> None:
    box = await open_box(output_limit=1000)
    result = await box.run("for i in range(10000): print(i)", check=True)
    assert result.truncated
    assert result.stdout.startswith("0\n1\n2\n")
    assert result.stdout.endswith("9998\n9999\n")
    assert "characters left out" in result.stdout
    assert len(result.stdout) < 1100
    assert "".join(text for _, text in result.output) == result.stdout
    small = await box.run("print('x')", check=True)
    assert not small.truncated


async def test_memory_beyond_the_limit_is_a_memory_error(open_box: OpenBox) -> None:
    box = await open_box(memory_mb=128)
    result = await box.run("x = 1\nparts = []\nwhile True: parts.append(bytearray(4 << 20))")
    assert result.error is not None
    assert (result.error.type, result.state) == ("MemoryError", "kept")
    assert (await box.run("count = len(parts)\ndel parts\nx, 5 < count < 32", check=True)).value == "(1, True)"
    assert (await box.run("y = bytearray(16 << 20)\nlen(y)", check=True)).value == str(16 << 20)


async def test_a_workspace_of_the_host_is_used_as_it_is(open_box: OpenBox, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("from the host")
    box = await open_box(workspace=tmp_path)
    assert (await box.run("open('given.txt').read()")).value == "'from the host'"
    await box.bash("echo made > made.txt", check=True)
    await box.close()
    assert (tmp_path / "made.txt").read_text() == "made\n"
    assert (tmp_path / "given.txt").exists()


async def test_only_bash_can_be_started_first(open_box: OpenBox) -> None:
    box = await open_box(languages=["bash"])
    assert (await box.bash("echo hi")).stdout == "hi\n"
    assert (await box.run("1 + 1")).value == "2"


async def test_no_language_has_to_be_started_first(open_box: OpenBox) -> None:
    box = await open_box(languages=[])
    assert (await box.run("1 + 1")).value == "2"


@pytest.mark.slow
async def test_many_sandboxes_live_side_by_side(open_box: OpenBox) -> None:
    first, second = await open_box(), await open_box()
    await first.run("x = 1\nopen('/tmp/f', 'w').write('first')", check=True)
    result = await second.run("x")
    assert result.error is not None
    assert (await second.run("import os\nos.path.exists('/tmp/f')")).value == "False"
    assert (await first.run("x")).value == "1"


async def test_interrupt_says_whether_something_ran(box: Sandbox) -> None:
    assert await box.interrupt() is False


async def test_duration_is_in_seconds(box: Sandbox) -> None:
    began = time.monotonic()
    result = await box.run("import time\ntime.sleep(0.2)")
    assert 0.2 <= result.duration <= time.monotonic() - began


def test_the_public_names_are_these() -> None:
    assert cloche.__all__ == sorted(cloche.__all__)
    assert {"Sandbox", "SyncSandbox", "run", "Result", "Mount", "CodeError"} <= set(cloche.__all__)
    assert all(getattr(cloche, name) is not None for name in cloche.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(cloche, "no_such_name")  # noqa: B009 - pyright knows that it is not there


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_many_sandboxes_start_at_once_in_a_new_program() -> None:
    program = """
import anyio
from cloche import Sandbox

async def one(values):
    async with Sandbox() as box:
        values.append((await box.run("6 * 7")).value)

async def main():
    values = []
    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(one, values)
    print(values)

anyio.run(main)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)
    assert (done.stdout, done.stderr) == (f"{['42'] * 6}\n", "")
