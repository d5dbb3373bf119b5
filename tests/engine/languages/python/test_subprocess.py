"""CPython's own subprocess over the sandbox's processes: pipes that flow, files, signals, in cells and in programs."""

import textwrap

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

TALK = """
import subprocess, sys
p = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
p.stdin.write("one\\n")
print(p.stdout.readline(), p.poll())
p.stdin.write("two\\n")
p.stdin.close()
print(p.stdout.read(), p.wait(timeout=5))
"""
PIPELINE = """
import subprocess
first = subprocess.Popen(["seq", "100000"], stdout=subprocess.PIPE)
last = subprocess.Popen(["tail", "-1"], stdin=first.stdout, stdout=subprocess.PIPE)
first.stdout.close()
print(last.communicate()[0], first.wait())
endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
print(endless.stdout.readline())
endless.stdout.close()
print(endless.wait(timeout=5))
"""
FILES = """
import os, subprocess, tempfile
with open("out.txt", "w") as file:
    subprocess.run("echo out; echo err >&2", shell=True, stdout=file, stderr=subprocess.STDOUT)
print(open("out.txt").read().split())
with open("out.txt", "a") as file:
    subprocess.run(["echo", "more"], stdout=file)
with tempfile.TemporaryFile("w+") as file:
    file.write("hidden")
    file.seek(0)
    print(subprocess.run(["cat"], stdin=file, capture_output=True, text=True).stdout)
with tempfile.TemporaryFile() as file:
    subprocess.run(["cat", "out.txt"], stdout=file)
    file.seek(0)
    print(file.read().split()[-1])
os.mkdir("sub")
given = {"cwd": "sub", "env": {"A": "1"}, "umask": 0o77, "text": True}
print(subprocess.check_output("pwd; echo $A; umask", shell=True, **given).split())
"""
PRINTED = {
    TALK: "one\n None\ntwo\n 0\n",
    PIPELINE: "b'100000\\n' 0\nb'y\\n'\n-13\n",
    FILES: "['out', 'err']\nhidden\nb'more'\n['/workspace/sub', '1', '0077']\n",
}


@pytest.fixture(params=["cell", "program"])
def place(request: pytest.FixtureRequest) -> str:
    return request.param


async def printed(box: Sandbox, place: str, code: str) -> str:
    """What code prints in a cell, or in a program whose output is piped."""
    if place == "cell":
        return (await box.run(code, timeout=40, check=True)).stdout
    await box.write("program.py", code)
    result = await box.bash("python3 program.py | cat", timeout=40)
    assert result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("code", PRINTED)
async def test_pipes_and_files(box: Sandbox, place: str, code: str) -> None:
    await box.bash("rm -rf out.txt sub")
    assert await printed(box, place, code) == PRINTED[code]


async def test_what_a_child_inherits_comes_in_order(box: Sandbox, place: str) -> None:
    code = "import subprocess; print(1, flush=True); subprocess.run(['echo', '2']); print(3)"
    assert await printed(box, place, code) == "1\n2\n3\n"


async def test_a_child_reads_the_input_of_its_parent(box: Sandbox) -> None:
    code = "import subprocess; subprocess.run(['cat'])"
    result = await box.bash(f'printf "a\\nb\\n" | python3 -c "{code}"')
    assert (result.stdout, result.stderr) == ("a\nb\n", "")


async def test_a_reader_that_leaves_ends_the_child_of_a_program(box: Sandbox) -> None:
    result = await box.bash("""python3 -c 'import os; os.system("yes")' | head -2""", timeout=20)
    assert (result.stdout, result.timed_out) == ("y\ny\n", False)


@pytest.mark.slow
async def test_signals_and_statuses(box: Sandbox, place: str) -> None:
    code = """
    import os, signal, subprocess, sys
    p = subprocess.Popen(["sleep", "9"])
    p.terminate()
    print(p.wait(timeout=5), os.system("exit 3") >> 8)
    p = subprocess.Popen(["sh", "-c", "trap 'echo got; exit 4' TERM; echo on; while :; do sleep .02; done"], stdout=-1)
    p.stdout.readline()
    os.kill(p.pid, signal.SIGTERM)
    print(p.stdout.read(), os.waitpid(p.pid, 0)[1] >> 8)
    try:
        subprocess.run([sys.executable, "-c", "while True: pass"], timeout=0.5)
    except subprocess.TimeoutExpired as error:
        print(error)
    print(subprocess.run([sys.executable, "-c", "import os; os.abort()"], stderr=-3).returncode)
    try:
        subprocess.run(["no such program"])
    except FileNotFoundError as error:
        print(error.filename)
    """
    expected = """\
    -15 3
    b'got\\n' 4
    Command '['/usr/bin/python3', '-c', 'while True: pass']' timed out after 0.5 seconds
    -6
    no such program
    """
    assert await printed(box, place, textwrap.dedent(code)) == textwrap.dedent(expected)


async def test_a_program_handles_signals(box: Sandbox) -> None:
    code = """
    import signal, sys, time
    def stop(number, frame):
        print("got", number, flush=True)
        sys.exit(7)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGUSR1, lambda *_: print("user", flush=True))
    print("ready", flush=True)
    while True:
        BODY
    """
    for body in ("time.sleep(9)", "pass"):
        await box.write("handles.py", textwrap.dedent(code).replace("BODY", body))
        script = """
        rm -f log; python3 handles.py > log & until grep -qs ready log; do sleep .05; done
        kill -USR1 $!; until grep -q user log; do sleep .05; done; kill $!; wait $!; echo $?; cat log
        """
        assert (await box.bash(script, timeout=20)).stdout == "7\nready\nuser\ngot 15\n"


async def test_asyncio_processes_flow(box: Sandbox, place: str) -> None:
    code = """
    import asyncio, sys
    async def main():
        p = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
        p.stdin.write(b"one\\n")
        print(await p.stdout.readline(), p.returncode)
        print((await p.communicate(b"x" * 200_000))[0].count(b"x"), p.returncode)
        p = await asyncio.create_subprocess_shell("sleep 9")
        p.kill()
        print(await p.wait())
    """
    run = "await main()" if place == "cell" else "asyncio.run(main())"
    expected = "b'one\\n' None\n200000 0\n-9\n"
    assert await printed(box, place, f"{textwrap.dedent(code)}\n{run}\n") == expected


async def test_what_needs_a_copy_of_the_process_says_so(box: Sandbox) -> None:
    result = await box.run("import subprocess; subprocess.run(['true'], preexec_fn=print)")
    assert result.error is not None
    assert "preexec_fn is not available in this sandbox" in result.error.message
    result = await box.run("import multiprocessing; multiprocessing.Process(target=print).start()")
    assert result.error is not None
    assert "multiprocessing is not available in this sandbox" in result.error.message


@pytest.mark.slow
async def test_an_interrupt_ends_a_wait_for_a_child(box: Sandbox) -> None:
    code = "import subprocess; x = 1; p = subprocess.Popen(['sleep', '30'], stdout=-1); {}"
    for wait in ("p.wait()", "p.stdout.read()", "p.communicate()"):
        result = await box.run(code.format(wait), timeout=1)
        assert (result.timed_out, result.state) == (True, "kept")
    assert (await box.run("x")).value == "1"
