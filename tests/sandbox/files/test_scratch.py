import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cloche.sandbox.files.scratch import make_scratch, remove_scratch

CHILD = """
import os, sys
from cloche.sandbox.files.scratch import make_scratch
path = make_scratch()
(path / "locked").mkdir()
(path / "locked" / "file").write_text("x")
(path / "locked").chmod(0)
print(path, flush=True)
"""


def wait_until(true: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def start(code: str, tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def watchers(base: Path) -> list[int]:
    """The processes that name the folder in their command line."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(base).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_folder_goes_with_the_process_however_it_ends(how: int, tmp_path: Path) -> None:
    with start(CHILD + "sys.stdin.read()", tmp_path) as child:
        base = Path(line(child)).parent
        assert base.parent == tmp_path
        assert wait_until(lambda: len(watchers(base)) == 1)
        child.send_signal(how)
        child.wait(5)
        assert wait_until(lambda: not base.exists())
        assert wait_until(lambda: not watchers(base))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "os._exit(0)", "os.abort()"])
def test_the_folder_goes_at_exit(ending: str, tmp_path: Path) -> None:
    with start(
        "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n" + CHILD + ending, tmp_path
    ) as child:
        base = Path(line(child)).parent
        child.wait(5)
        assert wait_until(lambda: not base.exists() and not watchers(base))
    assert list(tmp_path.iterdir()) == []


def test_signals_to_the_group_and_to_the_watcher_do_not_end_it(tmp_path: Path) -> None:
    with start(CHILD + "sys.stdin.read()", tmp_path) as child:
        base = Path(line(child)).parent
        assert wait_until(lambda: bool(watchers(base)))
        (watcher,) = watchers(base)
        assert os.getsid(watcher) == watcher
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(watcher, number)
        child.kill()
        child.wait(5)
        assert wait_until(lambda: not base.exists())


WRITER = """
import itertools, os, sys, time

os.chdir(sys.argv[1])
print("on", flush=True)
end = time.monotonic() + 0.3
for number in itertools.count():
    if time.monotonic() > end:
        break
    try:
        os.mkdir(str(number))
    except FileNotFoundError:
        break
"""


def test_a_folder_written_to_while_it_goes_is_gone_in_the_end(tmp_path: Path) -> None:
    with start(CHILD + "sys.stdin.read()", tmp_path) as child:
        path = Path(line(child))
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as late:
            assert line(late) == "on"
            child.kill()
            child.wait(5)
            late.wait(15)
        assert wait_until(lambda: not path.parent.exists(), 15)


def test_a_fork_leaves_the_folder_to_its_parent(tmp_path: Path) -> None:
    code = CHILD + (
        "pid = os.fork()\n"
        "if not pid:\n"
        "    own = make_scratch()\n"
        "    assert own.parent != path.parent and own.is_dir()\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "print(path.is_dir(), len(os.listdir(path.parent.parent)), flush=True)\n"
        "sys.stdin.read()\n"
    )
    with start(code, tmp_path) as child:
        assert Path(line(child)).is_dir()
        assert line(child) == "True 1"
        child.kill()


def test_a_fork_that_lives_on_does_not_keep_the_folder(tmp_path: Path) -> None:
    code = CHILD + "pid = os.fork()\nif pid: print(pid, flush=True)\nsys.stdin.read()\n"
    with start(code, tmp_path) as child:
        base, fork = Path(line(child)).parent, int(line(child))
        child.kill()
        assert wait_until(lambda: not base.exists())
        os.kill(fork, signal.SIGKILL)


def test_a_base_cleared_by_the_system_is_made_anew(tmp_path: Path) -> None:
    code = CHILD + (
        "import subprocess\n"
        "(path / 'locked').chmod(0o700)\n"
        "subprocess.run(['rm', '-r', path.parent])\n"
        "print(make_scratch(), flush=True)\n"
    )
    with start(code, tmp_path) as child:
        first, second = Path(line(child)), Path(line(child))
        assert first.parent != second.parent
    assert list(tmp_path.iterdir()) == []


def test_folders_are_private_and_never_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = [made.result() for made in [pool.submit(make_scratch) for _ in range(40)]]
    assert len(set(paths)) == 40
    assert len({path.parent for path in paths}) == 1
    assert {path.stat().st_mode & 0o777 for path in (*paths, paths[0].parent)} == {0o700}
    for path in paths:
        remove_scratch(path)
    assert not any(path.exists() for path in paths)


def test_discarding_unlocks_folders_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    path = make_scratch()
    (path / "a/b").mkdir(parents=True)
    (path / "a/b/link").symlink_to(tmp_path)
    for folder in ("a/b", "a", "."):
        (path / folder).chmod(0)
    remove_scratch(path)
    assert not path.exists()
    assert (tmp_path / "kept").read_text() == "kept"


def test_discarding_never_raises(tmp_path: Path) -> None:
    remove_scratch(tmp_path / "none")
    remove_scratch(tmp_path / "none/deeper")
    remove_scratch("/proc/self/status")
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    remove_scratch(tmp_path / "link")
    assert (tmp_path / "file").exists()
    remove_scratch(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_importing_it_starts_and_makes_nothing(tmp_path: Path) -> None:
    code = "import sys, cloche.sandbox.files.scratch; print(*{'tempfile', 'shutil', 'ctypes'} & set(sys.modules))"
    with start(code, tmp_path) as child:
        assert line(child) == ""
    assert list(tmp_path.iterdir()) == []


SHORT = """
import os, resource, subprocess
from cloche.sandbox.files.scratch import make_scratch
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True: taken.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
for _ in range(FREE): os.close(taken.pop())
first = make_scratch()
for fd in taken: os.close(fd)
print(make_scratch(), flush=True)
input()
"""


@pytest.mark.parametrize("free", [1, 3, 4])
def test_a_watcher_that_could_not_be_started_is_started_later(free: int, tmp_path: Path) -> None:
    code = "import tempfile; tempfile.gettempdir()\n" + SHORT.replace("FREE", str(free))
    with start(code, tmp_path) as child:
        base = Path(line(child)).parent
        assert wait_until(lambda: len(watchers(base)) == 1)
        child.kill()
        child.wait(5)
        assert wait_until(lambda: not base.exists() and not watchers(base))
    assert list(tmp_path.iterdir()) == []
