"""The lock between processes."""

import threading
import time
from pathlib import Path

import anyio
import pytest

from cloche.sandbox.cache.file_lock import hold_lock, lock_file


async def test_the_second_waits_until_the_first_is_done(tmp_path: Path) -> None:
    order: list[str] = []

    async def second() -> None:
        async with lock_file(tmp_path / "lock"):
            order.append("second")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks, lock_file(tmp_path / "lock"):
            tasks.start_soon(second)
            await anyio.sleep(0.2)
            order.append("first")
    assert order == ["first", "second"]


async def test_waiting_can_be_cancelled(tmp_path: Path) -> None:
    async with lock_file(tmp_path / "lock"):
        with anyio.move_on_after(0.2) as scope:
            async with lock_file(tmp_path / "lock"):
                pytest.fail("both have the lock")
        assert scope.cancelled_caught


async def test_a_failure_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="boom"):
        async with lock_file(tmp_path / "lock"):
            raise ValueError("boom")
    with anyio.fail_after(1):
        async with lock_file(tmp_path / "lock"):
            pass


async def test_a_lock_whose_file_was_removed_by_its_holder_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside: list[str] = []

    async def enter(name: str) -> None:
        async with lock_file(path):
            inside.append(name)
            assert inside == [name]
            await anyio.sleep(0.3)
            inside.remove(name)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            async with lock_file(path):
                tasks.start_soon(enter, "waited for the old file")
                await anyio.sleep(0.05)
                path.unlink()
            tasks.start_soon(enter, "made a new file")


def test_a_thread_waits_for_a_lock_as_a_task_does(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    order: list[str] = []

    def second() -> None:
        with hold_lock(path):
            order.append("second")

    thread = threading.Thread(target=second)
    with hold_lock(path):
        thread.start()
        time.sleep(0.2)
        order.append("first")
        path.unlink()
    thread.join(5)
    assert order == ["first", "second"]
