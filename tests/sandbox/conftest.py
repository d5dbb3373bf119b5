"""Real sandboxes for the tests: one that is shared and cleaned between tests, and fresh ones."""

import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.assets import cache_dir
from cloche.sandbox.process.warm_up import warm_up

BUILD_TIMEOUT = 180
"""Seconds for a test that may have to build the snapshot first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives the tests that need a snapshot the time to build it."""
    if snapshots.find_prepared() is None:
        for item in items:
            names = getattr(item, "fixturenames", ())
            if "prepared" in names and item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(BUILD_TIMEOUT))


class OpenBox(Protocol):
    """Starts a sandbox of its own for one test."""

    async def __call__(self, **options: Any) -> Sandbox: ...


@pytest.fixture(autouse=True)
def _quick_start(_unblocked_loop: BlockBuster) -> None:
    # For tools such as pip: asyncio itself waits on the loop's thread until their process has begun.
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.fixture
def blocking_allowed(_unblocked_loop: BlockBuster) -> None:
    """For a test that blocks its loop on purpose."""
    _unblocked_loop.deactivate()


@pytest.fixture(scope="session")
def prepared(assets: Path) -> snapshots.PreparedStart:
    """The snapshot, built by the first process that asks."""
    return anyio.run(snapshots.build_prepared, warm_up)


@pytest.fixture
def own_cache(tmp_path: Path, prepared: snapshots.PreparedStart, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the same assets and a snapshot of its own."""
    cache = tmp_path / "cache"
    shutil.copytree(cache_dir() / "assets", cache / "assets", copy_function=link)
    for built in (snapshots.snapshot_dir(), snapshots.code_dir()):
        shutil.copytree(built, cache / built.parent.name / built.name, symlinks=True)
    monkeypatch.setenv("CLOCHE_CACHE", str(cache))
    return cache


def link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="session")
async def shared_box(prepared: snapshots.PreparedStart) -> AsyncGenerator[Sandbox]:
    async with Sandbox(confinement="require" if sys.platform == "linux" else "auto") as box:
        yield box


@pytest.fixture
async def box(shared_box: Sandbox) -> AsyncGenerator[Sandbox]:
    """A sandbox with fresh interpreters and empty folders."""
    yield shared_box
    await clean(shared_box, "python", "bash")


@pytest.fixture
async def shell(shared_box: Sandbox) -> AsyncGenerator[Sandbox]:
    """The same for tests of bash that run no Python."""
    yield shared_box
    await clean(shared_box, "bash")


async def clean(box: Sandbox, *languages: str) -> None:
    with anyio.fail_after(10):
        for language in languages:
            await box.reset(language)
        for folder in ("/workspace", "/tmp", "/home/user"):
            for file in await box.files(folder):
                await box.remove(file.path, recursive=True)


@pytest.fixture
async def open_box(prepared: snapshots.PreparedStart) -> AsyncGenerator[OpenBox]:
    """Opens sandboxes that are closed after the test."""
    async with AsyncExitStack() as stack:

        async def start(**options: Any) -> Sandbox:
            return await stack.enter_async_context(Sandbox(**options))

        yield start


@pytest.fixture
async def fresh(open_box: OpenBox) -> Sandbox:
    """A sandbox that only this test uses."""
    return await open_box()
