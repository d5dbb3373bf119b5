"""Actions of a stream are executed in order, and each has exactly one observation."""

import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import StoreFull
from cloche.events import (
    AWAITING_CONFIRMATION,
    Action,
    AgentThinkAction,
    CmdRunAction,
    ErrorObservation,
    Event,
    EventStream,
    MemoryStore,
    MessageAction,
    Observation,
    SQLiteStore,
    SuccessObservation,
    UserRejectObservation,
    event_from_dict,
    is_observation,
)
from cloche.runtime import Runtime
from cloche.session import Dispatcher, dispatcher


class Scripted(Runtime):
    """A runtime that follows a script."""

    act: Callable[[Action], Awaitable[Observation]] | None = None

    async def attach(self) -> None:
        pass

    async def perform(self, action: Action, *, timeout: float, key: str) -> Observation:
        return await self.act(action) if self.act else SuccessObservation(f"{timeout} {key}")

    async def detach(self) -> None:
        pass


@pytest.fixture
async def stream() -> AsyncGenerator[EventStream]:
    async with MemoryStore() as store, EventStream("s", store) as stream:
        yield stream


async def answers(stream: EventStream) -> dict[int | None, list[Event]]:
    found: dict[int | None, list[Event]] = {}
    for event in [event async for event in stream.get_events()]:
        if is_observation(event.body):
            found.setdefault(event.cause, []).append(event)
    return found


async def serve(stream: EventStream, runtime: Runtime, number: int) -> None:
    """Serve until so many observations are there."""
    with anyio.fail_after(10):
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(Dispatcher(stream, runtime).run)
            async for event in stream.follow():
                number -= is_observation(event.body)
                if not number:
                    break
            tasks.cancel_scope.cancel()


async def test_an_action_is_answered_with_its_cause_and_source(stream: EventStream) -> None:
    await stream.add_event(MessageAction("do it"), "user")
    await stream.add_event(
        event_from_dict(
            {"action": "run", "args": {"command": "ls"}, "timeout": 7, "tool_call_metadata": {"tool_call_id": "t"}}
        ),
        "agent",
    )
    await serve(stream, Scripted(), 1)
    (answer,) = (await answers(stream))[1]
    assert answer.body == SuccessObservation("7.0 s/1")
    assert (answer.source, answer.tool_call_metadata) == ("agent", {"tool_call_id": "t"})


async def test_thoughts_are_answered_and_messages_are_not(stream: EventStream) -> None:
    await stream.add_events([MessageAction("a"), AgentThinkAction("b"), MessageAction("c")], "agent")
    await serve(stream, Scripted(), 1)
    assert list(await answers(stream)) == [1]


async def test_what_was_answered_before_is_not_executed_again(stream: EventStream) -> None:
    await stream.add_event(CmdRunAction("first"), "agent")
    await serve(stream, Scripted(), 1)
    await stream.add_event(CmdRunAction("second"), "agent")
    await serve(stream, Scripted(), 2)
    assert {cause: len(events) for cause, events in (await answers(stream)).items()} == {0: 1, 2: 1}


async def test_an_action_that_somebody_began_and_never_finished_is_answered_and_not_begun_again(
    stream: EventStream,
) -> None:
    await stream.add_events([CmdRunAction("begun"), CmdRunAction("waiting")], "agent")
    assert await stream.claim(0)
    await serve(stream, Scripted(), 2)
    found = await answers(stream)
    assert "How far it came is not known" in str(found[0][0].message)
    assert found[1][0].body == SuccessObservation("120.0 s/1")
    assert {cause: len(events) for cause, events in found.items()} == {0: 1, 1: 1}


async def test_what_no_runtime_has_to_see_is_not_taken_for_lost_when_a_session_is_served_again(
    stream: EventStream,
) -> None:
    waiting = CmdRunAction("rm x", confirmation_state=AWAITING_CONFIRMATION)
    await stream.add_events([MessageAction("do it"), waiting, AgentThinkAction("hm")], "agent")
    await serve(stream, Scripted(), 1)
    await stream.add_event(CmdRunAction("ls"), "agent")
    await serve(stream, Scripted(), 2)
    assert {cause: [event.kind for event in events] for cause, events in (await answers(stream)).items()} == {
        2: ["think"],
        4: ["success"],
    }


