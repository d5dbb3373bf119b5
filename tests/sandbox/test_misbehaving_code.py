"""Code that means harm or has bad luck: one clear result or error, nothing hangs, the sandbox goes on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche import AssetsUnavailable, Cleared, ConfigError, Result, Sandbox, SandboxUnavailable, Shown
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.process.warm_up import warm_up
from tests.sandbox.conftest import OpenBox


async def alive(box: Sandbox) -> None:
    with anyio.fail_after(10):
        result = await box.run("1 + 1", check=True)
        assert (result.value, result.stdout, result.stderr) == ("2", "", "")
        result = await box.bash("echo $((1 + 1)); python3 -c 'print(3)'", check=True)
        assert result.stdout == "2\n3\n"


def own_memory() -> int:
    """Resident megabytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_code_that_prints_a_gigabyte(box: Sandbox) -> None:
    before = own_memory()
    code = "line = 'x' * 1023\nfor _ in range(1 << 20): print(line)\nprint('end')"
    result = await box.run(code, timeout=100)
    assert not result.timed_out
    assert result.truncated
    assert result.stdout.endswith("x\nend\n")
    assert len(result.stdout) < 1.1 * (1 << 20)
    assert own_memory() - before < 150
    assert box.info.memory_bytes < 1 << 30
    await alive(box)


@pytest.mark.slow
async def test_code_that_prints_without_end(box: Sandbox) -> None:
    result = await box.run("x = 1\nwhile True: print('x' * 1000)", timeout=1)
    assert (result.timed_out, result.truncated, result.state) == (True, True, "kept")
    result = await box.bash("while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", timeout=1)
    assert result.timed_out
    assert (await box.run("x", check=True)).value == "1"
    await alive(box)


@pytest.mark.slow
async def test_a_reader_that_never_comes_back_does_not_fill_the_memory(box: Sandbox) -> None:
    before = own_memory()
    with anyio.fail_after(10):
        events = box.stream("while True: print('x' * 1000)", timeout=None)
        await anext(events)
        await anyio.sleep(1)
        assert own_memory() - before < 100
        await events.aclose()
    await alive(box)


@pytest.mark.parametrize(
    "code",
    [
        "parts = []\nwhile True: parts.append(' ' * (1 << 20))",
        "x = bytearray((1 << 31) - 100)",
        "x = [0] * (1 << 29)",
        "x = []\nwhile True: x.append(x[:])",
        "x = 'y'\nwhile True: x += x",
    ],
)
@pytest.mark.slow
async def test_code_that_allocates_without_end(box: Sandbox, code: str) -> None:
    await box.run("kept = 1", check=True)
    result = await box.run(code, timeout=15)
    assert result.error is not None
    assert (result.error.type, result.state) == ("MemoryError", "kept")
    assert (await box.run("x = parts = None\nkept", check=True)).value == "1"
    await alive(box)


async def test_a_shell_that_allocates_without_end_costs_only_itself(box: Sandbox) -> None:
    await box.run("kept = 1", check=True)
    with anyio.fail_after(18):
        result = await box.bash("x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done", timeout=8)
    assert not result.ok
    assert (await box.run("kept", check=True)).value == "1"
    await alive(box)


async def test_code_that_starts_threads_and_workers(box: Sandbox) -> None:
    code = """
import threading, _thread, multiprocessing, os, concurrent.futures, asyncio, subprocess
def attempt(act):
    try: print('LEAK', act())
    except Exception as error: print(type(error).__name__)
attempt(lambda: threading.Thread(target=print).start())
attempt(lambda: _thread.start_new_thread(print, ()))
attempt(lambda: threading.Timer(0, print).start())
attempt(lambda: multiprocessing.Process(target=print).start())
attempt(lambda: multiprocessing.Pool(2).map(abs, [1]))
attempt(lambda: concurrent.futures.ThreadPoolExecutor().submit(print).result())
attempt(lambda: concurrent.futures.ProcessPoolExecutor().submit(print).result())
attempt(os.fork)
attempt(lambda: os.execv('/bin/sh', ['sh']))
attempt(lambda: os.posix_spawn('/bin/sh', ['sh'], {}))
try:
    from js import Worker
    print('LEAK')
except Exception as error: print(type(error).__name__)
"""
    result = await box.run(code, timeout=10)
    assert result.ok, result.error
    assert "LEAK" not in result.stdout
    assert len(result.stdout.splitlines()) == 11
    await alive(box)


