"""The lock between processes."""

from pathlib import Path

import anyio
import pytest

from cloche.sandbox.cache.file_lock import lock_file


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
