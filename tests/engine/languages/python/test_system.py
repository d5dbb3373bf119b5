"""What Python programs ask of the system: alarms, other programs in their place, users, limits, time zones, keys."""

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def said(box: Sandbox, code: str) -> str:
    """What a program prints that has to work."""
    await box.write("program.py", code)
    result = await box.bash("python3 program.py", timeout=30)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


ALARMS = """
import signal, time
def ring(number, frame):
    raise TimeoutError(signal.Signals(number).name)
signal.signal(signal.SIGALRM, ring)
signal.alarm(30)
print(signal.setitimer(signal.ITIMER_REAL, 0.1)[1], signal.alarm(0) <= 1)
for wait in (lambda: time.sleep(20), lambda: [None for _ in iter(int, 1)]):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        wait()
    except TimeoutError as error:
        print(error)
rings = []
signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
while len(rings) < 3:
    time.sleep(0.01)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
time.sleep(0.05)
print(signal.setitimer(signal.ITIMER_REAL, 0)[1])
"""


async def test_alarms_reach_code_that_waits_or_computes(box: Sandbox) -> None:
    assert await said(box, ALARMS) == "0.0 True\nSIGALRM\nSIGALRM\n0.02\n"


async def test_an_alarm_that_nobody_handles_ends_the_program(box: Sandbox) -> None:
    for wait in ("time.sleep(20)", "[None for _ in iter(int, 1)]"):
        code = f"import signal, time; signal.setitimer(signal.ITIMER_REAL, 0.1); {wait}"
        assert (await box.bash(f"python3 -c '{code}'", timeout=30)).exit_code == 142


async def test_an_alarm_in_a_cell_reaches_its_handler(box: Sandbox) -> None:
    code = "import signal, time\ndef ring(*_): raise TimeoutError('late')\nsignal.signal(signal.SIGALRM, ring)\n"
    result = await box.run(f"{code}signal.setitimer(signal.ITIMER_REAL, 0.1)\ntime.sleep(20)", timeout=30)
    assert result.error is not None
    assert (result.error.type, result.state) == ("TimeoutError", "kept")


async def test_another_program_takes_the_place_of_this_one(box: Sandbox) -> None:
    await box.write("exec.py", "import os; os.execvp('sh', ['sh', '-c', 'read x; echo $x $Y; exit 4'])")
    result = await box.bash("echo in | Y=z python3 exec.py", timeout=30)
    assert (result.stdout, result.exit_code) == ("in z\n", 4)
    by_signal = await box.bash("python3 -c \"import os; os.execlp('sh', 'sh', '-c', 'kill -TERM \\$\\$')\"", timeout=30)
    assert by_signal.exit_code == 143
    missing = await box.bash("python3 -c \"import os; os.execvp('nothing', ['nothing'])\"", timeout=30)
    assert "FileNotFoundError" in missing.stderr
    assert "cannot be replaced" in (await box.run("import os; os.execvp('ls', ['ls'])")).error.message  # pyright: ignore[reportOptionalMemberAccess] - it fails


async def test_programs_are_started_beside_this_one(box: Sandbox) -> None:
    code = """
import os
print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 3"), os.spawnv(os.P_WAIT, "/bin/false", ["false"]))
pid = os.spawnlpe(os.P_NOWAIT, "sh", "sh", "-c", "exit $CODE", {"CODE": "5", "PATH": os.environ["PATH"]})
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert await said(box, code) == "3 1\n5\n"


async def test_users_and_limits_are_those_of_the_shell(box: Sandbox) -> None:
    code = """
import grp, os, pathlib, pwd, resource
user = pwd.getpwuid(os.getuid())
print(user.pw_name, user.pw_dir, grp.getgrgid(os.getgid()).gr_name, pathlib.Path("program.py").owner())
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1024))
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 1000)
print(len(os.sched_getaffinity(0)) > 0, os.path.expanduser("~user"))
"""
    printed = "user /home/user user user\n(256, 1024) True\nTrue /home/user\n"
    assert await said(box, code) == printed
    assert (await box.bash("id -un; id -u")).stdout == "user\n1000\n"


async def test_shelves_are_kept_in_a_file(box: Sandbox) -> None:
    code = """
import dbm, shelve
with shelve.open("kept") as shelf:
    shelf["a"], shelf["b"] = [1, 2], {"x": 1}
    del shelf["a"]