@pytest.mark.slow
async def test_a_fork_bomb_of_the_shell(box: Sandbox) -> None:
    with anyio.fail_after(15):
        await box.bash("bomb() { bomb | bomb & }; bomb", timeout=3)
    await alive(box)


async def test_endless_recursion_of_the_shell(box: Sandbox) -> None:
    with anyio.fail_after(15):
        result = await box.bash("f() { f; }; f", timeout=5)
    assert result.exit_code != 0
    await alive(box)


async def test_code_that_raises_in_del(box: Sandbox) -> None:
    code = "class Bad:\n    def __del__(self): raise ValueError('in del')\nbad = Bad()\ndel bad\nprint('after')"
    result = await box.run(code)
    assert result.ok
    assert result.stdout == "after\n"
    assert "in del" in result.stderr
    await box.run("class Worse:\n    def __del__(self): raise SystemExit\nkept = Worse()")
    await box.run("import sys\nsys.unraisablehook = lambda *a: 1/0\nkept = None")
    await alive(box)


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.stdout.close()",
        "import os\nos.close(1)\nos.close(2)\nos.close(0)",
        "import sys\nsys.stdout = sys.stderr = None",
        "import sys\ndel sys.stdout, sys.stderr, sys.stdin",
        "import os\nfor i in range(1000):\n    try: os.close(i)\n    except OSError: pass",
        "import sys\nsys.stdout.write = None",
        "import os\nos.dup2(os.open('/tmp/x', os.O_CREAT | os.O_WRONLY), 1)",
    ],
)
async def test_code_that_closes_its_streams(box: Sandbox, code: str) -> None:
    result = await box.run(code)
    assert result.state == "kept"
    result = await box.run("import sys\nprint('out')\nprint('err', file=sys.stderr)", check=True)
    assert (result.stdout, result.stderr) == ("out\n", "err\n")
    await alive(box)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import os\nos._exit(3)", 3),
        ("import sys\nsys.exit(4)", 4),
        ("raise SystemExit", 0),
        ("import os\nos.abort()", 134),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 137),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", 143),
        ("exit(5)", 5),
        ("quit()", 0),
    ],
)
async def test_code_that_ends_its_process(box: Sandbox, code: str, status: int) -> None:
    await box.run("kept = 1", check=True)
    result = await box.run(f"print('before')\n{code}\nprint('after')")
    assert (result.exit_code, result.stdout) == (status, "before\n")
    assert result.error is None
    assert (await box.run("kept", check=True)).value == "1"
    await alive(box)


@pytest.mark.parametrize(
    "code",
    [
        "import ctypes\nctypes.string_at(0)",
        "import faulthandler\nfaulthandler._sigsegv()",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()",
        "x = []\nfor _ in range(10**5): x = [x]\nrepr(x)",
        "import json\njson.loads('[' * 10**6)",
        "eval('(' * 10**5)",
        "import re\nre.compile('(' * 5000 + ')' * 5000)",
        "compile('-' * 10**6 + '1', 'x', 'eval')",
        "import pickle\nx = []\nfor _ in range(10**5): x = [x]\npickle.dumps(x)",
    ],
)
async def test_code_that_would_crash_an_interpreter(box: Sandbox, code: str) -> None:
    with anyio.fail_after(15):
        result = await box.run(code, timeout=10)
        assert result.error is not None
        assert result.exit_code != 0
        if result.state == "lost":
            assert "variables are gone" in result.error.message or result.error.type == "InternalError"
    await alive(box)


