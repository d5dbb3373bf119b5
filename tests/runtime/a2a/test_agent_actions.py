"""Actions for remote agents, executed by a runtime as any other."""

import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import anyio
import pytest

from cloche.config import A2AConfig, A2AServer, AppConfig
from cloche.events import (
    A2ACancelTaskAction,
    A2ACancelTaskObservation,
    A2AListRemoteAgentsAction,
    A2AListRemoteAgentsObservation,
    A2ASendTaskAction,
    A2ASendTaskObservation,
    ErrorObservation,
    Observation,
    decode_event,
    encode_event,
    new_event,
)
from cloche.runtime import A2AManager, Runtime
from cloche.runtime.codes import NO_SUCH_AGENT, REMOTE_AGENT_FAILED, REMOTE_AGENT_LOGIN, STOPPED
from cloche.runtime.contract import expect
from cloche.runtime.pyodide import PyodideRuntime
from tests.runtime.a2a.peers import PATIENCE, example_server
from tests.runtime.scripted import Scripted, told

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module", params=["streamed", "polled"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with example_server(*(["--no-streaming"] if request.param == "polled" else [])) as url:
        yield url


@asynccontextmanager
async def connected(*servers: str | A2AServer) -> AsyncGenerator[Runtime]:
    given = tuple(each if isinstance(each, A2AServer) else A2AServer(url=each) for each in servers)
    with anyio.fail_after(2 * PATIENCE):
        async with Scripted(AppConfig(a2a=A2AConfig(servers=given)), sid="my-session") as runtime:
            yield runtime


async def send(runtime: Runtime, text: str, agent: str = "example", task_id: str | None = None) -> Observation:
    return await runtime.execute(A2ASendTaskAction(agent, text, task_id))


async def test_remote_agents_are_listed(url: str) -> None:
    async with connected(url, "http://127.0.0.1:9") as runtime:
        listed = expect(A2AListRemoteAgentsObservation, await runtime.execute(A2AListRemoteAgentsAction()))
    assert [agent["name"] for agent in listed.agents] == ["example"]
    assert listed.content.startswith("example: An agent for tests\n  - Echo: Says it again\nThe A2A server 127.0.0.1:9")


async def test_an_observation_has_what_the_agent_said_and_made(url: str) -> None:
    async with connected(url) as runtime:
        done = expect(A2ASendTaskObservation, await send(runtime, "echo hello there"))
    assert (done.agent_name, done.state) == ("example", "completed")
    assert done.content == "example has completed the task.\nsaid\n[artifact echo]\nhello there"
    assert done.artifacts == [{"artifact_id": "echo", "name": "echo", "parts": [{"text": "hello there"}]}]
    event = new_event(done, "agent")
    assert decode_event(encode_event(event)).body == done


async def test_chunks_become_one_artifact(url: str) -> None:
    async with connected(url) as runtime:
        done = expect(A2ASendTaskObservation, await send(runtime, "chunks 30"))
    (log,) = done.artifacts
    assert log["parts"] == [{"text": "".join(f"line {number}\n" for number in range(30))}]


async def test_data_and_files_are_shown_by_what_they_are(url: str) -> None:
    async with connected(url) as runtime:
        done = expect(A2ASendTaskObservation, await send(runtime, "kinds"))
    assert '"n": 42' in done.content
    assert "[dot.png, image/png, 6 bytes]\n" in done.content
    assert done.content.endswith("[artifact far]\n[big.bin: https://example.com/big.bin]")
    assert done.artifacts[0]["parts"][1]["url"] == "data:image/png;base64,iVBORw0K"


@pytest.mark.parametrize(
    ("text", "state", "content"),
    [
        ("fail", "failed", "example has failed to do the task.\nout of paper"),
        ("reject", "rejected", "example has rejected the task.\nnot my job"),
    ],
)
async def test_a_task_that_is_not_done_is_an_observation_too(url: str, text: str, state: str, content: str) -> None:
    async with connected(url) as runtime:
        done = expect(A2ASendTaskObservation, await send(runtime, text))
    assert (done.state, done.content) == (state, content)


async def test_a_question_is_answered_by_the_next_action(url: str) -> None:
    async with connected(url) as runtime:
        asked = expect(A2ASendTaskObservation, await send(runtime, "ask"))
        assert asked.state == "input-required"
        assert asked.task_id is not None
        assert asked.content.startswith("example needs an answer to go on: send it as the next task_message with the ")
        assert asked.content.endswith(f"task_id {asked.task_id}.\nWhich file?")
        done = expect(A2ASendTaskObservation, await send(runtime, "this one", task_id=asked.task_id))
    assert (done.state, done.task_id) == ("completed", asked.task_id)
    assert done.content.endswith("answered this")


async def test_a_question_can_be_given_up(url: str) -> None:
    async with connected(url) as runtime:
        asked = expect(A2ASendTaskObservation, await send(runtime, "ask"))
        cancel = A2ACancelTaskAction("example", asked.task_id or "")
        done = expect(A2ACancelTaskObservation, await runtime.execute(cancel))
        assert (done.state, done.task_id) == ("canceled", asked.task_id)
        assert expect(ErrorObservation, await runtime.execute(cancel)).error_id == REMOTE_AGENT_FAILED


async def test_a_login_is_an_error_with_the_address(url: str) -> None:
    async with connected(url) as runtime:
        error = expect(ErrorObservation, await send(runtime, "login"))
    assert error.error_id == REMOTE_AGENT_LOGIN
    assert error.content.startswith(f"The remote agent example at {url.removeprefix('http://')} waits until you have ")
    assert error.content.endswith("Log in at https://login.example")


