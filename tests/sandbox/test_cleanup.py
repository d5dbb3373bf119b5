"""Nothing is left behind: no process, socket, temporary folder or memory, however a client ends."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche import Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")

CLIENT = """
import anyio, sys
from cloche import Sandbox
async def main():
    async with Sandbox(workspace=sys.argv[1]) as box, Sandbox(workspace=sys.argv[1]) as other:
        await other.bash("echo 1 > /tmp/x")
        async for event in box.stream(sys.argv[2], timeout=None):
            print("running", flush=True)
anyio.run(main)
"""

SYNC_CLIENT = """
import sys
from cloche import SyncSandbox
with SyncSandbox(workspace=sys.argv[1]) as box:
    for event in box.stream(sys.argv[2]):
        print("running", flush=True)
"""

LOOP = "import time\nprint('on')\ntime.sleep(0)\nwhile True: time.sleep(0.01)"
BUSY = "import time\nprint('on')\ntime.sleep(0.1)\nwhile True: pass"


def processes(marker: str) -> list[int]:
    """The processes that name the marker in their command line or environment, or hold a file below it."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                said += b"".join(os.fsencode(fd.readlink()) for fd in (entry / "fd").iterdir())
            except OSError:
                continue
            if marker.encode() in said:
                found.append(int(entry.name))
    return found


def wait_until(true: Callable[[], bool], seconds: float = 8) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


@pytest.fixture
def temp() -> Iterator[Path]:
    """A temporary folder for clients; the name of its parent marks everything that belongs to them."""
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        for name in ("temp", "workspace"):
            Path(folder, name).mkdir()
        yield Path(folder, "temp")


Start = Callable[[str, str], "subprocess.Popen[str]"]


@pytest.fixture
def start(temp: Path, prepared: object) -> Iterator[Start]:
    children: list[subprocess.Popen[str]] = []

    def run(client: str, code: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", client, str(temp.parent / "workspace"), code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(temp)},
        )
        children.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        return child

    yield run
    for child in children:
        child.kill()
        child.communicate(timeout=10)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("code", [LOOP, BUSY], ids=["sleeping", "busy"])
def test_a_client_that_is_killed_in_a_call_leaves_nothing(start: Start, temp: Path, code: str, how: int) -> None:
    child = start(CLIENT, code)
    assert len(processes(str(temp.parent))) > 2
    assert list(temp.iterdir())
    child.send_signal(how)
    child.wait(10)
    assert wait_until(lambda: not processes(str(temp.parent))), processes(str(temp.parent))
    assert wait_until(lambda: not list(temp.iterdir())), list(temp.iterdir())
    assert (temp.parent / "workspace").exists()


@pytest.mark.slow
def test_a_client_that_is_interrupted_leaves_nothing(start: Start, temp: Path) -> None:
    child = start(CLIENT, LOOP)
    child.send_signal(signal.SIGINT)
    assert child.wait(10) != 0
    assert wait_until(lambda: not processes(str(temp.parent)))
    assert wait_until(lambda: not list(temp.iterdir()))


def test_a_killed_script_leaves_nothing_either(start: Start, temp: Path) -> None:
    child = start(SYNC_CLIENT, LOOP)
    child.kill()
    child.wait(10)
    assert wait_until(lambda: not processes(str(temp.parent)))
    assert wait_until(lambda: not list(temp.iterdir()))


@pytest.mark.slow
def test_a_client_that_ends_without_closing_leaves_nothing(start: Start, temp: Path) -> None:
    child = start(CLIENT.replace("flush=True)", 'flush=True)\n            __import__("os")._exit(5)'), LOOP)
    assert child.wait(15) == 5
    assert wait_until(lambda: not processes(str(temp.parent)))
    assert wait_until(lambda: not list(temp.iterdir()))


@pytest.mark.slow
def test_a_process_of_the_engine_that_is_killed_is_reported_and_cleared(start: Start, temp: Path) -> None:
    child = start(CLIENT, LOOP)
    engines = [pid for pid in processes(str(temp.parent)) if b"main.ts" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    for pid in engines:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert child.wait(10) == 0
    assert wait_until(lambda: not processes(str(temp.parent)))
    assert wait_until(lambda: not list(temp.iterdir()))


def held() -> tuple[list[str], set[int]]:
    """What this process holds: open files and children."""
    files: list[str] = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            files.append(str(fd.readlink()).split(":")[0])
    tasks = Path("/proc/self/task").iterdir()
    return sorted(files), {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


async def test_a_closed_sandbox_gives_everything_back(prepared: object, temp: Path) -> None:
    async with Sandbox() as box:
        folder = Path(next(each.host for each in box.info.folders if each.target == "/tmp")).parent
    files, children = held()
    for _ in range(3):
        async with Sandbox() as box:
            assert (await box.run("1 + 1")).value == "2"
            await box.bash("sleep 60 & echo started; mkdir locked; touch locked/f; chmod 0 locked")
    after_files, after_children = held()
    assert Counter(after_files) <= Counter(files)
    assert after_children <= children
    assert not folder.exists()


@pytest.mark.parametrize("after", [0.0, 0.02, 0.1, 0.3])
async def test_a_start_that_is_cancelled_leaves_nothing(prepared: object, after: float) -> None:
    async with Sandbox():
        pass
    files, children = held()
    with anyio.move_on_after(after):
        async with Sandbox() as box:
            await box.run("while True: pass", timeout=None)
    # What a thread does for it when it is cancelled is done to its end.
    await to_thread.run_sync(wait_until, lambda: held()[1] <= children and Counter(held()[0]) <= Counter(files))
    assert held()[1] <= children
    assert Counter(held()[0]) <= Counter(files)


async def test_a_client_that_fails_leaves_nothing(prepared: object) -> None:
    async with Sandbox():
        pass
    _, children = held()

    async def fail() -> None:
        async with Sandbox() as box:
            await box.run("x = 1")
            raise ValueError("of the client")

    with pytest.raises(ValueError, match="of the client"):
        await fail()
    assert held()[1] <= children


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_many_sandboxes_one_after_the_other_leave_no_trace(prepared: object) -> None:
    async def once() -> None:
        async with Sandbox() as box:
            assert (await box.run("1 + 1")).value == "2"

    for _ in range(5):
        await once()
    gc.collect()
    files, children = held()
    memory = int(Path("/proc/self/statm").read_text().split()[1])
    objects = len(gc.get_objects())
    for _ in range(40):
        await once()
    gc.collect()
    assert held()[1] <= children
    assert Counter(held()[0]) <= Counter(files)
    assert (int(Path("/proc/self/statm").read_text().split()[1]) - memory) * 4096 < 8 << 20
    assert len(gc.get_objects()) - objects < 2000
