"""What a program leaves open when it ends is written, as at the end of a process."""

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

OPENED = {
    "python": 'python3 -c \'f = open("left", "w"); f.write("hi")\'',
    "javascript": 'node -e \'require("fs").createWriteStream("left").write("hi")\'',
    "ruby": 'ruby -e \'f = File.open("left", "w"); f.write("hi")\'',
    "php": 'php -r \'$f = fopen("left", "w"); fwrite($f, "hi");\'',
    "lua": 'lua -e \'f = io.open("left", "w"); f:write("hi")\'',
    "r": 'Rscript -e \'f <- file("left", "w"); cat("hi", file = f)\'',
    "perl": 'perl -e \'open F, ">", "left"; print F "hi"\'',
    "scheme": 'scheme -e \'(define p (open-output-file "left")) (write-string "hi" p)\'',
}


@pytest.mark.parametrize("language", OPENED)
async def test_files_left_open_are_written(box: Sandbox, language: str) -> None:
    await box.bash("rm -f left")
    assert (await box.bash(f"{OPENED[language]}; cat left")).stdout == "hi"


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "1/0"])
async def test_python_calls_finalizers(box: Sandbox, ending: str) -> None:
    await box.write("kept.py", "log = open('log', 'w')\n")
    await box.write(
        "main.py",
        "import kept, sys\n"
        "class Last:\n    def __del__(self): print('end of', word)\n"
        "word = 'all'\nlast = Last(); last.itself = last\n"
        f"kept.log.write('logged')\nown = open('own', 'w'); own.write('+own')\n{ending}\n",
    )
    assert (await box.bash("python3 main.py 2> /dev/null; cat log own")).stdout == "end of all\nlogged+own"


async def test_python_writes_nothing_after_os_exit(box: Sandbox) -> None:
    code = 'import os; f = open("lost", "w"); f.write("hi"); os._exit(4)'
    assert (await box.bash(f"python3 -c '{code}'; echo $?; cat lost")).stdout == "4\n"


async def test_python_cannot_catch_os_exit(box: Sandbox) -> None:
    code = 'import atexit, os\natexit.register(print, "no")\ntry: os._exit(4)\nfinally: print("no")'
    assert (await box.bash(f"python3 -c '{code}'; echo $?")).stdout == "4\n"


@pytest.mark.parametrize(
    ("handler", "number", "expected"),
    [
        ("lambda n, _: print(n)", "SIGTERM", "15\non\n0\n"),
        ("lambda n, _: os._exit(7)", "SIGUSR1", "7\n"),
        ("signal.SIG_IGN", "SIGTERM", "on\n0\n"),
        ("signal.SIG_DFL", "SIGCHLD", "on\n0\n"),
        ("signal.SIG_DFL", "SIGTERM", "143\n"),
    ],
)
async def test_python_signals_itself(box: Sandbox, handler: str, number: str, expected: str) -> None:
    code = f'signal.signal(signal.{number}, {handler}); os.kill(os.getpid(), signal.{number}); print("on")'
    assert (await box.bash(f"python3 -c 'import os, signal; {code}'; echo $?")).stdout == expected


async def test_python_interrupts_itself(box: Sandbox) -> None:
    code = 'import os\ntry: os.kill(os.getpid(), 2)\nexcept KeyboardInterrupt: print("caught")'
    assert (await box.bash(f"python3 -c '{code}'")).stdout == "caught\n"
