"""An agent whose model has a bad day: it goes on, or stops with a reason, and its session lives."""

from collections.abc import Sequence

import anyio
import pytest

from cloche.config import LLMConfig
from cloche.events import ErrorObservation, EventStream, MemoryStore, MessageAction
from cloche.llm import ToolCall, open_llm
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
from cloche.session.agents.tool_agent import ToolAgent
from cloche.session.control.controller import AgentController
from cloche.session.control.states import AgentState

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

FINISH = ToolCall("9", "finish", '{"message": "done"}')
TALK = "I think that"


def call(name: str, arguments: str) -> ServerTurn:
    return ServerTurn(tool_calls=(ToolCall("1", name, arguments),))


async def work(
    turns: Sequence[ServerTurn | ToolCall], *, timeout: float = 20, num_retries: int = 1
) -> tuple[AgentState, str, list[str]]:
    """How an agent ends with these answers: its state, the reason, and the errors that it was told."""
    async with ScriptedServer([*turns, *[FINISH] * 5]) as server, MemoryStore() as store:
        stream = EventStream("s", store)
        config = LLMConfig(model="m", base_url=server.base_url, timeout=timeout, num_retries=num_retries)
        model = open_llm(config)
        controller = AgentController(stream, ToolAgent(), model=model, headless=True)
        async with model, anyio.create_task_group() as tasks:
            tasks.start_soon(controller.run)
            await controller.catch_up(await stream.add_event(MessageAction("go"), "user"))
            with anyio.fail_after(30):
                await controller.wait()
            tasks.cancel_scope.cancel()
        told = [event.body async for event in stream.get_events() if isinstance(event.body, ErrorObservation)]
        return controller.state, controller.reason, [error.content for error in told]


@pytest.mark.parametrize(
    "turn",
    [
        ServerTurn(text=TALK, fault="garbage"),
        ServerTurn(text=TALK, fault="hang"),
        ServerTurn(text=TALK, fault="pings"),
        ServerTurn(text=TALK, fault="reset"),
        ServerTurn(text=TALK, fault="cut"),
        ServerTurn(body=b""),
        ServerTurn(body=b"\x00\xff no JSON"),
        ServerTurn(status=500),
        ServerTurn(status=429),
        ServerTurn(status=429, headers={"retry-after": "0.1"}),
        ServerTurn(tool_calls=(ToolCall("1", "think", '{"thought": "x"}'),), fault="cut", fault_at=1),
    ],
)
async def test_what_passes_is_tried_again(turn: ServerTurn) -> None:
    silent = turn.fault in ("hang", "pings")
    # Also the next answers may be late then, on a busy machine.
    assert await work([turn], timeout=0.5 if silent else 20, num_retries=4) == (AgentState.FINISHED, "", [])


@pytest.mark.parametrize(
    ("turn", "error"),
    [
        (ServerTurn(tool_calls=(ToolCall("1", "bash", '{"comm'),), finish_reason="length"), "truncated"),
        (call("no_such_tool", "{}"), "There is no tool 'no_such_tool'"),
        (call("bash", "[]"), "Expected `object`"),
        (call("bash", '{"command": 7}'), "Expected `str`"),
        (call("bash", '{"command": "ls", "timeout": 1e300}'), "`$.timeout`"),
        (call("think", '{"thought": ' + "[" * 5000), "recursion"),
    ],
)
async def test_the_model_is_told_what_was_wrong_with_a_call(turn: ServerTurn, error: str) -> None:
    state, _, errors = await work([turn])
    assert state is AgentState.FINISHED
    assert len(errors) == 1
    assert error in errors[0]


@pytest.mark.parametrize(
    ("turns", "state", "reason"),
    [
        ([ServerTurn(status=500)] * 2, AgentState.ERROR, "answered 500"),
        ([ServerTurn(status=429)] * 2, AgentState.RATE_LIMITED, "Too many requests"),
        ([ServerTurn(status=429, headers={"retry-after": "9999"})], AgentState.RATE_LIMITED, "in 9999 s"),
        ([ServerTurn(status=401)], AgentState.ERROR, "Check [llm] api_key"),
        ([ServerTurn(text="word " * 2_000_000, piece=50_000)], AgentState.ERROR, "longer than 4,194,304 characters"),
        ([ServerTurn(text="a", fault="endless")], AgentState.ERROR, "longer than 4,194,304 characters"),
        (
            [ServerTurn(tool_calls=tuple(ToolCall(str(n), "think", "{}") for n in range(10_000)), calls="whole")],
            AgentState.ERROR,
            "more than 128 tool calls",
        ),
        ([ServerTurn(text="no", finish_reason="content_filter")], AgentState.ERROR, "refused to answer"),
    ],
)
async def test_what_does_not_pass_is_a_state_with_a_reason(
    turns: list[ServerTurn], state: AgentState, reason: str
) -> None:
    found, why, _ = await work(turns)
    assert found is state
    assert reason in why