async def test_of_two_dispatchers_only_one_executes_an_action(stream: EventStream) -> None:
    done: list[Action] = []

    async def act(action: Action) -> Observation:
        done.append(action)
        return SuccessObservation("")

    one, two = Scripted(), Scripted()
    one.act = two.act = act
    with anyio.fail_after(10):
        async with one, two, anyio.create_task_group() as tasks:
            for runtime in (one, two):
                tasks.start_soon(Dispatcher(stream, runtime).run)
            await anyio.wait_all_tasks_blocked()
            await stream.add_events([CmdRunAction(str(number)) for number in range(20)], "agent")
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    assert {cause: len(events) for cause, events in (await answers(stream)).items()} == dict.fromkeys(range(20), 1)
    assert sorted(action.command for action in done if isinstance(action, CmdRunAction)) == sorted(map(str, range(20)))


async def test_an_action_that_runs_at_a_sigkill_is_executed_once(tmp_path: Path) -> None:
    path, marks = tmp_path / "events.db", tmp_path / "marks"
    async with SQLiteStore(path) as store:
        stream = EventStream("s", store)
        await stream.add_events([CmdRunAction("first"), CmdRunAction("second")], "agent")
        killed = await anyio.run_process([sys.executable, "-c", DOOMED, str(path), str(marks)], check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        await serve(stream, Scripted(), 2)
        found = await answers(stream)
    assert marks.read_text() == "first\n"
    assert "How far it came is not known" in str(found[0][0].message)
    assert found[1][0].body == SuccessObservation("120.0 s/1")


DOOMED = """
import os, signal, sys
import anyio
from cloche.events import EventStream, SQLiteStore
from cloche.runtime import Runtime
from cloche.session import Dispatcher

class Doomed(Runtime):
    async def attach(self): pass
    async def detach(self): pass
    async def perform(self, action, *, timeout, key):
        with open(sys.argv[2], "a") as marks:
            print(action.command, file=marks)
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with SQLiteStore(sys.argv[1]) as store, Doomed() as runtime:
        await Dispatcher(EventStream("s", store), runtime).run()

anyio.run(main)
"""


async def test_a_judge_may_answer_in_the_place_of_the_runtime(stream: EventStream) -> None:
    async def judge(event: Event) -> Observation | None:
        return UserRejectObservation("no")

    action = await stream.add_event(CmdRunAction("rm -rf /"), "agent")
    async with Scripted() as runtime:
        answer = await Dispatcher(stream, runtime, judge=judge).handle(action)
    assert answer is not None
    assert answer.body == UserRejectObservation("no")


async def test_a_judge_that_fails_lets_nothing_run(stream: EventStream) -> None:
    async def judge(event: Event) -> Observation | None:
        raise ConnectionError("no policy")

    action = await stream.add_event(CmdRunAction("ls"), "agent")
    async with Scripted() as runtime:
        answer = await Dispatcher(stream, runtime, judge=judge).handle(action)
    assert answer is not None
    assert answer.body == ErrorObservation("`run` failed: ConnectionError: no policy", "AGENT_ERROR$DISPATCHER")


async def test_a_cancelled_action_is_answered_too(stream: EventStream) -> None:
    async def hang(_: Action) -> Observation:
        started.set()
        await anyio.sleep_forever()
        raise AssertionError

    started, runtime = anyio.Event(), Scripted()
    runtime.act = hang
    await stream.add_event(CmdRunAction("sleep"), "agent")
    with anyio.fail_after(10):
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(Dispatcher(stream, runtime).run)
            await started.wait()
            tasks.cancel_scope.cancel()
    (answer,) = (await answers(stream))[0]
    assert "cancelled" in str(answer.message)


@given(st.lists(st.sampled_from(["fine", "fails", "unknown", "think"]), min_size=1, max_size=12))
def test_every_runnable_action_has_exactly_one_observation(kinds: list[str]) -> None:
    async def act(action: Action) -> Observation:
        if isinstance(action, CmdRunAction) and action.command == "fails":
            raise OSError("broken")
        return SuccessObservation("")

    async def check() -> None:
        async with MemoryStore() as store, EventStream("s", store) as stream:
            runtime = Scripted()
            runtime.act = act
            await stream.add_events([made(kind) for kind in kinds], "agent")
            await serve(stream, runtime, len(kinds))
            counts = {cause: len(events) for cause, events in (await answers(stream)).items()}
            assert counts == dict.fromkeys(range(len(kinds)), 1)

    anyio.run(check)


def made(kind: str) -> Event:
    if kind == "unknown":
        return event_from_dict({"action": "from_the_future", "args": {}})
    return event_from_dict(
        {"action": "think", "args": {"thought": "x"}}
        if kind == "think"
        else {"action": "run", "args": {"command": kind}}
    )


async def test_an_observation_that_cannot_be_kept_is_answered_by_an_error(stream: EventStream) -> None:
    async def act(action: Action) -> Observation:
        return SuccessObservation("\ud800")

    runtime = Scripted()
    runtime.act = act
    await stream.add_events([CmdRunAction("a"), CmdRunAction("b")])
    await serve(stream, runtime, 2)
    for (answer,) in (await answers(stream)).values():
        assert isinstance(answer.body, ErrorObservation)
        assert "`run` was executed, but its observation cannot be kept: An event" in answer.body.content


class Tight(MemoryStore):
    """A store without room for the first so many observations."""

    full = 0

    async def append(self, sid: str, events: Sequence[Event]) -> list[Event]:
        if self.full and is_observation(events[0].body):
            self.full -= 1
            raise StoreFull("no room")
        return await super().append(sid, events)


async def test_an_observation_that_waits_for_room_is_not_mixed_up_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked_meanwhile(_: Action) -> Observation:
        begun.set()
        return SuccessObservation("")

    monkeypatch.setattr(dispatcher, "STORE_RETRY", 0.01)
    runtime, begun = Scripted(), anyio.Event()
    runtime.act = asked_meanwhile
    async with Tight() as store, EventStream("s", store) as stream, runtime:
        store.full = 1
        serving = Dispatcher(stream, runtime)
        first = await stream.add_event(CmdRunAction("a"))
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serving.run)
                await begun.wait()
                while store.full:
                    await anyio.lowlevel.checkpoint()
                await serving.handle(await stream.add_event(CmdRunAction("b")))
                async for event in stream.follow():
                    if event.cause == first.id:
                        break
                tasks.cancel_scope.cancel()
        assert {cause: len(found) for cause, found in (await answers(stream)).items()} == {0: 1, 1: 1}


