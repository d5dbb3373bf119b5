"""Processes are started from a thread that lives as long as the program, and get nothing they are not given."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import anyio
import pytest

from cloche import Sandbox
from cloche.sandbox.cache import snapshots
from cloche.sandbox.process.spawn import ChildProcess, run_in_spawner, start_child

LIMIT = 10
"""Seconds to wait for anything."""


def run(code: str, pass_fds: tuple[int, ...] = (), env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a piece of Python to its end; gives its exit code and what it wrote to stderr."""
    child = start_child([sys.executable, "-I", "-c", code], env or {}, pass_fds)
    assert child.stderr is not None
    with child.stderr:
        said = child.stderr.read().decode()
    return ended(child), said


def ended(child: ChildProcess) -> int:
    deadline = time.monotonic() + LIMIT
    while (code := child.poll()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return code


def test_a_child_gets_its_environment_and_reports_how_it_ended() -> None:
    code = "import os, sys; print(sorted(os.environ.items()), file=sys.stderr); sys.exit(3)"
    env = {"A": "1", "B": "x=y ä", "LC_ALL": "C.UTF-8"}
    assert run(code, env=env) == (3, f"{sorted(env.items())}\n")
    assert run("import os; os.kill(os.getpid(), 9)") == (-signal.SIGKILL, "")


def test_a_child_leads_a_session_of_its_own() -> None:
    code = "import os, sys; print(os.getsid(0) == os.getpid(), sys.stdin.read() == '', file=sys.stderr)"
    assert run(code) == (0, "True True\n")


def test_a_child_does_not_ignore_what_python_ignores() -> None:
    child = start_child(["/bin/sh", "-c", "exec grep SigIgn /proc/self/status >&2"], {"PATH": os.defpath}, ())
    assert child.stderr is not None
    with child.stderr:
        ignored = int(child.stderr.read().split()[1], 16)
    assert ended(child) == 0
    assert [ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ)] == [0, 0]


def test_a_child_gets_the_descriptors_it_is_given_and_no_others(tmp_path: Path) -> None:
    given, kept = os.memfd_create("given"), os.memfd_create("kept")
    # As a library in C would open one.
    os.set_inheritable(kept, True)
    high = os.dup2(kept, 200)
    try:
        code = (
            "import os, sys; print(*(n for n in range(300) if os.path.exists(f'/proc/self/fd/{n}')), file=sys.stderr)"
        )
        assert run(code, (given,)) == (0, f"0 1 2 {given}\n")
        assert not os.get_inheritable(given)
    finally:
        for fd in (given, kept, high):
            os.close(fd)


def test_a_program_that_is_not_there_is_reported_and_leaves_no_descriptor(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(FileNotFoundError, match="none"):
        start_child([str(tmp_path / "none")], {}, ())
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_one_thread_starts_all_and_survives_what_fails() -> None:
    seen: list[threading.Thread] = []

    def fail() -> None:
        seen.append(threading.current_thread())
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_spawner(fail).result(LIMIT)
    run_in_spawner(lambda: seen.append(threading.current_thread())).result(LIMIT)
    assert seen[0] is seen[1]
    assert seen[0].daemon


FORKED = """
import os, sys, threading
from cloche.sandbox.process.spawn import run_in_spawner
names = []
run_in_spawner(lambda: names.append(threading.current_thread().name)).result(5)
child = os.fork()
if child == 0:
    run_in_spawner(lambda: None).result(5)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), names)
"""


def test_a_fork_starts_a_thread_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout, done.stderr) == ("7 ['cloche-spawner']\n", "")


def test_sandboxes_of_one_loop_outlive_it_in_no_other(prepared: snapshots.PreparedStart) -> None:
    """Two loops, one after the other: the thread that started the first sandbox is there for the second too."""

    async def use() -> str | None:
        async with Sandbox() as box:
            return (await box.run("6 * 7")).value

    assert [anyio.run(use), anyio.run(use)] == ["42", "42"]


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_many_starts_at_once_take_turns(prepared: snapshots.PreparedStart) -> None:
    values: list[str | None] = []

    async def use() -> None:
        async with Sandbox() as box:
            values.append((await box.run("6 * 7")).value)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(use)
    assert values == ["42"] * 8


WATCHED = """
import sys, threading
STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn")
seen = []
sys.addaudithook(lambda event, _: event in STARTS and seen.append(threading.current_thread().name))
import anyio, cloche

async def use():
    async with cloche.Sandbox() as box:
        await box.run("6 * 7", check=True)

async def main():
    async with anyio.create_task_group() as tasks:
        for _ in range(3): tasks.start_soon(use)

anyio.run(main)
print(seen.count("MainThread"))
"""


@pytest.mark.timeout(60)
def test_the_thread_of_the_loop_starts_no_process(prepared: snapshots.PreparedStart) -> None:
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, timeout=50)
    assert (done.stdout, done.stderr) == ("0\n", "")
