"""Ctrl-C and SIGTERM while code runs."""

import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest

LOOP = "print('on', flush=True); import time; time.sleep(0.05)\nwhile True: pass"
STUBBORN = "print('on', flush=True); import time; time.sleep(0.05)\nsum(range(10**12))"
PAUSE = 0.3
"""Seconds after which the code has gone on from its first line."""


@pytest.fixture(autouse=True)
def _ready(prepared: None) -> None:
    """Every test here starts a sandbox."""


@contextmanager
def started(argv: list[str], stdin: int = subprocess.DEVNULL) -> Generator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=stdin, stdout=pipe, stderr=pipe, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def end(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    # Not `communicate` at once, which would close standard input.
    child.wait(10)
    out, err = child.communicate(timeout=10)
    return child.returncode, out, err


def first_line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    time.sleep(PAUSE)
    return line


def test_ctrl_c_interrupts_the_code(program: list[str]) -> None:
    with started([*program, "run", "-c", LOOP]) as child:
        assert first_line(child) == "on\n"
        child.send_signal(signal.SIGINT)
        code, _, err = end(child)
    assert code == 130
    assert err.startswith("Traceback")
    assert err.endswith("KeyboardInterrupt\n")


def test_ctrl_c_ends_a_question(program: list[str]) -> None:
    with started([*program, "run", "-c", "print('on')\ninput('? ')"], subprocess.PIPE) as child:
        assert first_line(child) == "on\n"
        child.send_signal(signal.SIGINT)
        code, _, err = end(child)
    assert code == 130
    assert err.endswith("KeyboardInterrupt\n")


def test_a_second_ctrl_c_ends_everything_at_once(program: list[str]) -> None:
    with started([*program, "run", "-c", STUBBORN]) as child:
        assert first_line(child) == "on\n"
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert end(child) == (130, "", "")


def test_sigterm_ends_it_cleanly(program: list[str]) -> None:
    with started([*program, "run", "-c", LOOP]) as child:
        assert first_line(child) == "on\n"
        child.send_signal(signal.SIGTERM)
        assert end(child) == (143, "", "")


def test_ctrl_c_stops_a_command(program: list[str]) -> None:
    with started([*program, "bash", "-c", "echo on; sleep 60"]) as child:
        assert first_line(child) == "on\n"
        child.send_signal(signal.SIGINT)
        assert end(child)[0] == 130