async def test_an_answer_that_finds_no_room_is_given_and_kept_later() -> None:
    runtime = Scripted()
    async with Tight() as store, EventStream("s", store) as stream, runtime:
        stream.set_secrets({"key": "hunter22"})
        store.full = 2
        serving = Dispatcher(stream, runtime)
        answer = await serving.handle(await stream.add_event(CmdRunAction("echo hunter22")))
        assert answer is not None
        assert (answer.id, answer.cause, serving.waiting) == (None, 0, [0])
        assert "hunter22" not in repr(answer)
        with pytest.raises(StoreFull):
            await serving.append_waiting()
        await serving.append_waiting()
        assert serving.waiting == []
        assert {cause: len(found) for cause, found in (await answers(stream)).items()} == {0: 1}


async def test_an_observation_waits_for_room_and_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "STORE_RETRY", 0.01)
    async with Tight() as store, EventStream("s", store) as stream:
        store.full = 3
        await stream.add_events([CmdRunAction("a"), CmdRunAction("b")])
        await serve(stream, Scripted(), 2)
        assert {cause: len(found) for cause, found in (await answers(stream)).items()} == {0: 1, 1: 1}


async def test_a_dispatcher_that_is_run_again_stores_what_waits_and_answers_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatcher, "STORE_RETRY", 0.01)
    async with Tight() as store, EventStream("s", store) as stream, Scripted() as runtime:
        store.full = 1_000_000
        serving = Dispatcher(stream, runtime)
        await stream.add_event(CmdRunAction("a"))
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serving.run)
                while not serving.waiting:
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            store.full = 0
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serving.run)
                await stream.add_event(CmdRunAction("b"))
                async for event in stream.follow():
                    if event.cause == 1:
                        break
                tasks.cancel_scope.cancel()
        found = {cause: [event.kind for event in events] for cause, events in (await answers(stream)).items()}
        assert found == {0: ["success"], 1: ["success"]}


async def test_a_dispatcher_that_runs_twice_at_once_does_not_take_its_own_action_for_lost(stream: EventStream) -> None:
    async def hang(_: Action) -> Observation:
        begun.set()
        await ended.wait()
        return SuccessObservation("")

    begun, ended, runtime = anyio.Event(), anyio.Event(), Scripted()
    runtime.act = hang
    await stream.add_event(CmdRunAction("a"), "agent")
    with anyio.fail_after(10):
        async with runtime, anyio.create_task_group() as tasks:
            serving = Dispatcher(stream, runtime)
            tasks.start_soon(serving.run)
            await begun.wait()
            tasks.start_soon(serving.run)
            await anyio.wait_all_tasks_blocked()
            ended.set()
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    assert {cause: [event.kind for event in events] for cause, events in (await answers(stream)).items()} == {
        0: ["success"]
    }