async def test_nul_and_broken_text_are_passed_on(box: Sandbox) -> None:
    code = "import sys\nsys.stdout.buffer.write(b'a\\x00b\\xff\\xfe\\xc3')\nsys.stdout.flush()\nprint('\\ud800')"
    result = await box.run(code)
    assert result.stdout.startswith("a\0b\ufffd\ufffd\ufffd")
    assert (await box.run("'\\0'", check=True)).value == "'\\x00'"
    assert (await box.run("'\\ud83d'", check=True)).value is not None
    assert (await box.run("print('\\0')", check=True)).stdout == "\0\n"
    assert (await box.run("raise ValueError('\\0\\ud800')")).error is not None
    result = await box.bash("printf 'a\\0b\\xff'", check=True)
    assert result.stdout == "a\0b\ufffd"
    assert (await box.run("x = 'a\0b'")).error is not None
    assert (await box.run("# \ud800 lone\n3")).value == "3"
    await alive(box)


@pytest.mark.parametrize(
    "code",
    [
        "import shutil, sys\nfor path in [*sys.path, '/lib', '/usr']: shutil.rmtree(path or '.', ignore_errors=True)",
        "import sys\nsys.modules.clear()",
        "import sys\nsys.path.clear(); sys.meta_path.clear(); sys.path_hooks.clear(); sys.path_importer_cache.clear()",
        "import builtins\nfor n in list(vars(builtins)):\n    if n != 'delattr': delattr(builtins, n)",
        "import builtins\nbuiltins.print = builtins.len = builtins.__import__ = builtins.isinstance = None",
        "import json, os, io, sys, traceback\nfor m in (json, os, io, traceback): m.__dict__.clear()",
        "get_ipython().__dict__.clear()",
        "import asyncio\nasyncio.get_event_loop().close()",
        "import sys\nsys.settrace(lambda *a: 1/0)\nsys.excepthook = sys.displayhook = None",
        "import gc\nfor o in gc.get_objects():\n    try: o.__dict__.clear()\n    except Exception: pass",
        "globals().clear()",
    ],
)
async def test_code_that_takes_its_interpreter_apart(box: Sandbox, code: str) -> None:
    with anyio.fail_after(18):
        await box.run(code, timeout=5)
        result = await box.run("1 + 1", timeout=5)
        assert result.value == "2" or result.error is not None
        await box.reset()
        result = await box.run("import json, email.message, csv\njson.dumps([1]), sorted([2, 1])", check=True)
        assert result.value == "('[1]', [1, 2])"
        await alive(box)


@pytest.mark.slow
async def test_a_flood_of_displays_stays_bounded(box: Sandbox) -> None:
    before = own_memory()
    result = await box.run("for i in range(20000): display({'text/plain': 'x' * 1000}, raw=True)", timeout=15)
    assert not result.timed_out
    assert 0 < len(result.displays) <= 20000
    assert own_memory() - before < 150
    await alive(box)


@pytest.mark.slow
async def test_a_flood_of_updates_leaves_the_last(box: Sandbox) -> None:
    result = await box.run("h = display(0, display_id='a')\nfor i in range(5000): h.update(i)", timeout=15)
    assert not result.timed_out
    assert [display.data["text/plain"] for display in result.displays] == ["4999"]
    result = await box.run("from IPython.display import clear_output\nfor i in range(5000): clear_output()", timeout=15)
    assert result.ok
    await alive(box)


async def test_a_flood_of_displays_is_streamed_in_order(box: Sandbox) -> None:
    code = "from IPython.display import clear_output\nfor i in range(2000):\n    display(i)\nclear_output()"
    events = [event async for event in box.stream(code)]
    shown = [event.display.data["text/plain"] for event in events if isinstance(event, Shown)]
    assert shown == [str(number) for number in range(2000)]
    assert events[-2] == Cleared(wait=False)
    assert isinstance(events[-1], Result)
    assert events[-1].ok
    assert events[-1].displays == []


