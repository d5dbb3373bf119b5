"""AgentController on a real stream, without a runtime: states, limits, errors of models."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from cloche.errors import LLMContextExceeded, LLMRateLimited, LLMUnavailable
from cloche.events import (
    Action,
    AgentDelegateAction,
    AgentFinishAction,
    AgentRejectAction,
    AgentStateChangedObservation,
    ChangeAgentStateAction,
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    Event,
    EventStream,
    LoopDetectionObservation,
    LoopRecoveryAction,
    MemoryStore,
    MessageAction,
    Observation,
    new_event,
)
from cloche.events.event import Body
from cloche.limits import EVENT_LIMIT
from cloche.llm import Message, Reply, ScriptedLLM, Usage
from cloche.llm.scripted import Script
from cloche.session.agents import Agent, StepState
from cloche.session.agents.scripted_agent import ScriptedAgent
from cloche.session.agents.tool_agent import ToolAgent
from cloche.session.control.budget import Budget
from cloche.session.control.controller import AgentController
from cloche.session.control.states import AgentState

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def working(
    agent: Agent, script: Script = (), *, budget: Budget | None = None, headless: bool = False
) -> AsyncGenerator[tuple[AgentController, EventStream]]:
    async with MemoryStore() as store:
        stream = EventStream("s", store)
        model = ScriptedLLM(script)
        controller = AgentController(stream, agent, model=model, budget=budget, headless=headless)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(controller.run)
            with anyio.fail_after(10):
                yield controller, stream
            tasks.cancel_scope.cancel()


async def list_states(stream: EventStream) -> list[str]:
    events = [event async for event in stream.get_events()]
    return [event.body.agent_state for event in events if isinstance(event.body, AgentStateChangedObservation)]


class Thinker:
    """Takes for ever over its first step."""

    def __init__(self) -> None:
        self.began = anyio.Event()
        self.cancelled = False

    async def step(self, state: StepState) -> Sequence[Action | Event]:
        if self.began.is_set():
            return [AgentFinishAction("second")]
        self.began.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.cancelled = True
        return []


@pytest.mark.parametrize("state", [AgentState.PAUSED, AgentState.STOPPED])
async def test_an_agent_pauses_in_the_middle_of_a_step_and_goes_on(state: AgentState) -> None:
    thinker = Thinker()
    async with working(thinker) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        await thinker.began.wait()
        await stream.add_event(ChangeAgentStateAction(state), "user")
        assert await controller.wait() is state
        assert thinker.cancelled
        await stream.add_event(ChangeAgentStateAction("running"), "user")
        await controller.wait(AgentState.FINISHED)
        assert await list_states(stream) == ["running", state, "running", "finished"]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (LLMRateLimited("too many requests"), AgentState.RATE_LIMITED),
        (LLMUnavailable("the server is away"), AgentState.ERROR),
        (ValueError("a bug"), AgentState.ERROR),
        (ValueError("a long bug " * 2_000_000), AgentState.ERROR),
    ],
)
async def test_an_error_of_the_model_is_a_state_and_the_session_goes_on(error: Exception, state: AgentState) -> None:
    async with working(ToolAgent(), [error, "hello"]) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is state
        assert str(error)[:1000] in controller.reason
        await stream.add_event(MessageAction("again"), "user")
        await controller.wait(AgentState.AWAITING_USER_INPUT)


async def test_a_window_that_is_exceeded_shortens_the_conversation() -> None:
    script = [LLMContextExceeded("too long"), LLMContextExceeded("too long"), "fine"]
    async with working(ToolAgent(), script) as (controller, stream):
        for _ in range(8):
            run = await stream.add_event(CmdRunAction("ls"), "user")
            await stream.add_event(new_event(CmdOutputObservation("x" * 9000, "ls"), "user", answers=run))
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait(AgentState.AWAITING_USER_INPUT, AgentState.ERROR) is AgentState.AWAITING_USER_INPUT


async def test_a_window_that_even_the_task_exceeds_is_an_error() -> None:
    async with working(ToolAgent(), [LLMContextExceeded("too long")] * 9) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert "does not fit into the model's window" in controller.reason


async def test_a_window_that_is_exceeded_again_and_again_is_a_loop_that_can_be_left() -> None:
    def answer(messages: Sequence[Message], _: object) -> str | Exception:
        ran = any("the user ran this" in message.content for message in messages)
        return LLMContextExceeded("too long") if ran else "thinking"

    async with working(ToolAgent(), answer) as (controller, stream):
        for number in range(2):
            await controller.catch_up(await stream.add_event(MessageAction(f"go {number}"), "user"))
            await controller.wait(AgentState.AWAITING_USER_INPUT)
        run = await stream.add_event(CmdRunAction("ls"), "user")
        await stream.add_event(new_event(CmdOutputObservation("x" * 90_000, "ls"), "user", answers=run))
        await controller.catch_up(await stream.add_event(ChangeAgentStateAction("running"), "user"))
        assert await controller.wait() is AgentState.PAUSED
        assert controller.is_in_loop
        assert "does not fit into the model's window" in controller.reason
        assert isinstance(
            (await stream.get_event(await stream.get_latest_event_id() - 1)).body, LoopDetectionObservation
        )
        await controller.catch_up(await stream.add_event(LoopRecoveryAction(1), "user"))
        assert not controller.is_in_loop
        assert await controller.wait() is AgentState.AWAITING_USER_INPUT
        told = [message.content for message in controller.history.messages]
        assert [text for text in told if "left out" not in text] == ["go 0", "go 1", "thinking"]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(iterations=2), "2 steps"),
        (Budget(tokens=100), "100 tokens"),
        (Budget(cost=0.5), "an estimated cost of 0.5"),
        (Budget(seconds=0.0), "0 seconds"),
    ],
)
async def test_budgets_end_a_task_and_another_message_goes_on(budget: Budget, reason: str) -> None:
    reply = Reply(text="thinking", usage=Usage(60, 40), cost=0.6)
    async with working(ToolAgent(), [reply] * 9, budget=budget, headless=True) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert reason in controller.reason


@pytest.mark.parametrize("acts", [False, True])
async def test_a_task_ends_in_the_middle_of_a_thought_or_an_action_when_its_time_is_over(acts: bool) -> None:
    thinker = Thinker()
    agent = ScriptedAgent([CmdRunAction("sleep 60"), CmdRunAction("ls")]) if acts else thinker
    async with working(agent, budget=Budget(seconds=0.1)) as (controller, stream):

        async def interrupt() -> None:
            [action] = [event async for event in stream.get_events() if isinstance(event.body, CmdRunAction)]
            await stream.add_event(new_event(ErrorObservation("it was interrupted"), "agent", answers=action))

        controller.interrupt = interrupt
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert "limit of 0.1 seconds" in controller.reason
        if acts:
            async for event in stream.follow():
                if isinstance(event.body, ErrorObservation):
                    break
        else:
            assert thinker.cancelled


async def test_only_time_in_which_the_agent_works_counts() -> None:
    async with working(ScriptedAgent(), budget=Budget(seconds=0.5)) as (controller, stream):
        spending = controller.spending
        await controller.change(AgentState.RUNNING)
        assert spending.seconds_left < 0.5
        await controller.change(AgentState.PAUSED)
        left = spending.seconds_left
        await stream.add_event(CmdRunAction("ls"), "user")
        assert spending.seconds_left == left


async def test_limits_count_on_when_a_killed_task_goes_on_and_begin_anew_with_a_message() -> None:
    reply = Reply(text="thinking", usage=Usage(60, 40))
    async with working(ToolAgent(), [reply] * 9, budget=Budget(tokens=150), headless=True) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        await controller.wait()
        for last, left in (("running", 1), ("message", 150)):
            again = AgentController(stream, ScriptedAgent(), budget=Budget(tokens=150))
            body = AgentStateChangedObservation("", "running") if last == "running" else MessageAction("again")
            await stream.add_event(body, "environment" if last == "running" else "user")
            await again.restore()
            assert again.state is AgentState.RUNNING
            assert again.spending.tokens == 200
            assert again.spending.remaining.tokens == left


@pytest.mark.parametrize(
    ("cut_off", "source", "state"),
    [
        (MessageAction("go on"), "user", AgentState.RUNNING),
        (MessageAction("what?", wait_for_response=True), "agent", AgentState.AWAITING_USER_INPUT),
        (AgentFinishAction("done"), "agent", AgentState.FINISHED),
        (AgentRejectAction(), "agent", AgentState.REJECTED),
        (ChangeAgentStateAction("stopped"), "user", AgentState.STOPPED),
        (ChangeAgentStateAction("nonsense"), "user", AgentState.PAUSED),
        (LoopRecoveryAction(2), "user", AgentState.RUNNING),
        (AgentStateChangedObservation("", "awaiting_user_confirmation"), "environment", AgentState.RUNNING),
    ],
)
async def test_what_was_said_before_a_crash_holds_although_the_new_state_was_not_stored(
    cut_off: Body, source: str, state: AgentState
) -> None:
    async with MemoryStore() as store:
        stream = EventStream("s", store)
        await stream.add_event(AgentStateChangedObservation("", "paused"))
        await stream.add_event(cut_off, source)
        controller = AgentController(stream, ScriptedAgent())
        await controller.restore()
        assert controller.state is state


async def test_an_agent_that_chooses_nothing_is_an_error() -> None:
    async with working(ScriptedAgent([[]])) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert "has chosen nothing to do" in controller.reason


async def test_what_cannot_be_stored_is_an_error_and_the_session_goes_on() -> None:
    huge = CmdRunAction("x" * (EVENT_LIMIT + 1))
    async with working(ScriptedAgent([huge])) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert "What the agent wants cannot be kept" in controller.reason
        await stream.add_event(MessageAction("again"), "user")
        await controller.wait(AgentState.FINISHED)


async def test_secrets_in_the_errors_of_a_model_are_masked_in_the_reason_too() -> None:
    async with working(ToolAgent(), [LLMUnavailable("it said: the key was sk-123456")]) as (controller, stream):
        stream.update_secrets({"key": "sk-123456"})
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.ERROR
        assert controller.reason == "it said: the key was <secret_hidden>"


async def test_messages_to_itself_are_a_loop_that_can_be_left() -> None:
    async with working(ToolAgent(), ["I go on"] * 4 + ["x"], headless=True) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.PAUSED
        found = [event async for event in stream.get_events() if isinstance(event.body, LoopDetectionObservation)]
        assert len(found) == 1
        await controller.catch_up(await stream.add_event(LoopRecoveryAction(1), "user"))
        assert await controller.wait() is AgentState.ERROR
        told = [message.content for message in controller.history.messages]
        assert told == ["go", "I go on", "x"]
        again = AgentController(stream, ToolAgent())
        await again.restore()
        assert [message.content for message in again.history.messages] == told


async def test_a_loop_that_was_found_before_a_crash_can_be_left_after_it() -> None:
    async with working(ToolAgent(), ["I go on"] * 4, headless=True) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        assert await controller.wait() is AgentState.PAUSED
        again = AgentController(stream, ScriptedAgent())
        await again.restore()
        assert again.is_in_loop
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(again.run)
            await again.catch_up(await stream.add_event(LoopRecoveryAction(1), "user"))
            await again.wait(AgentState.FINISHED)
            assert [message.content for message in again.history.messages] == ["go", "The script has ended."]
            tasks.cancel_scope.cancel()


async def test_a_delegation_that_a_crash_has_cut_off_is_answered_and_the_agent_goes_on() -> None:
    async with MemoryStore() as store:
        stream = EventStream("s", store)
        await stream.add_event(MessageAction("go"), "user")
        await stream.add_event(AgentStateChangedObservation("", "running"))
        cut = await stream.add_event(AgentDelegateAction("Other", {"task": "x"}), "agent")
        controller = AgentController(stream, ScriptedAgent())
        await controller.restore()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(controller.run)
            with anyio.fail_after(10):
                await controller.wait(AgentState.FINISHED)
            tasks.cancel_scope.cancel()
        answers = [event.body async for event in stream.get_events() if event.cause == cut.id]
    assert [type(answer) for answer in answers] == [ErrorObservation]


async def test_delegations_end_when_the_agent_is_stopped() -> None:
    async with working(ScriptedAgent([AgentDelegateAction("Other", {"task": "x"})])) as (controller, stream):
        begun = anyio.Event()

        async def delegate(_: Event) -> Observation:
            begun.set()
            await anyio.sleep_forever()
            raise AssertionError

        controller.delegate = delegate
        await stream.add_event(MessageAction("go"), "user")
        await begun.wait()
        await controller.catch_up(await stream.add_event(ChangeAgentStateAction("stopped"), "user"))
        async for event in stream.follow():
            if isinstance(event.body, ErrorObservation):
                assert "the agent was stopped" in event.body.content
                break


async def test_a_question_that_nobody_answers_is_answered_by_none() -> None:
    async with working(ScriptedAgent()) as (controller, stream):
        await controller.change(AgentState.RUNNING)
        assert await controller.confirm(0.05) is None
        assert (await list_states(stream))[:2] == ["running", "awaiting_user_confirmation"]


@pytest.mark.parametrize(("said", "answer"), [("user_confirmed", True), ("user_rejected", False), ("stopped", False)])
async def test_users_answer_questions(said: str, answer: bool) -> None:
    async with working(ScriptedAgent()) as (controller, stream), anyio.create_task_group() as tasks:

        async def reply() -> None:
            await controller.wait(AgentState.AWAITING_USER_CONFIRMATION)
            await stream.add_event(ChangeAgentStateAction(said), "user")

        tasks.start_soon(reply)
        assert await controller.confirm(5) is answer


async def test_a_message_is_no_yes_to_a_question_and_going_on_is_none_either() -> None:
    async with working(ScriptedAgent()) as (controller, stream), anyio.create_task_group() as tasks:

        async def reply() -> None:
            await controller.wait(AgentState.AWAITING_USER_CONFIRMATION)
            await controller.catch_up(await stream.add_event(ChangeAgentStateAction("running"), "user"))
            assert controller.state is AgentState.AWAITING_USER_CONFIRMATION
            await stream.add_event(MessageAction("do something else"), "user")

        tasks.start_soon(reply)
        assert await controller.confirm(5) is False
        assert controller.state is not AgentState.AWAITING_USER_CONFIRMATION


async def test_half_a_conversation_is_continued_with_a_word_of_the_user() -> None:
    asked: list[str] = []

    def answer(messages: Sequence[object], _: object) -> str:
        asked.append(getattr(messages[-1], "content", ""))
        return "hm"

    async with working(ToolAgent(), answer, headless=True) as (controller, stream):
        await stream.add_event(MessageAction("go"), "user")
        await controller.wait()
    assert asked[:2] == ["go", "Go on with the task; when it is done, call finish."]
