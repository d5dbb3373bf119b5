"""The sandbox for scripts that are not async."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import anyio
import pytest

import cloche
from cloche import (
    CodeError,
    CodeTimeout,
    ConfigError,
    Mount,
    Result,
    Sandbox,
    SandboxUnavailable,
    Shown,
    SyncSandbox,
    Text,
)
from cloche.sandbox.loop_thread import LoopThread


def test_all_verbs_are_there(prepared: object, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("from the host")
    (tmp_path / "m").mkdir()
    with SyncSandbox(env={"LEAF": "green"}, mounts=[Mount(tmp_path / "m", "/mnt/m")]) as box:
        box.run("x = 41")
        result = box.run("x + 1", check=True)
        assert (result.value, result.ok) == ("42", True)
        assert box.bash("echo $LEAF", check=True).stdout == "green\n"
        box.write("a/b", "text")
        assert box.read("a/b") == b"text"
        assert [info.path for info in box.files(recursive=True)] == ["/workspace/a", "/workspace/a/b"]
        box.upload(tmp_path / "given", "given")
        box.download("given", tmp_path / "back")
        assert (tmp_path / "back").read_text() == "from the host"
        assert "print" in box.complete("prin").matches
        assert box.is_complete("if 1:").status == "incomplete"
        assert "Return the number" in (box.inspect("len") or "")
        box.set_env({"LEAF": "red"})
        assert box.run("import os\nos.environ['LEAF']").value == "'red'"
        assert box.info.memory_limit_mb == 512
        assert box.interrupt() is False
        box.reset()
        assert box.run("x").error is not None
        assert box.run("input('?')", on_input=lambda prompt: "yes").value == "'yes'"
        assert box.run("input()", stdin="one\n").value == "'one'"
        with pytest.raises(CodeError, match="ZeroDivisionError"):
            box.run("1/0", check=True)
        with pytest.raises(CodeTimeout):
            box.run("while True: pass", timeout=0.2, check=True)
        box.mkdir("made")
        box.remove("made")
        assert box.bash("echo x > /mnt/m/f").ok
    assert (tmp_path / "m" / "f").read_text() == "x\n"
    with pytest.raises(SandboxUnavailable):
        box.run("1")


def test_events_can_be_iterated(prepared: object) -> None:
    with SyncSandbox() as box:
        events = list(box.stream("print('a')\ndisplay('b')\n'c'"))
        assert [type(event) for event in events] == [Text, Shown, Result]
        for _ in box.stream("import time\nx = 1\nprint('on')\ntime.sleep(60)"):
            break
        assert box.run("x").value == "1"
        stream = box.stream("import sys\nprint(sys.stdin.read(), end='')\ntime.sleep(60)", stdin="given\n", timeout=0.5)
        result = list(stream)[-1]
        assert isinstance(result, Result)
        assert (result.stdout, result.timed_out) == ("given\n", True)


def test_another_thread_may_interrupt(prepared: object) -> None:
    with SyncSandbox() as box:
        box.run("x = 1")
        timer = threading.Timer(0.3, box.interrupt)
        timer.start()
        began = time.monotonic()
        result = box.run("while True: pass", timeout=None)
        timer.join()
        assert time.monotonic() - began < 5
        assert result.error is not None
        assert result.error.type == "KeyboardInterrupt"
        assert box.run("x").value == "1"


def test_async_code_of_any_loop_can_use_it(prepared: object) -> None:
    async def count(box: Sandbox) -> str | None:
        return (await box.run("n = globals().get('n', 0) + 1\nn")).value

    async def main() -> None:
        assert await box.call_async(count) == "2"
        with anyio.move_on_after(0.3) as scope:
            await box.call_async(lambda inside: inside.run("while True: pass", timeout=None))
        assert scope.cancelled_caught
        with anyio.fail_after(10):
            assert await box.call_async(count) == "3"

    with SyncSandbox() as box:
        assert box.call(count) == "1"
        anyio.run(main)
        with pytest.raises(ZeroDivisionError):
            box.call(fail)
    with pytest.raises(SandboxUnavailable, match="not open"):
        anyio.run(box.call_async, count)


async def fail(_: Sandbox) -> None:
    raise ZeroDivisionError


CTRL_C = """
import sys
from cloche import SyncSandbox
with SyncSandbox() as box:
    box.run("x = 41")
    print("running", flush=True)
    result = box.run("import time\\nwhile True: time.sleep(0.01)", timeout=None)
    print(result.error.type, result.state, box.run("x + 1").value, flush=True)
"""


def test_ctrl_c_stops_the_running_code_not_the_program(prepared: object) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "running\n"
            time.sleep(0.5)
            os.kill(child.pid, signal.SIGINT)
            out, err = child.communicate(timeout=10)
        finally:
            child.kill()
    assert (out, err) == ("KeyboardInterrupt kept 42\n", "")


def test_one_line_is_enough(prepared: object) -> None:
    result = cloche.run("print(6 * 7)")
    assert (result.stdout, result.ok) == ("42\n", True)
    assert cloche.run("echo hi", language="bash").stdout == "hi\n"
    assert cloche.run("input()", stdin="x\n", env={"A": "1"}, timeout=10).value == "'x'"
    with pytest.raises(CodeError):
        cloche.run("1/0", check=True)
    with pytest.raises(ConfigError, match="Did you mean 'bash'"):
        cloche.run("1", language="bsh")
    assert cloche.run("while True: pass", timeout=0.3).timed_out


async def test_it_can_be_used_where_a_loop_runs_already(prepared: object, blocking_allowed: None) -> None:
    assert cloche.run("1 + 1").value == "2"


def test_it_says_how_it_is_used(prepared: object) -> None:
    with pytest.raises(SandboxUnavailable, match="with statement"):
        SyncSandbox().run("1")


def test_a_sandbox_that_cannot_start_cleans_up_after_itself() -> None:
    before = threading.active_count()
    with pytest.raises(ConfigError), SyncSandbox(workspace="/no/such/folder"):
        pass
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_an_error_while_something_is_begun_does_not_wait_for_it() -> None:
    begun = threading.Event()

    async def begin() -> None:
        begun.set()
        await anyio.sleep_forever()

    def press() -> None:
        with LoopThread() as portal:
            portal.start_task_soon(begin)
            assert begun.wait(10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        press()
