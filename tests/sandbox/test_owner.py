"""Where a sandbox may be used: the process and the event loop that opened it."""

import subprocess
import sys
from typing import Any

import anyio
import anyio.to_thread
import pytest

from cloche import Pool, Sandbox, SandboxUnavailable
from cloche.sandbox.snapshots import Prepared

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


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": request.param}


async def test_a_sandbox_works_on_either_event_loop(prepared: Prepared) -> None:
    async with Sandbox() as box:
        assert (await box.run("print('x' * 100_000)\n41 + 1")).value == "42"
        await box.bash("true")
        assert (await box.bash("while true; do :; done", timeout=0.2)).state == "kept"
        async with Pool(1) as pool, pool.sandbox() as other:
            assert (await other.bash("echo there")).stdout == "there\n"


async def test_another_event_loop_is_refused_at_once(prepared: Prepared) -> None:
    async with Sandbox() as box:
        with pytest.raises(SandboxUnavailable, match="another event loop"):
            await anyio.to_thread.run_sync(lambda: anyio.run(box.run, "1"))
        assert (await box.run("1")).value == "1"


@pytest.mark.parametrize("script", [FORK, POOL_FORK, ASYNC_FORK], ids=["SyncSandbox", "SyncPool", "Sandbox"])
def test_a_fork_is_refused_at_once_and_leaves_the_sandbox_to_its_parent(script: str, prepared: Prepared) -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, timeout=15, check=True).stdout.splitlines()
    assert [line.partition(":")[0] for line in said] == ["child", "parent"]
    assert "of which this one is a fork" in said[0]
    assert said[1] == "parent: 1"


@pytest.mark.parametrize("opened", [Sandbox(), Pool()], ids=["Sandbox", "Pool"])
def test_what_is_not_asyncio_is_refused_at_once(opened: Any) -> None:
    with pytest.raises(SandboxUnavailable, match="runs on asyncio, not on trio"):
        opened.__aenter__().send(None)
