"""`python3` as other programs start it: a process of its own, whose end costs nobody else anything."""

import os
import re
import time

import anyio
import pytest
from anyio import to_thread

from cloche import Sandbox
from cloche.sandbox.process.process_family import find_family

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


NEST = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, __file__]).returncode)"


async def said(box: Sandbox, command: str) -> str:
    """What a command prints that has to work."""
    result = await box.bash(command, timeout=30)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.slow
async def test_programs_that_were_stopped_compute_no_longer(box: Sandbox) -> None:
    # Python itself takes signals out of the byte that it looks at: which of the two sees one first is up to chance.
    loop = "while True:\\n  try:\\n    while True: pass\\n  except BaseException: pass"
    await said(box, f"printf '{loop}' > loop.py; for i in {{1..12}}; do timeout 0.1 python3 loop.py || :; done")
    sandboxes = (await to_thread.run_sync(find_family, os.getpid()))[1:]
    used, passed = processor_time(sandboxes), 0.5
    with anyio.fail_after(20):
        while passed > 0.2:
            await anyio.sleep(0.5)
            passed = processor_time(sandboxes) - used
            used += passed


def processor_time(processes: list[int]) -> float:
    return sum(time.clock_gettime(~process << 3 | 2) for process in processes)


async def test_a_program_shares_nothing_with_the_cells(box: Sandbox) -> None:
    await box.run("import os, sys, json; x = 1; json.mine = 1", check=True)
    await box.write(
        "own.py", "import json, sys\nprint(hasattr(json, 'mine'), 'x' in vars(sys.modules['__main__']))\njson.its = 1\n"
    )
    assert await said(box, "python3 own.py") == "False False\n"
    assert (await box.run("x, hasattr(json, 'its'), __name__, sys.argv[-1] != 'own.py'")).value == (
        "(1, False, '__main__', True)"
    )


@pytest.mark.slow
async def test_descriptors_are_the_programs_own(box: Sandbox) -> None:
    assert await said(box, "python3 -c 'import os; os.write(1, b\"raw\\n\")' > f; cat f") == "raw\n"
    assert (
        await said(
            box, "python3 -c 'import sys; print([each.fileno() for each in (sys.stdin, sys.stdout, sys.stderr)])' | cat"
        )
        == "[0, 1, 2]\n"
    )
    await box.write(
        "moved.py",
        "import os\nsaved = os.dup(1)\nos.dup2(os.open('g', os.O_CREAT | os.O_WRONLY), 1)\n"
        "print('there', flush=True)\nos.dup2(saved, 1)\nprint('here')\n",
    )
    assert await said(box, "python3 moved.py | cat; cat g") == "here\nthere\n"
    assert await said(box, "echo in | python3 -c 'import os; print(os.read(0, 2))'") == "b'in'\n"
    assert await said(box, "python3 -c 'import faulthandler; faulthandler.enable(); print(1)' 2>&1 | cat") == "1\n"
    assert await said(box, "echo | python3 -c 'import select; print(select.select([0], [], [], 0)[0])'") == "[0]\n"


async def test_streams_that_are_one_keep_their_order(box: Sandbox) -> None:
    code = "import sys; print(1, flush=True); print(2, file=sys.stderr); print(3)"
    assert await said(box, f"python3 -c '{code}' 2>&1 | cat") == "1\n2\n3\n"
    assert await said(box, f"python3 -c '{code}' > all 2>&1; cat all") == "1\n2\n3\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    ["import time; time.sleep(9)", "while True: pass", "import itertools; sum(itertools.repeat(1))",
     "while True:\n  try:\n    while True: pass\n  except BaseException: pass"],
    ids=["sleep", "loop", "a loop in C", "a loop that swallows everything"],
)  # fmt: skip
async def test_a_program_ends_with_its_time(box: Sandbox, code: str) -> None:
    await box.run("kept = 41", check=True)
    result = await box.bash(f"for i in 1 2 3; do timeout 0.5 python3 -c '{code}'; echo $?; done", timeout=20)
    assert (result.stdout, result.stderr, result.state) == ("124\n" * 3, "", "kept")
    assert await said(box, "python3 -c 'print(2)'") == "2\n"
    assert (await box.run("kept + 1")).value == "42"


@pytest.mark.slow
@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(9)"])
async def test_a_subprocess_that_takes_too_long_expires(box: Sandbox, code: str) -> None:
    cell = f"""
import subprocess, sys
try:
    subprocess.run([sys.executable, "-c", {code!r}], timeout=0.5)
except subprocess.TimeoutExpired as error:
    print("expired", error.timeout)
print(subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout)
"""
    for _ in range(2):
        result = await box.run(cell, timeout=20)
        assert (result.error, result.stdout, result.state) == (None, "expired 0.5\n42\n\n", "kept")