with shelve.open("kept", "r") as shelf:
    print(dict(shelf), dbm.whichdb("kept"))
    try:
        shelf["c"] = 1
    except dbm.error as error:
        print(error)
try:
    dbm.open("missing")
except dbm.error as error:
    print(error)
"""
    printed = "{'b': {'x': 1}} dbm.sqlite3\nattempt to write a readonly database\n"
    assert await said(box, code) == printed + "db 'missing' does not exist; use flag='c' or 'n' to create a new db\n"


async def test_time_zones_are_there(box: Sandbox) -> None:
    code = """
from datetime import datetime
from zoneinfo import ZoneInfo
berlin = datetime(2024, 7, 1, tzinfo=ZoneInfo("Europe/Berlin"))
print(berlin.astimezone(ZoneInfo("America/New_York")).strftime("%F %T %Z"))
"""
    assert await said(box, code) == "2024-06-30 18:00:00 EDT\n"


async def test_keys_are_derived_from_passwords(box: Sandbox) -> None:
    code = """
import hashlib
print(hashlib.pbkdf2_hmac("sha1", b"password", b"salt", 2).hex())
print(hashlib.pbkdf2_hmac("sha3_256", b"password", b"salt", 2, 8).hex())
print(hashlib.scrypt(b"", salt=b"", n=16, r=1, p=1, dklen=16).hex())
"""
    keys = ["ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957", "4c915baedd177338", "77d6576238657b203b19ca42c18a0497"]
    assert await said(box, code) == "\n".join(keys) + "\n"


async def test_files_get_a_second_name(box: Sandbox) -> None:
    code = """
import os
open("first", "w").write("x")
os.link("first", "second")
print(os.stat("first").st_nlink, open("second").read())
for source, target in (("none", "third"), ("first", "second"), (".", "here")):
    try:
        os.link(source, target)
    except OSError as error:
        print(type(error).__name__, error.filename, error.filename2)
"""
    errors = "FileNotFoundError none third\nFileExistsError first second\nPermissionError . here\n"
    assert await said(box, code) == f"2 x\n{errors}"


LOOP = """
import asyncio, signal
async def main():
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    {handle}
    print("ready", flush=True)
    await stop.wait()
    print("clean")
asyncio.run(main())
"""


@pytest.mark.parametrize(
    "handle",
    ["loop.add_signal_handler(signal.SIGTERM, stop.set)", "signal.signal(signal.SIGTERM, lambda *_: stop.set())"],
)
async def test_signals_reach_an_event_loop_that_waits(box: Sandbox, handle: str) -> None:
    await box.write("loop.py", LOOP.format(handle=handle))
    wait = "until grep -q ready out; do sleep 0.05; done"
    result = await box.bash(f": > out; python3 loop.py >> out & {wait}; kill $!; wait $!; echo $?; cat out", timeout=30)
    assert result.stdout == "0\nready\nclean\n"


async def test_what_a_handler_raises_ends_the_loop(box: Sandbox) -> None:
    code = """
import asyncio, signal
def ring(*_):
    raise TimeoutError("late")
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    asyncio.run(asyncio.sleep(20))
except TimeoutError as error:
    print(error)
"""
    assert await said(box, code) == "late\n"


async def test_locks_for_processes_are_there_without_processes(box: Sandbox) -> None:
    code = "import multiprocessing\nwith multiprocessing.RLock(), multiprocessing.get_context().Lock():\n    print(1)\n"
    assert await said(box, code) == "1\n"


async def test_programs_are_named_as_the_real_python_names_them(box: Sandbox) -> None:
    await box.write("folder/fails.py", "import sys; print(__file__, sys.argv)\n1 / 0\n")
    result = await box.bash(
        "cd folder; python3 fails.py a; python3 ../folder/fails.py; python3 -m unittest -h", timeout=30
    )
    lines = result.stdout.splitlines()
    names = [
        "/workspace/folder/fails.py ['fails.py', 'a']",
        "/workspace/folder/../folder/fails.py ['../folder/fails.py']",
    ]
    assert [*lines[:2], lines[2][:31]] == [*names, "usage: python3 -m unittest [-h]"]
    assert 'File "/workspace/folder/fails.py", line 2' in result.stderr
