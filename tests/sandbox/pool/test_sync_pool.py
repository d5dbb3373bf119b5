"""The pool for programs that are not async."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from cloche import ConfigError, PoolExhausted, SandboxUnavailable, SyncPool, SyncSandbox, Template

pytestmark = pytest.mark.usefixtures("prepared")


def test_threads_get_a_fresh_sandbox_each() -> None:
    def use(number: int) -> tuple[str | None, str | None]:
        with pool.sandbox(timeout=10) as box:
            seen = box.run("'x' in globals()").value
            box.run(f"x = {number}", check=True)
            return seen, box.run("x").value

    with SyncPool(size=2) as pool:
        pool.ready(1)
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(use, range(4))) == [("False", str(number)) for number in range(4)]
        assert pool.stats.handed_out == 4


def test_a_template_brings_files_and_names_to_programs_that_are_not_async() -> None:
    with SyncPool(size=1) as pool, pool.sandbox(Template(files={"a": "1"}, setup="x = 5")) as box:
        assert (box.read("a"), box.run("x").value) == (b"1", "5")


def test_a_wait_for_a_sandbox_ends_with_an_error() -> None:
    with SyncPool(size=1, max_size=1) as pool, pool.sandbox() as box:
        with pytest.raises(PoolExhausted, match=r"within 0\.1 s"), pool.sandbox(wait=0.1):
            pass
        assert box.run("1 + 1").value == "2"


def test_a_pool_that_is_closed_takes_its_sandboxes_along() -> None:
    told: list[type[Exception]] = []

    def wait_for_one() -> None:
        try:
            with pool.sandbox():
                pass
        except SandboxUnavailable as error:
            told.append(type(error))

    with SyncPool(size=1, max_size=1) as pool:
        handed_out = pool.sandbox()
        box = handed_out.__enter__()
        waiting = threading.Thread(target=wait_for_one)
        waiting.start()
        while not pool.stats.waiting:
            time.sleep(0.01)
    waiting.join(10)
    assert told == [SandboxUnavailable]
    with pytest.raises(SandboxUnavailable, match="not open"):
        box.run("1")
    handed_out.__exit__(None, None, None)
    with pytest.raises(SandboxUnavailable, match="with statement"), pool.sandbox():
        pass


def test_a_sandbox_that_was_given_back_is_not_open() -> None:
    with SyncPool(size=1) as pool:
        with pool.sandbox() as box:
            assert isinstance(box, SyncSandbox)
        with pytest.raises(SandboxUnavailable, match="not open"):
            box.run("1")


def test_wrong_options_of_a_pool_are_refused_where_they_are_given() -> None:
    with pytest.raises(ConfigError, match="size=0"):
        SyncPool(size=0)
    with SyncPool(size=1) as pool, pytest.raises(ConfigError), pool.sandbox(memory_mb=1):
        pass


WAITS = """
import threading, time
from cloche import SyncPool
def tell():
    while not pool.stats.waiting:
        time.sleep(0.01)
    print("waiting", flush=True)
with SyncPool(size=1, max_size=1) as pool, pool.sandbox() as box:
    box.run("x = 41")
    threading.Thread(target=tell).start()
    try:
        with pool.sandbox(wait=None):
            pass
    except KeyboardInterrupt:
        print(box.run("x + 1").value, flush=True)
    while pool.stats.waiting:
        time.sleep(0.01)
"""


def test_ctrl_c_ends_the_wait_for_a_sandbox_and_nothing_else() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=pipe, stderr=pipe, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "waiting\n"
            os.kill(child.pid, signal.SIGINT)
            out, err = child.communicate(timeout=10)
        finally:
            child.kill()
    assert (out, err) == ("42\n", "")
