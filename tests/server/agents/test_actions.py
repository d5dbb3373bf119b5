"""Tasks that are actions, with the official client over both of its transports."""

from collections.abc import AsyncGenerator

import anyio
import pytest
from a2a.client import Client
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, SubscribeToTaskRequest, TaskState
from a2a.utils.errors import A2AError

from cloche.limits import A2A_TEXT
from tests.server.agents.peers import BOTH, Heard, agent_client, begin_session, list_texts, look, make_message, say
from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
PATIENCE = 60


@pytest.fixture
async def sid(server: RunningServer) -> str:
    return await begin_session(server, title="mine")


@pytest.fixture(params=BOTH)
async def client(request: pytest.FixtureRequest, server: RunningServer, sid: str) -> AsyncGenerator[Client]:
    with anyio.fail_after(PATIENCE):
        async with agent_client(server, sid, request.param) as client:
            yield client


async def test_text_is_a_command_where_no_agent_has_a_model(client: Client) -> None:
    heard = await say(client, "echo out; echo err >&2; exit 3")
    # A command that fails is done: how, its result says.
    assert heard.states == ["working", "completed"]
    assert heard.artifacts["output"] == "out\nerr\n"
    (result,) = heard.data["result"]
    assert (result["observation"], result["extras"]["metadata"]["exit_code"]) == ("run", 3)
    task = await look(client, heard)
    assert list_texts(task) == heard.artifacts
    assert [message.parts[0].text for message in task.history] == ["echo out; echo err >&2; exit 3"]


async def test_what_is_printed_comes_while_the_action_runs(client: Client, server: RunningServer, sid: str) -> None:
    heard = Heard()
    async for response in client.send_message(make_message("echo first; read line; echo second $line")):
        heard.take(response)
        if heard.artifacts.get("output") == "first\n" and heard.states == ["working"]:
            break
    else:
        pytest.fail("it came with the observation only")
    assert heard.states == ["working"]
    await client.cancel_task(CancelTaskRequest(id=heard.task.id))


async def test_data_are_an_action_of_any_kind(client: Client) -> None:
    lua = {"action": "run_code", "args": {"language": "lua", "code": "print(6 * 7)"}}
    heard = await say(client, lua)
    assert (heard.states[-1], heard.artifacts["output"]) == ("completed", "42\n")
    cell = {"action": "run_ipython", "args": {"code": "x = 1; x + 1", "include_extra": False}}
    heard = await say(client, cell)
    assert (heard.states[-1], heard.artifacts["output"]) == ("completed", "2\n")


async def test_an_action_has_its_own_time_limit(client: Client) -> None:
    endless = {"action": "run_ipython", "args": {"code": "while True: pass"}, "timeout": 0.5}
    heard = await say(client, endless)
    assert heard.states[-1] == "completed"
    assert "timed out (0.5 seconds)" in heard.artifacts["output"]


async def test_an_action_that_cannot_be_done_has_failed(client: Client) -> None:
    heard = await say(client, {"action": "read", "args": {"path": "/workspace/missing"}})
    assert heard.states == ["working", "failed"]
    assert "File not found" in heard.texts[-1]


async def test_a_command_that_waits_for_input_asks_for_it(client: Client) -> None:
    asked = await say(client, "read -p 'who? ' x; echo hello $x")
    assert asked.states[-1] == "input_required"
    assert "waits for a line" in asked.texts[-1]
    done = await say(client, "Ada", task_id=asked.task.id)
    assert (done.states[-1], done.task.id) == ("completed", asked.task.id)
    assert done.artifacts["output"].endswith("hello Ada\n")
    task = await look(client, done)
    assert list_texts(task)["output"] == done.artifacts["output"]
    assert [message.parts[0].text for message in task.history if message.role == 1] == [
        "read -p 'who? ' x; echo hello $x",
        "Ada",
    ]
    with pytest.raises(A2AError, match="is over"):
        await say(client, "again", task_id=asked.task.id)


