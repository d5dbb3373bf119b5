"""Runs the tasks of examples/tasks in a sandbox: what is typed prints what the page says."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from blockbuster import BlockBuster

from cloche import Sandbox

TASKS = Path(__file__).parent.parent.parent / "examples/tasks"
PAGES = {page.relative_to(TASKS).with_suffix("").as_posix(): page for page in sorted(TASKS.glob("*/*.md"))}
JOB_LINE = re.compile(r"^\[\d+\][-+]? .*\n", re.MULTILINE)
"""What the shell says of background jobs at a terminal, and not in a script."""
FENCE = re.compile(r"^```(sh|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLED = {"code/mend_test": "pytest"}
"""What a task finds installed."""
FETCHING = {"code/install_package", *INSTALLED}
"""Tasks that fetch packages from an index."""


class Call(NamedTuple):
    """What is typed at once, and what the terminal shows then."""

    typed: str
    printed: str


def read_calls(page: Path) -> list[Call]:
    """Take the calls from a page. A call without an output below it prints nothing."""
    calls: list[Call] = []
    for kind, text in FENCE.findall(page.read_text()):
        if kind == "sh":
            calls.append(Call(text, ""))
        else:
            calls[-1] = calls[-1]._replace(printed=text)
    return calls


@pytest.fixture(autouse=True)
def _quick_start(_unblocked_loop: BlockBuster) -> None:
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Runs all tasks on one event loop."""
    return "asyncio"


@pytest.fixture(scope="module")
async def box() -> AsyncIterator[Sandbox]:
    """One sandbox for all tasks: each has a folder of its own and a new shell."""
    async with Sandbox() as sandbox:
        yield sandbox


async def run_call(box: Sandbox, call: Call) -> str:
    """Type one call, and return what a terminal shows, with the exit code if it is not 0."""
    done = await box.bash(call.typed, timeout=60)
    code = f"[exit code {done.exit_code}]\n" if done.exit_code else ""
    return JOB_LINE.sub("", "".join(text for _, text in done.output)) + code


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "task", [pytest.param(name, marks=[pytest.mark.network] if name in FETCHING else []) for name in PAGES]
)
async def test_a_task_prints_what_its_page_says(box: Sandbox, task: str) -> None:
    await box.reset("bash")
    if task in INSTALLED:
        await box.bash(f"pip install -q {INSTALLED[task]}", check=True)
    await box.bash(f"mkdir -p ~/tasks/{task} && cd ~/tasks/{task}", check=True)
    for call in read_calls(PAGES[task]):
        assert await run_call(box, call) == call.printed, call.typed


def test_the_index_lists_every_task() -> None:
    listed = re.findall(r"\]\((\w+/\w+)\.md\)", (TASKS / "README.md").read_text())
    assert sorted(listed) == sorted(PAGES)


def test_every_task_shows_what_it_prints() -> None:
    for name, page in PAGES.items():
        assert any(call.printed for call in read_calls(page)), name