async def test_a_huge_display_is_replaced_by_a_note(box: Sandbox) -> None:
    result = await box.run("display({'text/plain': 'x' * (30 << 20)}, raw=True)\nprint('after')", timeout=15)
    assert result.ok
    assert result.stdout == "after\n"
    (display,) = result.displays
    assert len(str(display.data)) < 1000
    assert "31457280 bytes" in str(display.data)
    await alive(box)


async def test_a_request_that_is_too_large_for_a_message_is_refused(box: Sandbox) -> None:
    code = "import errno, os\ntry: os.symlink('x' * (17 << 20), 'link')\nexcept OSError as error: code = error.errno"
    await box.run(code, timeout=15, check=True)
    assert (await box.run("errno.errorcode[code]")).value == "'ENAMETOOLONG'"
    await alive(box)


async def test_a_huge_value_and_a_huge_error_stay_bounded(box: Sandbox) -> None:
    result = await box.run("'x' * (30 << 20)", timeout=15)
    assert len(result.value or "") <= 16 << 20
    assert result.state == "kept"
    result = await box.run("raise ValueError('x' * (30 << 20))", timeout=15)
    assert result.error is not None
    assert result.error.type == "ValueError"
    assert len(result.error.message) < 1 << 20
    await alive(box)


@pytest.mark.slow
async def test_endless_questions_are_stopped_by_the_time_limit(box: Sandbox) -> None:
    await box.run("x = 1", check=True)
    asked = 0

    async def answer(prompt: str) -> str:
        nonlocal asked
        asked += 1
        return "y"

    with anyio.fail_after(15):
        result = await box.run("while True: input('more? ')", on_input=answer, timeout=1)
    assert (result.timed_out, result.state) == (True, "kept")
    assert asked > 3
    result = await box.run("while True:\n    try: input('?' * 10**6)\n    except EOFError: pass", timeout=1)
    assert result.timed_out
    assert (await box.run("x", check=True)).value == "1"
    await alive(box)


async def test_a_function_that_fails_to_answer_does_not_leave_the_sandbox_stuck(box: Sandbox) -> None:
    def answer(prompt: str) -> str:
        raise RuntimeError("no idea")

    await box.run("x = 1", check=True)
    with anyio.fail_after(10), pytest.raises(RuntimeError, match="no idea"):
        await box.run("input('?')", on_input=answer)
    assert (await box.run("x", check=True)).value == "1"


async def test_what_a_cell_leaves_running_does_not_print_into_the_next(box: Sandbox) -> None:
    code = "import asyncio\nasync def noise():\n    while True:\n        await asyncio.sleep(0.001)\n        print('x')"
    await box.run(code, check=True)
    code = "task = asyncio.create_task(noise())"
    await box.run(code, check=True)
    for _ in range(3):
        result = await box.run("1 + 1", timeout=5)
        assert result.value == "2"
    await box.run("task.cancel()", check=True)
    await alive(box)


async def works(open_box: OpenBox) -> None:
    box = await open_box()
    assert (await box.run("import json\n1 + 1", check=True)).value == "2"
    await alive(box)


@pytest.mark.slow
@pytest.mark.timeout(90)
async def test_a_snapshot_of_another_version_is_not_used(own_cache: Path, open_box: OpenBox) -> None:
    folder = snapshots.snapshot_dir()
    folder.rename(folder.with_name("0123456789abcdef"))
    (folder.with_name("0123456789abcdef") / "python.snapshot").write_bytes(b"from another version")
    await works(open_box)
    assert folder.exists()


