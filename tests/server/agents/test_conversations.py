"""Tasks that an agent works on, with the official client: steps, questions, confirmations, cancel, restart."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from a2a.client import Client
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, SubscribeToTaskRequest, TaskState
from a2a.utils.errors import A2AError
from msgspec.structs import replace

from cloche.errors import LLMError
from cloche.llm import Message, ScriptedLLM, ToolCall, ToolSpec
from cloche.llm.scripted import Script
from tests.server.agents.peers import (
    BINDINGS,
    BOTH,
    Heard,
    agent_client,
    begin_session,
    call,
    list_texts,
    look,
    make_message,
    read_text,
    say,
)
from tests.server.conftest import RunningServer, StartServer, plain_config

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
PATIENCE = 60


@pytest.fixture(params=BOTH)
def binding(request: pytest.FixtureRequest) -> str:
    return request.param


@asynccontextmanager
async def talking(
    start: StartServer, script: Script, binding: str = BINDINGS[0], **wanted: Any
) -> AsyncGenerator[tuple[Client, RunningServer, str]]:
    """A client of a session whose model says this."""
    with anyio.fail_after(PATIENCE):
        async with start(model=ScriptedLLM(script)) as server:
            sid = await begin_session(server, **wanted)
            async with agent_client(server, sid, binding) as client:
                yield client, server, sid


async def test_an_agent_works_and_answers(start_server: StartServer, binding: str) -> None:
    script = [call("bash", command="echo hi > f; cat f"), call("finish", message="It says hi.")]
    async with talking(start_server, script, binding) as (client, _, __):
        heard = await say(client, "look into f")
        assert heard.states == ["submitted", "working", "completed"]
        assert heard.artifacts["answer"] == "It says hi."
        assert heard.artifacts["steps"].splitlines()[:2] == ["Running command: echo hi > f; cat f", "hi"]
        task = await look(client, heard)
        assert list_texts(task) == heard.artifacts
        assert task.context_id == heard.task.context_id


async def test_what_the_agent_asks_is_answered_in_the_same_task(start_server: StartServer, binding: str) -> None:
    script = ["Which file?", call("finish", message="Thanks for f.")]
    async with talking(start_server, script, binding) as (client, _, __):
        asked = await say(client, "read the file")
        assert (asked.states[-1], asked.texts) == ("input_required", ["Which file?"])
        done = await say(client, "f", task_id=asked.task.id, context_id=asked.task.context_id)
        assert (done.task.id, done.states[-1]) == (asked.task.id, "completed")
        assert done.artifacts["answer"] == "Thanks for f."
        task = await look(client, done)
        assert [read_text(list(each.parts)) for each in task.history] == ["read the file", "Which file?", "f"]


async def test_a_task_that_waits_does_not_take_what_another_does(start_server: StartServer) -> None:
    script = ["Which file?", call("finish", message="Something else."), call("finish", message="It was f.")]
    async with talking(start_server, script) as (client, _, __):
        first = await say(client, "read the file")
        second = await say(client, "do something else")
        assert second.artifacts["answer"] == "Something else."
        assert (await look(client, first)).status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        again = await say(client, "f", task_id=first.task.id)
        assert (again.states[-1], again.artifacts["answer"]) == ("completed", "It was f.")


@pytest.mark.parametrize(
    ("answers", "state", "made"),
    [(["yes"], "completed", True), ([{"confirm": True}], "completed", True), (["No."], "completed", False)],
)
async def test_what_needs_a_confirmation_asks_for_it(
    start_server: StartServer, tmp_path: Path, answers: list[Any], state: str, made: bool
) -> None:
    config = plain_config(tmp_path / "data")
    config = replace(config, security=replace(config.security, confirmation_mode=True))
    script = [call("bash", command="touch made"), call("finish", message="ok"), call("finish", message="ok")]
    async with start_server(config, ScriptedLLM(script)) as server:
        sid = await begin_session(server)
        with anyio.fail_after(PATIENCE):
            async with agent_client(server, sid) as client:
                asked = await say(client, "make it")
                assert asked.states[-1] == "input_required"
                assert "touch made" in asked.texts[-1]
                with pytest.raises(A2AError, match="yes or no"):
                    await say(client, "perhaps", task_id=asked.task.id)
                done = await say(client, *answers, task_id=asked.task.id)
                assert done.states[-1] == state
                listed = await say(client, {"action": "list_files", "args": {"path": "/workspace"}})
                assert ("made" in listed.artifacts.get("output", "")) is made


async def test_a_cancelled_agent_stops(start_server: StartServer, binding: str) -> None:
    async with talking(start_server, (), binding, agent="tests.server.agents.odd_agents.Tireless") as (
        client,
        server,
        sid,
    ):
        heard, task = Heard(), None
        async for response in client.send_message(make_message("work")):
            heard.take(response)
            if "1\n" in heard.artifacts.get("steps", "") and task is None:
                task = await client.cancel_task(CancelTaskRequest(id=heard.task.id))
                assert task.status.state == TaskState.TASK_STATE_CANCELED
        assert heard.states[-1] == "canceled"
        async with server.client() as http:
            assert (await http.get(f"/api/sessions/{sid}")).json()["state"] == "stopped"


async def test_an_agent_that_refuses_rejects_the_task(start_server: StartServer) -> None:
    async with talking(start_server, (), agent="tests.server.agents.odd_agents.Refusing") as (client, _, __):
        heard = await say(client, "work")
    assert heard.states[-1] == "rejected"
    assert "not my job" in heard.texts[-1]


async def test_a_model_that_fails_fails_the_task_with_the_reason(start_server: StartServer) -> None:
    async with talking(start_server, [LLMError("out of paper")]) as (client, _, __):
        heard = await say(client, "work")
    assert heard.states[-1] == "failed"
    assert "out of paper" in heard.texts[-1]


async def test_without_a_stream_the_answer_is_the_task(start_server: StartServer, binding: str) -> None:
    script = [call("bash", command="echo hi"), call("finish", message="done")]
    async with talking(start_server, script) as (_, server, sid):
        async with agent_client(server, sid, binding, streaming=False) as client:
            heard = await say(client, "work")
        assert (heard.states, heard.artifacts["answer"]) == (["completed"], "done")


async def test_who_comes_back_follows_the_task_again(start_server: StartServer, binding: str) -> None:
    gate = anyio.Event()

    async with talking(start_server, gated(gate), binding) as (client, _, __):
        heard = Heard()
        async for response in client.send_message(make_message("work")):
            heard.take(response)
            if "steps" in heard.artifacts:
                break
        again = Heard()
        async for response in client.subscribe(SubscribeToTaskRequest(id=heard.task.id)):
            again.take(response)
            gate.set()
        assert again.states == ["working", "completed"]
        assert again.artifacts["steps"].startswith(heard.artifacts["steps"])
        assert again.artifacts["answer"] == "done"
        with pytest.raises(A2AError, match="is over"):
            async for _ in client.subscribe(SubscribeToTaskRequest(id=heard.task.id)):
                pass


async def test_what_is_said_while_an_agent_works_is_a_task_too(start_server: StartServer) -> None:
    gate, first, second = anyio.Event(), Heard(), Heard()
    async with talking(start_server, gated(gate)) as (client, _, __), anyio.create_task_group() as tasks:

        async def interject() -> None:
            async for response in client.send_message(make_message("be quick")):
                second.take(response)
                gate.set()

        async for response in client.send_message(make_message("work")):
            first.take(response)
            if "steps" in first.artifacts and not second.states:
                second.states.append("sent")
                tasks.start_soon(interject)
    assert (first.states[-1], second.states[-1]) == ("completed", "completed")
    assert first.artifacts["answer"] == second.artifacts["answer"] == "done"


def gated(gate: anyio.Event) -> Script:
    """A model that waits in the middle for a gate, which the test opens: it has a command look whether it is open."""

    def answer(messages: Sequence[Message], _: Sequence[ToolSpec]) -> ToolCall:
        if gate.is_set():
            return call("finish", message="done")
        return call("bash", command=f"echo {len(messages)}; sleep 0.1")

    return answer


async def test_tasks_are_there_after_the_server_was_restarted(start_server: StartServer, tmp_path: Path) -> None:
    config = plain_config(tmp_path / "data")
    script = [call("finish", message="first"), "Which file?"]
    with anyio.fail_after(PATIENCE):
        async with start_server(config, ScriptedLLM(script)) as server:
            sid = await begin_session(server)
            async with agent_client(server, sid) as client:
                done = await say(client, "one")
                asked = await say(client, "two")
                ran = await say(client, {"action": "run", "args": {"command": "echo hi"}})
                before = {task.id: task for task in (await client.list_tasks(ListTasksRequest())).tasks}
        async with (
            start_server(config, ScriptedLLM([call("finish", message="It was f.")])) as server,
            agent_client(server, sid) as client,
        ):
            listed = (await client.list_tasks(ListTasksRequest())).tasks
            assert [task.id for task in listed] == [ran.task.id, asked.task.id, done.task.id]
            assert {task.id: task for task in listed} == before
            assert list_texts(await look(client, done)) == done.artifacts
            assert list_texts(await look(client, ran))["output"] == "hi\n"
            async for response in client.subscribe(SubscribeToTaskRequest(id=asked.task.id)):
                assert response.task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
            async with server.client() as http:
                # To look at tasks, nothing has to run.
                assert (await http.get(f"/api/sessions/{sid}")).json()["state"] == "stored"
            again = await say(client, "f", task_id=asked.task.id)
            assert (again.states[-1], again.artifacts["answer"]) == ("completed", "It was f.")


async def test_a_session_that_is_closed_meanwhile_asks_to_be_continued(start_server: StartServer) -> None:
    async with talking(start_server, (), agent="tests.server.agents.odd_agents.Tireless") as (client, server, sid):
        heard = Heard()
        async with server.client() as http:
            async for response in client.send_message(make_message("work")):
                heard.take(response)
                if "0\n" in heard.artifacts.get("steps", "") and heard.states[-1] == "working":
                    await http.post(f"/api/sessions/{sid}/stop")
        assert heard.states[-1] == "input_required"
        assert "was closed" in heard.texts[-1]
        await client.cancel_task(CancelTaskRequest(id=heard.task.id))
        task = await client.get_task(GetTaskRequest(id=heard.task.id))
        assert task.status.state == TaskState.TASK_STATE_CANCELED
        async with server.client() as http:
            # It does not begin to work again when the session is needed.
            await http.post(f"/api/sessions/{sid}/start")
            assert (await http.get(f"/api/sessions/{sid}")).json()["state"] == "stopped"
