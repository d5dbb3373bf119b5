"""What calls leave running, beside the calls that come after it: it has its budget, and takes nothing of their time."""

import anyio
import pytest

from cloche import Sandbox
from cloche.sandbox.process import background, call
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(120)

TASK = "import asyncio\nasync def f():\n    while True: await asyncio.sleep(0)\nt = asyncio.ensure_future(f())"
TIMERS = """
import asyncio, time
def f():
    end = time.monotonic() + 0.05
    while time.monotonic() < end: pass
    asyncio.get_event_loop().call_later(0.001, f)
f()
"""
LEFT = {
    "a job, beside Python": ("bash", "while :; do :; done & echo begun", "python"),
    "a job, beside bash": ("bash", "while :; do :; done & echo begun", "bash"),
    "a job of a child": ("python", "import os; os.system('while :; do :; done &')", "python"),
    "a subprocess": ("python", "import subprocess; p = subprocess.Popen('while :; do :; done', shell=True)", "python"),
    "a subprocess, beside bash": (
        "python",
        "import subprocess; p = subprocess.Popen('while :; do :; done', shell=True)",
        "bash",
    ),
    "a task, beside Python": ("python", TASK, "python"),
    "a task, beside bash": ("python", TASK, "bash"),
    "timers": ("python", TIMERS, "python"),
    "a program in Python": ("bash", "python3 -c 'while True: pass' & echo begun", "bash"),
    "a program in Python that rests": (
        "bash",
        "python3 -c 'import time\nwhile True:\n  sum(range(300000)); time.sleep(0.001)' & echo begun",
        "python",
    ),
    "a program in JavaScript": ("bash", "node -e 'setInterval(() => { for (let i = 0; i < 1e5; i++); }, 0)' &", "bash"),
    "a program in Lua": ("bash", "lua -e 'while true do end' & echo begun", "python"),
}
QUICK = (
    "a job, beside Python",
    "a subprocess, beside bash",
    "a task, beside Python",
    "a program in Python",
    "a program in Lua",
)
"""One of each kind; the others take as long."""
WAIT = {"python": "import asyncio; await asyncio.sleep(0.2); 'on time'", "bash": "sleep 0.2; echo on time"}


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (background, call):
        monkeypatch.setattr(module, "BACKGROUND_CPU", 1.0)


async def call_until_told(box: Sandbox, language: str) -> str:
    """Call again and again, without a pause, until a result says that something was stopped."""
    with anyio.fail_after(60):
        while True:
            result = await box.run(WAIT[language], language=language, timeout=10)
            assert (result.timed_out, result.state) == (False, "kept")
            assert "on time" in (result.value or result.stdout)
            if result.notice:
                return result.notice


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in LEFT])
async def test_what_burns_a_processor_beside_calls_is_stopped_at_its_budget(
    open_box: OpenBox, name: str, small_budget: None
) -> None:
    box = await open_box()
    language, code, beside = LEFT[name]
    await box.run("kept = 1", check=True)
    await box.run(code, language=language, check=True)
    assert box.info.background
    assert " 1 s " in await call_until_told(box, beside)
    with anyio.fail_after(30):
        while box.info.background:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.05)
    assert (await box.run("kept")).value == "1"


@pytest.mark.slow
async def test_what_is_idle_beside_calls_that_compute_is_not_stopped(open_box: OpenBox, small_budget: None) -> None:
    box = await open_box()
    await box.run("import asyncio; t = asyncio.ensure_future(asyncio.sleep(1000))", check=True)
    await box.bash("sleep 1000 &")
    await box.bash("node -e 'setTimeout(() => {}, 1000000)' &")
    for _ in range(10):
        assert (await box.run("sum(range(2_000_000)); t.done()", timeout=20)).value == "False"
        await box.bash("for i in {1..2000}; do :; done", timeout=20, check=True)
        # A pause in which the process rests: what calls used before is theirs.
        await anyio.sleep(0.1)
    assert len(box.info.background["bash"]) == 2


async def test_a_call_gets_back_what_a_job_took_of_its_time(open_box: OpenBox) -> None:
    box = await open_box()
    work = "for ((i = 0; i < 20000; i++)); do :; done; echo done"
    alone = (await box.bash(work, check=True)).duration
    await box.bash("for j in 1 2 3 4; do while :; do :; done & done")
    result = await box.bash(work, timeout=alone * 3)
    assert (result.timed_out, result.stdout) == (False, "done\n")


@pytest.mark.slow
async def test_a_call_gets_back_what_a_timer_took_of_its_time(open_box: OpenBox) -> None:
    box = await open_box()
    timer = "def f():\n    end = time.monotonic() + 3\n    while time.monotonic() < end: pass\n"
    await box.run("import asyncio, time\n" + timer + "h = asyncio.get_event_loop().call_later(0.4, f)", check=True)
    result = await box.run("await asyncio.sleep(0.8); 'on time'", timeout=2)
    assert (result.timed_out, result.value) == (False, "'on time'")


@pytest.mark.slow
async def test_code_that_computes_itself_gets_no_more_than_its_time(open_box: OpenBox) -> None:
    box = await open_box()
    await box.bash("sleep 1000 &")
    await box.run("import asyncio; t = asyncio.ensure_future(asyncio.sleep(1000))", check=True)
    result = await box.run("while True: pass", timeout=1)
    assert result.timed_out
    assert result.duration < 10


@pytest.mark.slow
@pytest.mark.parametrize("code", ["setInterval(() => {}, 1)", "setTimeout(() => {}, 1000000)"])
async def test_timers_of_a_cell_of_javascript_end_with_it(open_box: OpenBox, code: str) -> None:
    box = await open_box()
    assert (await box.run(code, language="javascript", timeout=1)).timed_out
    result = await box.run("1 + 1", language="javascript", timeout=10)
    assert (result.value, result.timed_out) == ("2", False)