READ = """
import anyio
from cloche import Sandbox
async def main():
    async with Sandbox() as box:
        print((await box.run("1 + 1")).value)
anyio.run(main)
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap makes the cache read-only, and is not there")
def test_a_cache_that_is_read_only_serves_what_is_in_it(prepared: snapshots.PreparedStart) -> None:
    cache = str(cache_dir())
    command = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", cache, cache, sys.executable, "-c", READ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=15, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")


async def test_a_cache_behind_a_link_works(
    prepared: snapshots.PreparedStart, open_box: OpenBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(await to_thread.run_sync(cache_dir))
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "link"))
    await works(open_box)


@pytest.mark.parametrize("name", ["long" * 30, "a,b", "with space", "öß"])
def test_a_temporary_folder_with_an_odd_name_works(
    prepared: snapshots.PreparedStart, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    env = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", READ], env=env, capture_output=True, text=True, timeout=15, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")
    assert list(folder.iterdir()) == []


async def test_a_workspace_with_a_comma_in_its_path_is_a_clear_error(
    prepared: snapshots.PreparedStart, tmp_path: Path
) -> None:
    (tmp_path / "a,b").mkdir()
    with pytest.raises(ConfigError, match="comma"):
        async with Sandbox(workspace=tmp_path / "a,b"):
            pass


async def test_a_snapshot_that_cannot_be_written_is_a_clear_error(own_cache: Path) -> None:
    shutil.rmtree(own_cache / "snapshots")
    (own_cache / "snapshots").write_text("in the way")
    with anyio.fail_after(15), pytest.raises(AssetsUnavailable, match="CLOCHE_CACHE"):
        async with Sandbox():
            pass


BUILD = """
import anyio, sys
from cloche import Sandbox
async def main():
    async with Sandbox() as box:
        print((await box.run("1 + 1")).value)
print("up", flush=True)
sys.stdin.readline()
anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_two_processes_that_build_the_snapshot_at_once(own_cache: Path) -> None:
    shutil.rmtree(snapshots.snapshot_dir())
    children = [
        subprocess.Popen([sys.executable, "-c", BUILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "up\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        assert [child.communicate(timeout=100)[0] for child in children] == ["2\n", "2\n"]
        assert snapshots.find_prepared() is not None
        left = [
            path.name for path in (own_cache / "snapshots").iterdir() if not path.name.startswith((".lock", ".used-"))
        ]
        assert left == [snapshots.snapshot_dir().name]
    finally:
        for child in children:
            child.kill()
            child.wait(10)


@pytest.mark.slow
@pytest.mark.timeout(90)
async def test_what_a_killed_build_left_is_cleared_away(own_cache: Path) -> None:
    shutil.rmtree(snapshots.snapshot_dir())
    (own_cache / "snapshots" / ".tmp-dead").mkdir()
    await snapshots.build_prepared(warm_up)
    assert sorted(
        path.name for path in (own_cache / "snapshots").iterdir() if not path.name.startswith((".lock", ".used-"))
    ) == [snapshots.snapshot_dir().name]


@pytest.mark.parametrize("stage", ["building", "warming"])
async def test_a_build_that_is_cancelled_ends_at_once_and_leaves_nothing(own_cache: Path, stage: str) -> None:
    shutil.rmtree(snapshots.snapshot_dir() if stage == "building" else snapshots.code_dir())
    begun = anyio.Event()

    async def warm(prepared: snapshots.PreparedStart) -> None:
        begun.set()
        await warm_up(prepared)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(snapshots.build_prepared, warm)
            if stage == "warming":
                await begun.wait()
            while not list(own_cache.glob("*/.tmp-*")):  # noqa: ASYNC110 - no event
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
    assert await to_thread.run_sync(snapshots.find_prepared) is None
    assert not list(own_cache.glob("*/.tmp-*"))


async def test_closing_a_sandbox_while_a_call_starts_its_process_leaves_none(prepared: object) -> None:
    box = Sandbox()

    async def run() -> None:
        with pytest.raises(SandboxUnavailable, match="closed while it started"):
            await box.run("1")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.wait_all_tasks_blocked()
        await box.close()
    assert box._process is None  # pyright: ignore[reportPrivateUsage] - to see that none is left
