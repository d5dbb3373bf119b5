"""The interrupt ladder: what stops, how soon, and what is left afterwards."""

from contextlib import suppress
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from cloche import Result, Sandbox, Text
from cloche.errors import SandboxUnavailable
from tests.sandbox.conftest import OpenBox

SOON = 2.0
"""Seconds a stopped call may take on a busy machine; the benchmarks measure the real time."""

SOFT = {
    "a loop": "while True: pass",
    "a sleep": "import time\ntime.sleep(60)",
    "asyncio": "import asyncio\nawait asyncio.sleep(60)",
    "asyncio.run": "import asyncio\nasyncio.run(asyncio.sleep(60))",
    "tasks": "import asyncio\nawait asyncio.gather(*(asyncio.sleep(60) for _ in range(5)))",
    "a regular expression": "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "a subprocess": "import subprocess\nsubprocess.run(['sleep', '60'])",
    "os.system": "import os\nos.system('while true; do :; done')",
    "a shell escape": "!sleep 60",
    "nested Python": "import os\nos.system('python3 -c \"while True: pass\"')",
    "prints": "while True: print('x' * 1000)",
    "a generator": "sum(i for i in iter(int, 1))",
    "a finally": "try:\n    while True: pass\nfinally:\n    cleaned = True",
}


async def stopped(box: Sandbox, code: str, language: str = "python") -> Result:
    """The result of code that has to be stopped by its time limit."""
    with anyio.fail_after(15):
        result = await box.run(code, language=language, timeout=0.3)
    assert result.timed_out
    assert result.duration < 0.3 + SOON
    return result


@pytest.mark.parametrize("name", SOFT)
async def test_code_can_be_stopped_and_its_variables_stay(box: Sandbox, name: str) -> None:
    await box.run("x = 41", check=True)
    await box.bash("y=5", check=True)
    result = await stopped(box, SOFT[name])
    assert result.state == "kept"
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert result.exit_code == 130
    assert (await box.run("x + 1", check=True)).value == "42"
    assert (await box.bash("echo $y", check=True)).stdout == "5\n"
    assert (await box.run("import time\ntime.sleep(0.01)\n!echo on", check=True)).stdout == "on\n"


async def test_a_question_can_be_interrupted(box: Sandbox) -> None:
    await box.run("x = 1", check=True)

    async def silence(prompt: str) -> str:
        await anyio.sleep_forever()
        return ""

    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run("input('?')", on_input=silence, timeout=None))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.sleep(0.2)
            assert await box.interrupt()
        assert results[0].state == "kept"
        assert results[0].error is not None
        assert results[0].error.type == "KeyboardInterrupt"
        assert (await box.run("x", check=True)).value == "1"


@pytest.mark.parametrize(
    "command",
    [
        "while true; do :; done",
        "sleep 60",
        "for i in 1 2 3; do sleep 60; done",
        "yes > /dev/null",
        "sleep 60 | cat",
        "f() { f; }; while true; do echo x; done",
        "x=$(while true; do :; done)",
        "python3 -c 'while True: pass'",
        "python3 -c 'import time; time.sleep(60)'",
        "sleep 60 & wait",
        "seq 1 1000000000 | sort",
    ],
)
async def test_a_command_can_be_stopped_and_the_shell_stays(box: Sandbox, command: str) -> None:
    await box.bash("y=5; cd /tmp", check=True)
    await box.run("x = 1", check=True)
    result = await stopped(box, command, "bash")
    assert result.state == "kept"
    assert result.exit_code == 130
    assert (await box.bash("echo $y $PWD", check=True)).stdout == "5 /tmp\n"
    assert (await box.run("x", check=True)).value == "1"


@pytest.mark.parametrize(
    "code",
    [
        "import itertools, collections\ncollections.deque(itertools.repeat(0), maxlen=0)",
        "import itertools\nsum(itertools.repeat(1))",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    ],
    ids=["a C loop", "a sum", "code that swallows every interrupt"],
)
@pytest.mark.slow
async def test_what_cannot_be_stopped_is_replaced(box: Sandbox, code: str) -> None:
    await box.run("x = 1\nopen('kept', 'w').write('here')", check=True)
    await box.bash("y=5", check=True)
    with anyio.fail_after(15):
        result = await box.run("print('begun', flush=True)\n" + code, timeout=0.3)
    assert result.timed_out
    assert result.state == "lost"
    assert result.duration < 0.3 + 1 + SOON
    assert result.error is not None
    assert "variables are gone, files are kept" in result.error.message
    assert result.stdout == "begun\n"
    after = await box.run("'x' in globals(), open('kept').read()", check=True)
    assert after.value == "(False, 'here')"
    assert after.state == "kept"
    assert (await box.bash("echo $y", check=True)).stdout == "5\n"


async def test_a_keyboard_interrupt_that_is_swallowed_once_still_ends_the_call(box: Sandbox) -> None:
    await box.run("1", check=True)
    code = "x = 1\ntry:\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')"
    with anyio.fail_after(10):
        result = await box.run(code, timeout=0.3)
    assert (result.timed_out, result.state, result.stdout) == (True, "kept", "caught\n")
    assert (await box.run("x")).value == "1"


