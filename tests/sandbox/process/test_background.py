"""What calls leave running: it is listed, has a budget, and is in nobody's way for long."""

import anyio
import pytest

from cloche import Sandbox
from cloche.sandbox.process import background, call, engine_process
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(60)

BURNING = {
    "a job": ("bash", "while :; do :; done & echo begun"),
    "a subprocess": ("python", "import subprocess; p = subprocess.Popen('while :; do :; done', shell=True)"),
    "a task": (
        "python",
        "import asyncio\nasync def f():\n    while True: await asyncio.sleep(0)\nt = asyncio.ensure_future(f())",
    ),
    "a timer": (
        "python",
        "import asyncio\ndef f():\n    while True: pass\nt = asyncio.get_event_loop().call_later(0.1, f)",
    ),
}


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (background, call):
        monkeypatch.setattr(module, "BACKGROUND_CPU", 1.0)


async def until_stopped(box: Sandbox) -> None:
    with anyio.fail_after(30):
        while box.info.background:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.05)


@pytest.mark.parametrize(
    "name", ["a job", "a task", *(pytest.param(each, marks=pytest.mark.slow) for each in ("a subprocess", "a timer"))]
)
async def test_what_burns_a_processor_is_listed_and_stopped_at_its_budget(
    open_box: OpenBox, name: str, small_budget: None
) -> None:
    box = await open_box()
    language, code = BURNING[name]
    await box.run("kept = 1", check=True)
    await box.run(code, language=language, check=True)
    assert language in box.info.background
    await until_stopped(box)
    result = await box.run("kept", timeout=5)
    assert (result.value, result.state, result.timed_out) == ("1", "kept", False)
    assert result.notice is not None
    assert "1 s of a processor" in result.notice
    assert (await box.run("kept")).notice is None


@pytest.mark.slow
async def test_what_is_idle_lives_as_long_as_its_sandbox(open_box: OpenBox, small_budget: None) -> None:
    box = await open_box()
    await box.run(
        "import asyncio\nasync def serve():\n    await asyncio.sleep(1000)\nt = asyncio.ensure_future(serve())"
    )
    await box.bash("sleep 1000 &")
    assert [len(work) for work in box.info.background.values()] == [1, 1]
    assert "serve" in box.info.background["python"][0]
    for _ in range(10):
        assert (await box.run("sum(i for i in range(300_000)); t.done()", timeout=10)).value == "False"
    assert box.info.background["bash"] == ["sleep 1000"]
    await box.bash("kill %1")
    await box.run("t.cancel()")
    await until_stopped(box)


async def test_a_cell_does_not_stand_where_a_sleeping_program_does(open_box: OpenBox) -> None:
    box = await open_box()
    await box.run("import sys, os; kept = 1", check=True)
    sleeper = 'import time; open("begun", "w").close(); time.sleep(30)'
    await box.bash(f"mkdir /tmp/other; (cd /tmp/other; NAME=x python3 -c '{sleeper}' argument) &", check=True)
    await box.bash("until [ -e /tmp/other/begun ]; do sleep 0.05; done", check=True)
    seen = await box.run("('argument' in sys.argv, os.getcwd(), os.environ.get('NAME'), __import__('__main__').kept)")
    assert seen.value == "(False, '/workspace', None, 1)"
    assert box.info.background


SLEEPER = 'import time; open("/tmp/begun", "w").close(); time.sleep({})'


async def begin_sleeper(box: Sandbox, seconds: float) -> None:
    await box.bash(f"python3 -c '{SLEEPER.format(seconds)}' &", check=True)
    await box.bash("until [ -e /tmp/begun ]; do sleep 0.05; done", check=True)


async def test_folder_and_variables_of_a_call_are_not_those_of_a_sleeping_program(open_box: OpenBox) -> None:
    box = await open_box()
    await begin_sleeper(box, 30)
    await box.bash("mkdir /tmp/other", check=True)
    assert (await box.run("import os; os.getcwd()", cwd="/tmp/other")).value == "'/tmp/other'"
    await box.set_env({"NAME": "x"})
    assert (await box.run("os.environ.get('NAME')")).value == "'x'"


