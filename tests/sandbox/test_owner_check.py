"""Where a sandbox may be used: the process and the event loop that opened it."""

import subprocess
import sys
from typing import Any

import anyio
import anyio.to_thread
import pytest

from cloche import Pool, Sandbox, SandboxUnavailable
from cloche.sandbox.cache.snapshots import PreparedStart

FORK = """
import os, cloche
with cloche.SyncSandbox() as box:
    box.run("x = 1")
    child = os.fork()
    if child == 0:
        try:
            box.run("x")
        except cloche.SandboxUnavailable as error:
            print("child:", error, flush=True)
    else:
        os.waitpid(child, 0)
        print("parent:", box.run("x").value, flush=True)
"""

POOL_FORK = """
import os, cloche
with cloche.SyncPool(1) as pool:
    with pool.sandbox() as box:
        box.run("x = 1")
        child = os.fork()
        if child == 0:
            try:
                with pool.sandbox() as other:
                    other.run("x")
            except cloche.SandboxUnavailable as error:
                print("child:", error, flush=True)
        else:
            os.waitpid(child, 0)
            print("parent:", box.run("x").value, flush=True)
"""

ASYNC_FORK = """
import anyio, os, cloche
async def main():
    async with cloche.Sandbox() as box:
        await box.run("x = 1")
        child = os.fork()
        if child == 0:
            try:
                await box.run("x")
            except cloche.SandboxUnavailable as error:
                print("child:", error, flush=True)
        else:
            os.waitpid(child, 0)
            print("parent:", (await box.run("x")).value, flush=True)
    if child == 0:
        os._exit(0)
anyio.run(main)
"""


EITHER = """
import asyncio, sys
import anyio, cloche
async def main():
    print(type(asyncio.get_running_loop()).__module__.partition(".")[0])
    async with cloche.Sandbox() as box:
        print((await box.run("print('x' * 100_000)\\n41 + 1")).value)
        await box.bash("true")
        print((await box.bash("while true; do :; done", timeout=0.2)).state)
        async with cloche.Pool(1) as pool, pool.sandbox() as other:
            print((await other.bash("echo there")).stdout)
anyio.run(main, backend_options={"use_uvloop": sys.argv[1] == "uvloop"})
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.slow
def test_a_sandbox_works_on_either_event_loop(prepared: PreparedStart, loop: str) -> None:
    # In a process of its own: the loop of these tests is the same for all of them.
    done = subprocess.run([sys.executable, "-c", EITHER, loop], capture_output=True, text=True, timeout=50)
    assert (done.stdout.split(), done.stderr) == ([loop, "42", "kept", "there"], "")


async def test_another_event_loop_is_refused_at_once(prepared: PreparedStart) -> None:
    async with Sandbox() as box:
        with pytest.raises(SandboxUnavailable, match="another event loop"):
            await anyio.to_thread.run_sync(lambda: anyio.run(box.run, "1"))
        assert (await box.run("1")).value == "1"


@pytest.mark.parametrize("script", [FORK, POOL_FORK, ASYNC_FORK], ids=["SyncSandbox", "SyncPool", "Sandbox"])
def test_a_fork_is_refused_at_once_and_leaves_the_sandbox_to_its_parent(script: str, prepared: PreparedStart) -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, timeout=15, check=True).stdout.splitlines()
    assert [line.partition(":")[0] for line in said] == ["child", "parent"]
    assert "of which this one is a fork" in said[0]
    assert said[1] == "parent: 1"


@pytest.mark.parametrize("opened", [Sandbox(), Pool()], ids=["Sandbox", "Pool"])
def test_what_is_not_asyncio_is_refused_at_once(opened: Any) -> None:
    with pytest.raises(SandboxUnavailable, match="runs on asyncio, not on trio"):
        opened.__aenter__().send(None)