async def test_interrupt_stops_the_running_call(box: Sandbox) -> None:
    with anyio.fail_after(10):
        async for event in box.stream(
            "x = 1\nimport time\ndef spin():\n    print('on')\n    while True: time.sleep(0.01)\nspin()", timeout=None
        ):
            if isinstance(event, Text):
                assert await box.interrupt() is True
            if isinstance(event, Result):
                assert event.error is not None
                assert event.error.type == "KeyboardInterrupt"
                assert event.error.line in (4, 5)
                assert (event.timed_out, event.state) == (False, "kept")
        assert (await box.run("x")).value == "1"


async def test_interrupt_leaves_the_calls_that_wait_alone(box: Sandbox) -> None:
    await box.run("1", check=True)
    results: list[Result] = []

    async def call(code: str) -> None:
        results.append(await box.run(code, timeout=None))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(call, "while True: pass")
            await anyio.lowlevel.checkpoint()
            group.start_soon(call, "'second'")
            await anyio.sleep(0.2)
            assert await box.interrupt()
    assert [result.value for result in results] == [None, "'second'"]


async def test_an_interrupt_is_not_left_for_the_next_call(box: Sandbox) -> None:
    await box.run("1", check=True)
    with anyio.fail_after(15):
        for _ in range(20):
            async with anyio.create_task_group() as group:
                group.start_soon(box.run, "sum(range(20000))")
                await anyio.sleep(0.002)
                await box.interrupt()
            result = await box.run("sum(range(200000))")
            assert (result.value, result.state) == ("19999900000", "kept")
            assert not (await box.bash("for i in 1 2 3; do :; done")).exit_code


@pytest.mark.parametrize("language", ["python", "bash"])
async def test_an_interrupt_before_the_code_has_begun_stops_it_and_keeps_variables(box: Sandbox, language: str) -> None:
    loop, keep, kept = ("while True: pass", "x = 1", "print(x)") if language == "python" else LOOP_IN_BASH
    await box.run(keep, language=language)
    results: list[Result] = []
    for _ in range(5):
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_put, results, box, loop, language)
                while not await box.interrupt():
                    await anyio.lowlevel.checkpoint()
        assert results[-1].state == "kept"
    assert (await box.run(kept, language=language)).stdout == "1\n"


LOOP_IN_BASH = ("while :; do :; done", "x=1", "echo $x")


async def _put(results: list[Result], box: Sandbox, code: str, language: str) -> None:
    results.append(await box.run(code, language=language, timeout=10))


async def test_two_interrupts_are_no_more_than_one(box: Sandbox) -> None:
    await box.run("x = 1", check=True)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(box.run, "while True: pass")
            await anyio.sleep(0.2)
            await box.interrupt()
            await box.interrupt()
        assert (await box.run("x")).value == "1"


async def test_a_time_limit_right_after_a_reset_costs_nothing_but_that_call(box: Sandbox) -> None:
    await box.bash("y=5", check=True)
    with anyio.fail_after(15):
        await box.reset()
        assert (await box.run("while True: pass", timeout=0.05)).timed_out
        assert (await box.run("1 + 1", check=True)).value == "2"
        assert (await box.bash("echo $y", check=True)).stdout == "5\n"


@pytest.mark.slow
async def test_the_process_goes_when_nothing_else_helps(open_box: OpenBox, monkeypatch: pytest.MonkeyPatch) -> None:
    box = await open_box()
    await box.write("kept", "here")
    await box.run("1", check=True)
    process = getattr(box, "_process")  # noqa: B009 - an engine that hears no interrupt has to be made
    send = process.send

    def deaf(message: dict[str, Any]) -> None:
        if message["op"] != "interrupt":
            send(message)

    monkeypatch.setattr(process, "send", deaf)
    with anyio.fail_after(15):
        result = await box.run("while True: pass", timeout=0.1)
        assert (result.timed_out, result.state, result.exit_code) == (True, "lost", 137)
        assert result.duration < 6
        assert (await box.run("open('kept').read()", check=True)).value == "'here'"


@pytest.mark.parametrize(
    ("body", "state"), [("while True: pass", "kept"), ("sum(range(10**11))", "lost")], ids=["bytecode", "C"]
)
@pytest.mark.slow
async def test_a_completion_that_hangs_is_stopped_and_the_sandbox_goes_on(
    body: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.sandbox.sandbox.QUERY_TIMEOUT", 0.5)
    async with Sandbox() as box:
        await box.run(f"class Slow:\n    def __dir__(self):\n        {body}\nslow = Slow(); kept = 1")
        with anyio.fail_after(10), suppress(SandboxUnavailable):
            completion = await box.complete("slow.")
            assert state == "kept"
            assert completion.matches == []
        after = await box.run("kept")
        assert (after.value, after.state) == ("1" if state == "kept" else None, state)


async def test_a_call_after_a_completion_that_nobody_waits_for_is_not_held_up_by_it(box: Sandbox) -> None:
    await box.run("class Slow:\n    def __dir__(self):\n        while True: pass\nslow = Slow(); kept = 1", check=True)
    for _ in range(3):
        with anyio.move_on_after(0.2) as scope:
            await box.complete("slow.")
        assert scope.cancelled_caught
        after = await box.run("kept", timeout=5)
        assert (after.value, after.state, after.timed_out) == ("1", "kept", False)
