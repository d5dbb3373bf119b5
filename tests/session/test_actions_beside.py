"""Actions that callers do themselves: on record like all others, each with exactly one observation."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from cloche.errors import SessionError
from cloche.events import (
    CmdRunAction,
    ErrorObservation,
    Event,
    EventStream,
    MCPAction,
    MemoryStore,
    Observation,
    SQLiteStore,
    SuccessObservation,
    is_observation,
    new_event,
)
from cloche.runtime.live_output import Hear
from cloche.session import Dispatcher, actions_beside
from tests.session.test_dispatcher import Scripted, Tight, answers

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


@pytest.fixture
async def stream() -> AsyncGenerator[EventStream]:
    async with MemoryStore() as store, EventStream("s", store) as stream:
        yield stream


def action(name: str = "install") -> Event:
    return new_event(MCPAction(name), "user")


async def done(_: Hear) -> Observation:
    await checkpoint()
    return SuccessObservation("done")


async def test_work_is_on_record_with_what_it_prints(stream: EventStream) -> None:
    heard: list[tuple[int, str, str]] = []
    stream.set_secrets({"key": "hunter22"})

    async def work(hear: Hear) -> Observation:
        hear("stdout", "a hunt")
        hear("stdout", "er22!")
        return SuccessObservation("hunter22")

    async with Scripted() as runtime:
        dispatcher = Dispatcher(stream, runtime, on_output=lambda id, name, text: heard.append((id, name, text)))
        answer = await dispatcher.perform(action(), work)
    assert "".join(text for _, _, text in heard) == "a <secret_hidden>!"
    assert (answer.id, answer.cause, answer.source) == (1, 0, "user")
    assert "hunter22" not in repr(answer)


async def test_what_the_dispatcher_takes_and_what_is_done_beside_it_is_each_done_once(tmp_path: Path) -> None:
    count = 40
    executed: Counter[str] = Counter()

    async def execute(given: object) -> Observation:
        assert isinstance(given, CmdRunAction)
        executed[given.command] += 1
        await checkpoint()
        return SuccessObservation("")

    async with SQLiteStore(tmp_path / "events.db") as store, EventStream("s", store) as stream, Scripted() as runtime:
        runtime.act = execute
        dispatcher = Dispatcher(stream, runtime)

        async def beside(number: int) -> None:
            async def work(_: Hear) -> Observation:
                executed[f"beside {number}"] += 1
                await anyio.sleep(0.001 * (number % 3))
                return SuccessObservation("")

            await dispatcher.perform(action(), work)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                # From the very beginning: the dispatcher does not know yet what was there before it.
                tasks.start_soon(dispatcher.run)
                for number in range(count):
                    tasks.start_soon(beside, number)
                    tasks.start_soon(stream.add_event, CmdRunAction(f"taken {number}"), "user")
                found = 0
                async for event in stream.follow():
                    found += is_observation(event.body)
                    if found == 2 * count:
                        break
                tasks.cancel_scope.cancel()
        assert executed == Counter({f"{kind} {number}": 1 for kind in ("beside", "taken") for number in range(count)})
        assert {len(each) for each in (await answers(stream)).values()} == {1}
        # One that comes later finds nothing to do.
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Dispatcher(stream, runtime).run)
            await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
        assert {len(each) for each in (await answers(stream)).values()} == {1}


async def test_work_does_not_wait_for_what_the_dispatcher_executes(stream: EventStream) -> None:
    begun = anyio.Event()

    async def hang(_: object) -> Observation:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with Scripted() as runtime, anyio.create_task_group() as tasks:
        runtime.act = hang
        dispatcher = Dispatcher(stream, runtime)
        tasks.start_soon(dispatcher.run)
        await stream.add_event(CmdRunAction("hang"), "user")
        with anyio.fail_after(10):
            await begun.wait()
            assert (await dispatcher.perform(action(), done)).cause == 1
        tasks.cancel_scope.cancel()


async def test_work_that_fails_is_answered(stream: EventStream, caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_: Hear) -> Observation:
        await checkpoint()
        raise RuntimeError("unforeseen")

    async with Scripted() as runtime:
        with caplog.at_level(logging.ERROR):
            answer = await Dispatcher(stream, runtime).perform(action(), fail)
    assert isinstance(answer.body, ErrorObservation)
    assert "while it was executed" in caplog.text


async def test_a_caller_that_is_cancelled_leaves_one_observation(stream: EventStream) -> None:
    begun = anyio.Event()

    async def hang(_: Hear) -> Observation:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with Scripted() as runtime:
        dispatcher = Dispatcher(stream, runtime)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(dispatcher.run)
            async with anyio.create_task_group() as callers:
                callers.start_soon(dispatcher.perform, action(), hang)
                await begun.wait()
                callers.cancel_scope.cancel()
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    ((answer,),) = (await answers(stream)).values()
    assert isinstance(answer.body, ErrorObservation)
    assert "cancelled" in answer.body.content


async def test_the_end_waits_until_work_has_its_observation(stream: EventStream) -> None:
    begun, left = anyio.Event(), anyio.Event()
    refused: list[str] = []

    async def hang(_: Hear) -> Observation:
        try:
            begun.set()
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.05)
                left.set()
        raise AssertionError

    async def call(dispatcher: Dispatcher) -> None:
        try:
            await dispatcher.perform(action(), hang)
        except SessionError as error:
            refused.append(str(error))

    async with Scripted() as runtime, anyio.create_task_group() as tasks:
        dispatcher = Dispatcher(stream, runtime)
        tasks.start_soon(call, dispatcher)
        await begun.wait()
        await dispatcher.end()
        assert left.is_set()
        ((answer,),) = (await answers(stream)).values()
        assert isinstance(answer.body, ErrorObservation)
        assert "the session was closed" in answer.body.content
        with pytest.raises(SessionError, match="was closed"):
            await dispatcher.perform(action(), done)
    assert len(refused) == 1
    assert await stream.get_latest_event_id() == 1


async def test_work_that_outlives_the_end_adds_nothing(stream: EventStream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions_beside, "END_WAIT", 0.01)
    begun, free = anyio.Event(), anyio.Event()

    async def stubborn(_: Hear) -> Observation:
        begun.set()
        with anyio.CancelScope(shield=True):
            await free.wait()
        return SuccessObservation("late")

    async def call(dispatcher: Dispatcher) -> None:
        with pytest.raises(SessionError):
            await dispatcher.perform(action(), stubborn)

    async with Scripted() as runtime, anyio.create_task_group() as tasks:
        dispatcher = Dispatcher(stream, runtime)
        tasks.start_soon(call, dispatcher)
        await begun.wait()
        await dispatcher.end()
        free.set()
    # Who ends a session answers what is open: this would be a second answer.
    assert await answers(stream) == {}


async def test_an_observation_that_finds_no_room_is_given_and_kept_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.session.dispatcher.STORE_RETRY", 0.01)
    async with Tight() as store, EventStream("s", store) as stream, Scripted() as runtime:
        dispatcher = Dispatcher(stream, runtime)

        async def work(_: Hear) -> Observation:
            store.full = 2
            await checkpoint()
            return SuccessObservation("done")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(dispatcher.keep_trying)
            answer = await dispatcher.perform(action(), work)
            assert (answer.id, answer.body) == (None, SuccessObservation("done"))
            with anyio.fail_after(10):
                async for event in stream.follow():
                    if event.cause == 0:
                        break
            tasks.cancel_scope.cancel()