@pytest.mark.slow
async def test_a_program_that_ends_leaves_a_cell_its_interrupts(open_box: OpenBox) -> None:
    box = await open_box()
    await box.run("kept = 1", check=True)
    await begin_sleeper(box, 1)
    result = await box.run("import time; time.sleep(2.5)\nwhile True: pass", timeout=4)
    assert (result.timed_out, result.state) == (True, "kept")
    assert (await box.run("kept")).value == "1"


@pytest.mark.slow
async def test_a_task_with_a_context_of_its_own_has_the_same_budget(open_box: OpenBox, small_budget: None) -> None:
    box = await open_box()
    burning = "import asyncio, contextvars\nasync def f():\n    while True: await asyncio.sleep(0)\n"
    task = "t = asyncio.get_event_loop().create_task(f(), context=contextvars.Context())"
    await box.run(burning + task, check=True)
    assert box.info.background
    await until_stopped(box)


@pytest.mark.slow
async def test_a_call_behind_what_was_left_running_has_all_of_its_own_time(
    open_box: OpenBox, small_budget: None
) -> None:
    box = await open_box()
    language, code = BURNING["a timer"]
    await box.run(code.replace("0.1", "0"), language=language, check=True)
    result = await box.run("import time; time.sleep(0.3); 'on time'", timeout=3)
    assert (result.value, result.timed_out) == ("'on time'", False)
    assert result.notice is not None


@pytest.mark.slow
async def test_what_cannot_be_stopped_costs_the_process_and_is_reported(open_box: OpenBox, small_budget: None) -> None:
    box = await open_box()
    stubborn = "import asyncio, itertools, collections\ndef f(): collections.deque(itertools.repeat(0), maxlen=0)\n"
    await box.bash("mood=calm", check=True)
    await box.run(stubborn + "t = asyncio.get_event_loop().call_later(0, f)", check=True)
    result = await box.run("1 + 1", timeout=5)
    assert result.timed_out is False
    result = await box.run("1 + 1", timeout=5)
    assert result.value == "2"
    assert (await box.bash("echo $mood")).stdout == "calm\n"


async def test_the_next_result_says_that_stubborn_work_cost_the_variables(
    open_box: OpenBox, small_budget: None
) -> None:
    box = await open_box()
    stubborn = """
    async def f():
        while True:
            try: await asyncio.sleep(0)
            except asyncio.CancelledError: pass
    """
    await box.run(f"import asyncio\nkept = 1\nif True:{stubborn}\nt = asyncio.ensure_future(f())", check=True)
    await until_stopped(box)
    assert (await box.bash("echo here")).state == "kept"
    result = await box.run("'kept' in globals()", check=True)
    assert (result.value, result.state) == ("False", "lost")
    assert (await box.run("1", check=True)).state == "kept"


@pytest.mark.slow
async def test_what_a_later_call_leaves_running_is_not_taken_for_what_was_stopped(
    open_box: OpenBox, small_budget: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_process, "KILL_GRACE", 0.5)
    box = await open_box()
    await box.run("kept = 1\n" + BURNING["a task"][1], check=True)
    await until_stopped(box)
    await box.run("t = asyncio.ensure_future(asyncio.sleep(1000))", check=True)
    # Longer than the grace after which the process would be ended.
    await box.run("await asyncio.sleep(1.5)", check=True)
    result = await box.run("kept")
    assert (result.value, result.state) == ("1", "kept")


def test_names_of_stopped_work_write_no_lines_and_colours_into_the_notice() -> None:
    work = background.BackgroundMonitor()
    work.report({"python": ["\x1b[31mred\nWARNING forged"]})
    work.stopped("it was too much")
    assert work.take_notice() == (
        "what earlier calls had left running was stopped, because it was too much (python: [31mred WARNING forged)"
    )


def test_time_that_could_not_be_measured_is_not_counted() -> None:
    work = background.BackgroundMonitor()
    work.report({"python": ["a task"]})
    for total in (0.0, 500.0, 501.0, 0.0, 502.0):
        assert work.count(total, idle=True) is None
    assert work.seconds == 1.0
