"""The sandbox behind an adapter."""

import asyncio
import gc
import time
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from threading import enumerate as list_threads

import pytest

from cloche import ConfigError, Result, Sandbox, SandboxUnavailable, SyncSandbox
from cloche.adapters.held_sandbox import HeldSandbox, SandboxHolder


class Adapter(SandboxHolder):
    """An adapter that counts."""

    def __init__(self, held: HeldSandbox) -> None:
        self._held = held

    def count(self) -> str | None:
        return self._held.call(count).value

    async def count_async(self) -> str | None:
        return (await self._held.call_async(count)).value


def count(box: Sandbox) -> Awaitable[Result]:
    return box.run("n = globals().get('n', 0) + 1\nn")


def loops() -> list[str]:
    """The threads that sandboxes of adapters run in."""
    return [thread.name for thread in list_threads() if thread.name == "cloche-loop"]


def test_its_own_starts_with_the_first_call_and_ends_with_the_last_user(prepared: object) -> None:
    adapter = Adapter(HeldSandbox(None, {"timeout": 20}))
    with adapter:
        assert not loops()
        assert adapter.count() == "1"
        with adapter:
            assert adapter.count() == "2"
        assert adapter.count() == "3"
    assert not loops()
    with pytest.raises(SandboxUnavailable, match="closed: open it in a with statement"):
        adapter.count()
    with adapter:
        assert adapter.count() == "1"
    adapter.close()


def test_any_thread_and_any_loop_may_use_it(prepared: object) -> None:
    with Adapter(HeldSandbox(None, {})) as adapter:
        with ThreadPoolExecutor(4) as threads:
            counted = sorted(str(future.result()) for future in [threads.submit(adapter.count) for _ in range(4)])
        assert counted == ["1", "2", "3", "4"]
        assert asyncio.run(adapter.count_async()) == "5"
        assert asyncio.run(adapter.count_async()) == "6"


async def test_async_code_opens_and_closes_it(prepared: object) -> None:
    async with Adapter(HeldSandbox(None, {})) as adapter:
        assert await adapter.count_async() == "1"
    with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
        await adapter.count_async()


async def test_cancelling_a_call_stops_it_and_keeps_variables(prepared: object) -> None:
    async with Adapter(HeldSandbox(None, {})) as adapter:
        await adapter.count_async()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await adapter._held.call_async(lambda box: box.run("while True: pass"))  # pyright: ignore[reportPrivateUsage] - as its subclasses do
        async with asyncio.timeout(10):
            assert await adapter.count_async() == "2"


def test_one_that_was_given_stays_open(prepared: object) -> None:
    with SyncSandbox() as box:
        adapter = Adapter(HeldSandbox(box, {}))
        with adapter:
            assert adapter.count() == "1"
        with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
            adapter.count()
        assert box.run("n").value == "1"
    with adapter, pytest.raises(SandboxUnavailable, match="not open"):
        adapter.count()


async def test_a_given_async_sandbox_is_for_async_code(prepared: object) -> None:
    async with Sandbox() as box:
        async with Adapter(HeldSandbox(box, {})) as adapter:
            assert await adapter.count_async() == "1"
            with pytest.raises(SandboxUnavailable, match=r"give it a cloche\.SyncSandbox, or none"):
                adapter.count()
        assert (await box.run("n")).value == "1"


def test_wrong_options_are_reported_at_once() -> None:
    with pytest.raises(ConfigError, match="memory_mb"):
        HeldSandbox(None, {"memory_mb": 1})
    with pytest.raises(ConfigError, match="not both: env, timeout"):
        HeldSandbox(SyncSandbox(), {"env": {}, "timeout": 1})


def test_a_start_that_fails_can_be_tried_again(prepared: object) -> None:
    adapter = Adapter(HeldSandbox(None, {"workspace": "/no/such/folder"}))
    for _ in range(2):
        with pytest.raises(ConfigError, match="/no/such/folder"):
            adapter.count()


def test_one_that_nothing_refers_to_ends_its_sandbox(prepared: object) -> None:
    adapter = Adapter(HeldSandbox(None, {}))
    assert adapter.count() == "1"
    del adapter
    gc.collect()
    end = time.monotonic() + 10
    while loops() and time.monotonic() < end:
        time.sleep(0.01)
    assert not loops()