async def test_a_cancelled_action_is_stopped(client: Client) -> None:
    heard: Heard = Heard()
    async for response in client.send_message(make_message("echo x; sleep 600")):
        heard.take(response)
        if heard.artifacts and heard.states == ["working"]:
            await client.cancel_task(CancelTaskRequest(id=heard.task.id))
    assert heard.states == ["working", "canceled"]
    # The session is free for the next.
    assert (await say(client, "echo free")).artifacts["output"] == "free\n"
    with pytest.raises(A2AError):
        await client.cancel_task(CancelTaskRequest(id=heard.task.id))


async def test_an_action_that_is_cancelled_before_its_turn_is_not_executed(client: Client) -> None:
    first, second = Heard(), Heard()
    async with anyio.create_task_group() as tasks:

        async def run_first() -> None:
            async for response in client.send_message(make_message("echo x; sleep 600")):
                first.take(response)
                if first.artifacts and not second.states:
                    tasks.start_soon(run_second)

        async def run_second() -> None:
            async for response in client.send_message(make_message("touch executed")):
                second.take(response)
                if second.states == ["working"]:
                    await client.cancel_task(CancelTaskRequest(id=second.task.id))
            await client.cancel_task(CancelTaskRequest(id=first.task.id))

        tasks.start_soon(run_first)
    assert (first.states[-1], second.states[-1]) == ("canceled", "canceled")
    assert (await say(client, "ls")).artifacts.get("output", "") == ""


async def test_a_message_that_is_sent_again_is_not_obeyed_again(client: Client) -> None:
    first = await say(client, "echo x >> log", id="the-same")
    second = await say(client, "echo x >> log", id="the-same")
    assert (first.task.id, first.states[-1]) == (second.task.id, second.states[-1])
    assert (await say(client, "cat log")).artifacts["output"] == "x\n"


async def test_tasks_are_listed_the_newest_first(client: Client) -> None:
    ids = [(await say(client, f"echo {number}")).task.id for number in range(3)]
    first = await client.list_tasks(ListTasksRequest(page_size=2))
    assert [task.id for task in first.tasks] == ids[:0:-1]
    assert (first.total_size, first.tasks[0].artifacts[:]) == (3, [])
    rest = await client.list_tasks(
        ListTasksRequest(page_size=2, page_token=first.next_page_token, include_artifacts=True)
    )
    assert [task.id for task in rest.tasks] == ids[:1]
    assert list_texts(rest.tasks[0])["output"] == "0\n"
    assert rest.next_page_token == ""
    done = await client.list_tasks(ListTasksRequest(status=TaskState.TASK_STATE_COMPLETED))
    assert done.total_size == 3
    assert (await client.list_tasks(ListTasksRequest(status=TaskState.TASK_STATE_FAILED))).total_size == 0


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([""], "no text"),
        ([{"action": "nonsense"}], "one action"),
        ([{"action": "message", "args": {"content": "x"}}], "one action"),
        ([{"action": "run", "args": {"command": "a"}}, {"action": "run", "args": {"command": "b"}}], "one action"),
        (["x" * (A2A_TEXT + 1)], "characters"),
    ],
)
async def test_what_is_not_understood_is_refused(client: Client, parts: list[str], said: str) -> None:
    with pytest.raises(A2AError, match=said):
        await say(client, *parts)


async def test_unknown_tasks_are_refused(client: Client, sid: str) -> None:
    for task_id in ("nothing", f"{sid}-0", f"{sid}-999999", "other-1", "-1"):
        with pytest.raises(A2AError):
            await say(client, "x", task_id=task_id)
        with pytest.raises(A2AError):
            await client.get_task(GetTaskRequest(id=task_id))
        with pytest.raises(A2AError):
            async for _ in client.subscribe(SubscribeToTaskRequest(id=task_id)):
                pass