async def test_programs_run_at_once(box: Sandbox) -> None:
    await said(box, "python3 -c pass")
    meet = (
        'import os, sys, time; open(sys.argv[1], "w").close()\nwhile not os.path.exists(sys.argv[2]): time.sleep(0.01)'
    )
    await said(box, f"(python3 -c '{meet}' one two & python3 -c '{meet}' two one; wait)")


@pytest.mark.slow
async def test_programs_start_programs(box: Sandbox) -> None:
    start = "import subprocess, sys\nprint(subprocess.run([sys.executable, *{}], **{}, capture_output=True).stdout)\n"
    await box.write("inner.py", start.format(["-c", "print(len(input()))"], {"input": b"four"}))
    await box.write("middle.py", start.format(["inner.py"], {"text": True}))
    assert await said(box, "python3 middle.py") == "b'4\\n'\n\n"
    assert (await box.run("import os; os.system('python3 middle.py | tr 4 5')")).stdout == "b'5\\n'\n\n"


async def test_only_code_of_the_event_loop_has_a_running_one(box: Sandbox) -> None:
    await box.write(
        "loops.py",
        "import asyncio\n"
        "def running():\n    try: asyncio.get_running_loop(); return True\n    except RuntimeError: return False\n"
        "async def main():\n    await asyncio.sleep(0.01)\n    return running()\n"
        "print(running(), asyncio.run(main()), running(), asyncio.run(main()), running())\n",
    )
    assert await said(box, "python3 loops.py") == "False True False True False\n"
    assert (await box.run("import asyncio; asyncio.get_running_loop() is not None")).value == "True"


async def test_what_a_stopped_program_has_printed_is_there(box: Sandbox) -> None:
    code = 'import time; print("first", flush=True); time.sleep(9)'
    assert (await box.bash(f"timeout 0.5 python3 -c '{code}' > out; cat out", timeout=20)).stdout == "first\n"


async def test_a_program_that_is_left_behind_can_be_killed(box: Sandbox) -> None:
    await box.bash("python3 -c 'while True: pass' & echo", check=True)
    with anyio.fail_after(10):
        assert (await box.run("1 + 1", check=True)).value == "2"
        await box.bash("kill %1; wait", timeout=10)
    assert not box.info.background


async def test_all_pythons_share_the_memory_limit(box: Sandbox) -> None:
    await box.run("kept = bytearray(200 << 20)", check=True)
    result = await box.bash("python3 -c 'bytearray(300 << 20)'")
    assert result.exit_code == 1
    assert "MemoryError" in result.stderr
    assert (await box.run("len(kept)")).value == str(200 << 20)
    assert await said(box, "python3 -c 'print(len(bytearray(50 << 20)))'") == f"{50 << 20}\n"


@pytest.mark.slow
async def test_a_program_without_room_says_what_is_missing(box: Sandbox) -> None:
    await box.run(
        "kept = []\ntry:\n    while True: kept.append(bytearray(8 << 20))\nexcept MemoryError: pass", check=True
    )
    # The first have the interpreter that was kept ready, or what is left; none ends before the one that it starts.
    await box.write("nest.py", NEST)
    result = await box.bash("python3 nest.py", timeout=30)
    assert result.exit_code == 126
    refused = r"python3: cannot start: the sandbox has \d+ MB of memory left, and it needs \d+ MB\n"
    assert re.fullmatch(refused, result.stderr)
    await box.run("del kept")


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_programs_beyond_the_limit_wait_for_their_turn(box: Sandbox) -> None:
    many = 'for i in {1..20}; do python3 -c "import time; time.sleep(.1); print($i)" & done | sort -n | paste -sd,'
    assert (await box.bash(many, timeout=90)).stdout == ",".join(map(str, range(1, 21))) + "\n"
    pair = "python3 -c 'print(\"x\" * 300000)' | python3 -c 'print(len(input()))'"
    result = await box.bash(f"(for i in {{1..8}}; do ({pair}) & done; wait) | uniq -c", timeout=90)
    assert (result.stdout, result.stderr) == ("      8 300000\n", "")


async def test_programs_that_start_each_other_for_ever_are_refused_at_once(box: Sandbox) -> None:
    await box.write("nest.py", NEST)
    result = await box.bash("python3 nest.py", timeout=30)
    assert result.exit_code == 126
    assert "python3: cannot start: " in result.stderr
    assert await said(box, "python3 -c 'print(1)'") == "1\n"


async def test_exit_functions_and_statuses(box: Sandbox) -> None:
    code = 'import atexit, sys; atexit.register(print, "bye"); print("hi"); sys.exit(3)'
    result = await box.bash(f"python3 -c '{code}'")
    assert (result.stdout, result.exit_code) == ("hi\nbye\n", 3)