async def test_a_task_that_takes_too_long_is_cancelled_there(url: str) -> None:
    async with connected(url) as runtime:
        begun = time.monotonic()
        error = expect(ErrorObservation, await runtime.execute(A2ASendTaskAction("example", "wait"), timeout=1))
        assert time.monotonic() - begun < 5
        assert error.error_id == REMOTE_AGENT_FAILED
        task_id = error.content.partition("the task ")[2].split()[0]
        assert f"it was not done in 1 s, and the task {task_id} was cancelled." in error.content
        assert error.content.endswith(f"The task {task_id} was canceled when it was last heard of:\nwaiting")
        assert task_id in await cancelled(runtime)


async def cancelled(runtime: Runtime) -> list[str]:
    """The tasks that the agent was told to cancel."""
    report = expect(A2ASendTaskObservation, await send(runtime, "report"))
    return report.artifacts[0]["parts"][0]["data"]["cancelled"]


async def test_the_time_limit_of_a_server_holds_too() -> None:
    with example_server() as url:
        async with connected(A2AServer(url=url, timeout=0.5)) as runtime:
            assert "not done in 0.5 s" in (await send(runtime, "wait")).content


async def test_an_interrupt_cancels_the_task_there(url: str) -> None:
    answers: list[Observation] = []
    waits = anyio.Event()

    def hear(_: str, text: str) -> None:
        if "waiting" in text:
            waits.set()

    async def run(runtime: Runtime) -> None:
        answers.append(await runtime.execute(A2ASendTaskAction("example", "wait"), timeout=PATIENCE, on_output=hear))

    async with connected(url) as runtime:
        before = len(await cancelled(runtime))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, runtime)
            await waits.wait()
            assert runtime.runs_outside
            assert await runtime.interrupt()
        assert expect(ErrorObservation, answers[0]).error_id == STOPPED
        assert not runtime.runs_outside
        assert len(await cancelled(runtime)) == before + 1


async def test_closing_the_runtime_cancels_the_task_there() -> None:
    waits = anyio.Event()

    async def run(runtime: Runtime) -> None:
        await runtime.execute(A2ASendTaskAction("example", "wait"), on_output=lambda _, text: waits.set())

    with example_server() as url:
        async with connected(url) as runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(run, runtime)
            await waits.wait()
            await runtime.close()
        async with connected(url) as runtime:
            assert len(await cancelled(runtime)) == 1


async def test_updates_are_heard_while_the_task_runs() -> None:
    heard: list[tuple[str, str]] = []
    with example_server() as url:
        async with connected(url) as runtime:
            for text in ("steps", "chunks 3"):
                await runtime.execute(
                    A2ASendTaskAction("example", text), on_output=lambda stream, text: heard.append((stream, text))
                )
    assert {stream for stream, _ in heard} == {"stdout"}
    assert "".join(text for _, text in heard) == "one\ntwo\nthree\nall three\nline 0\nline 1\nline 2\ncounted\n"


async def test_the_key_of_an_action_makes_it_the_same_message() -> None:
    action = A2ASendTaskAction("example", "true")
    with example_server() as url:
        for _ in range(2):
            async with connected(url) as runtime:
                await runtime.execute(action, key="my-session/7")
        async with connected(url) as runtime:
            await runtime.execute(action, key="my-session/8")
            report = expect(A2ASendTaskObservation, await send(runtime, "report"))
    first, again, other, _ = report.artifacts[0]["parts"][0]["data"]["messages"]
    assert first == again != other


async def test_without_servers_the_observation_says_how_to_configure_one() -> None:
    async with connected() as runtime:
        listed = expect(A2AListRemoteAgentsObservation, await runtime.execute(A2AListRemoteAgentsAction()))
        assert listed.content.startswith("There are no remote agents: no A2A server is configured. Add its address to")
        for action in (A2ASendTaskAction("a", "b"), A2ACancelTaskAction("a", "b")):
            error = expect(ErrorObservation, await runtime.execute(action))
            assert error.error_id == NO_SUCH_AGENT
            assert "[a2a] servers" in error.content


async def test_a_server_that_is_away_is_reported_and_the_runtime_connects() -> None:
    heard, callback = told()
    given = A2AConfig(servers=(A2AServer(url="http://127.0.0.1:9"),))
    with anyio.fail_after(PATIENCE):
        async with Scripted(AppConfig(a2a=given), status_callback=callback) as runtime:
            error = expect(ErrorObservation, await send(runtime, "true"))
    assert "There are: none. The A2A server 127.0.0.1:9 cannot be used: " in error.content
    assert heard.count(("error", "STATUS$WAITING_FOR_CLIENT")) == 1


async def test_a_manager_that_is_given_is_used_and_stays_open() -> None:
    with example_server() as url, anyio.fail_after(PATIENCE):
        manager = A2AManager([url])
        for _ in range(2):
            async with Scripted(a2a_manager=manager) as runtime:
                assert expect(A2ASendTaskObservation, await send(runtime, "true")).state == "completed"
        assert manager.list_remote_agents()
        await manager.close()


async def test_an_interrupt_of_a_sandbox_ends_the_task_of_an_agent(prepared: object) -> None:
    waits = anyio.Event()
    answers: list[Observation] = []

    async def run(runtime: Runtime) -> None:
        action = A2ASendTaskAction("example", "wait")
        answers.append(await runtime.execute(action, on_output=lambda _, text: waits.set()))

    with example_server() as url, anyio.fail_after(2 * PATIENCE):
        config = AppConfig(a2a=A2AConfig(servers=(A2AServer(url=url),)))
        async with PyodideRuntime(config, plugins=()) as runtime:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run, runtime)
                await waits.wait()
                assert await runtime.interrupt()
            assert len(await cancelled(runtime)) == 1
            assert (await runtime.run("echo next")).content == "next\n"
    assert expect(ErrorObservation, answers[0]).error_id == STOPPED
