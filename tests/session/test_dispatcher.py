"""Actions of a stream are executed in order, and each has exactly one observation."""

from collections.abc import AsyncGenerator, Awaitable, Callable

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.events import (
    Action,
    AgentThinkAction,
    CmdRunAction,
    ErrorObservation,
    Event,
    EventStream,
    MemoryStore,
    MessageAction,
    Observation,
    SuccessObservation,
    UserRejectObservation,
    event_from_dict,
    is_observation,
)
from cloche.runtime import Runtime
from cloche.session import Dispatcher


class Scripted(Runtime):
    """A runtime that does what it is told."""

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
