"""Tasks for agents that were made with the official library, over both of its forms of HTTP."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import a2a
import anyio
import pytest

import cloche
from cloche.config import A2AServer, Secret
from cloche.errors import RemoteAgentError, RemoteAgentLost, RemoteAgentUnknown
from cloche.runtime import A2AManager
from cloche.runtime.a2a.updates import ArtifactUpdate, StatusUpdate, TaskUpdate
from tests.runtime.a2a.peers import EXAMPLE, PATIENCE, example_server, started

pytestmark = pytest.mark.timeout(120)
WAYS = {
    "JSON-RPC": (),
    "REST": ("--binding=HTTP+JSON",),
    "polled": ("--no-streaming",),
    "0.3": ("--version=0.3",),
}


@pytest.fixture(scope="module", params=WAYS)
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with example_server(*WAYS[request.param]) as url:
        yield url


@asynccontextmanager
async def opened(*servers: str | A2AServer) -> AsyncGenerator[A2AManager]:
    manager = A2AManager(servers)
    with anyio.fail_after(PATIENCE):
        await manager.initialize_agent_cards()
    try:
        yield manager
    finally:
        with anyio.fail_after(PATIENCE):
            await manager.close()


async def send(manager: A2AManager, text: str, agent: str = "example", **more: Any) -> list[TaskUpdate]:
    with anyio.fail_after(PATIENCE):
        return [update async for update in manager.send_task(agent, text, "my-session", **more)]


def states(updates: list[TaskUpdate]) -> list[str]:
    return [update.state for update in updates if isinstance(update, StatusUpdate)]


def said(updates: list[TaskUpdate]) -> list[str]:
    return [update.parts[0]["text"] for update in updates if isinstance(update, StatusUpdate) and update.parts]


async def test_agents_are_listed_with_their_skills(url: str) -> None:
    async with opened(url) as manager:
        assert manager.failures == {}
        skill = {"name": "Echo", "description": "Says it again", "examples": ["echo hi"]}
        assert manager.list_remote_agents() == [
            {"name": "example", "description": "An agent for tests", "skills": [skill]}
        ]


@pytest.mark.parametrize(
    ("text", "state", "told"),
    [
        ("echo hi", "completed", "said"),
        ("fail", "failed", "out of paper"),
        ("reject", "rejected", "not my job"),
        ("login", "auth-required", "Log in at https://login.example"),
        ("ask", "input-required", "Which file?"),
    ],
)
async def test_a_task_is_followed_until_it_is_settled(url: str, text: str, state: str, told: str) -> None:
    async with opened(url) as manager:
        updates = await send(manager, text)
    assert states(updates)[0] == "submitted"
    assert states(updates)[-1] == state
    assert said(updates)[-1] == told
    assert {update.context_id for update in updates} == {"my-session"}
    assert len({update.task_id for update in updates}) == 1


async def test_a_task_that_asks_is_continued_with_the_answer(url: str) -> None:
    async with opened(url) as manager:
        task_id = (await send(manager, "ask"))[-1].task_id
        async with opened(url) as another:
            # Whoever did not begin the task does not know its context.
            updates = await send(another, "this", task_id=task_id)
    assert states(updates)[-1] == "completed"
    assert said(updates)[-1] == "answered this"
    assert {update.task_id for update in updates} == {task_id}


async def test_an_artifact_comes_in_pieces_and_in_order(url: str) -> None:
    async with opened(url) as manager:
        updates = await send(manager, "chunks 50")
    pieces = [update for update in updates if isinstance(update, ArtifactUpdate)]
    texts = [part["text"] for update in pieces for part in update.parts]
    assert texts == [f"line {number}\n" for number in range(50)]
    assert [update.append for update in pieces] == [False, *[True] * (len(pieces) - 1)]


async def test_data_and_files_are_kept_as_they_are(url: str) -> None:
    async with opened(url) as manager:
        updates = await send(manager, "kinds")
    data, picture, far = [part for each in updates if isinstance(each, ArtifactUpdate) for part in each.parts]
    assert data == {"data": {"n": 42, "list": [1.5, None]}}
    assert repr(data["data"]["n"]) == "42"
    assert picture == {"url": "data:image/png;base64,iVBORw0K", "filename": "dot.png", "media_type": "image/png"}
    assert far == {"url": "https://example.com/big.bin", "filename": "big.bin"}


async def test_a_task_is_cancelled(url: str) -> None:
    async with opened(url) as manager:
        updates: list[TaskUpdate] = []
        with anyio.fail_after(PATIENCE):
            async for update in manager.send_task("example", "wait", "s"):
                updates.append(update)
                if len(updates) == 2:
                    assert update.task_id is not None
                    assert await manager.cancel_task("example", update.task_id) == "canceled"
        assert states(updates)[-1] == "canceled"
        with pytest.raises(RemoteAgentError):
            await manager.cancel_task("example", "no-such-task")


async def test_whoever_leaves_early_leaves_nothing_open(url: str) -> None:
    async with opened(url) as manager:
        with anyio.fail_after(PATIENCE):
            async with aclosing(manager.send_task("example", "wait", "s")) as updates:
                async for _ in updates:
                    break
        assert states(await send(manager, "echo hi"))[-1] == "completed"


async def test_many_tasks_run_at_once(url: str) -> None:
    done: list[str] = []

    async def one() -> None:
        done.append(states(await send(manager, "later 0.2"))[-1])

    async with opened(url) as manager:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for _ in range(20):
                    tasks.start_soon(one)
    assert done == ["completed"] * 20


async def test_updates_come_as_they_are_sent() -> None:
    with example_server() as url:
        async with opened(url) as manager:
            with anyio.fail_after(PATIENCE):
                async with aclosing(manager.send_task("example", "wait", "s")) as updates:
                    assert [said([await anext(updates)]) for _ in range(3)] == [[], [], ["waiting"]]


async def test_the_same_message_id_is_sent_again() -> None:
    with example_server() as url:
        async with opened(url) as manager:
            for _ in range(2):
                await send(manager, "echo hi", message_id="mine")
            report = await send(manager, "report")
    (data,) = [part["data"] for each in report if isinstance(each, ArtifactUpdate) for part in each.parts]
    assert data["messages"][:2] == ["mine", "mine"]
    assert data["context"] == "my-session"


async def test_a_key_is_sent_to_its_own_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_KEY", "s3cr3t")
    with example_server("--token=s3cr3t", "--name=locked") as locked, example_server("--name=open") as other:
        async with opened(A2AServer(url=locked, api_key=Secret("s3cr3t")), other) as manager:
            assert states(await send(manager, "echo hi", "locked"))[-1] == "completed"
        async with opened(A2AServer(url=locked, api_key_env="AGENT_KEY")) as manager:
            assert states(await send(manager, "echo hi", "locked"))[-1] == "completed"
        async with opened(A2AServer(url=other, api_key=Secret("s3cr3t")), locked) as manager:
            with pytest.raises(RemoteAgentError, match="401: the key was refused") as refused:
                await send(manager, "echo hi", "locked")
    assert "s3cr3t" not in str(refused.value)


async def test_a_key_that_is_not_set_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_KEY", raising=False)
    async with opened(A2AServer(url="http://127.0.0.1:9", api_key_env="AGENT_KEY")) as manager:
        assert "AGENT_KEY" in manager.failures["127.0.0.1:9"]


async def test_an_address_that_is_none_is_reported_without_its_secrets() -> None:
    async with opened("http://[::", "http://me:s3cr3t@127.0.0.1:9/x?key=s3cr3t") as manager:
        assert set(manager.failures) == {"[::", "127.0.0.1:9/x"}
        assert "s3cr3t" not in str(manager.failures)


async def test_a_server_that_cannot_be_reached_is_reported_and_the_others_work() -> None:
    with example_server() as url:
        async with opened("http://127.0.0.1:9/agents/", url, "http://no.such.host.invalid") as manager:
            assert set(manager.failures) == {"127.0.0.1:9/agents", "no.such.host.invalid"}
            assert states(await send(manager, "true"))[-1] == "completed"
            with pytest.raises(
                RemoteAgentUnknown, match=r"no remote agent `nobody`\. There are: example\. The A2A server"
            ):
                await send(manager, "echo hi", "nobody")


async def test_without_servers_the_error_says_how_to_configure_one() -> None:
    async with opened() as manager:
        assert manager.list_remote_agents() == []
        with pytest.raises(RemoteAgentUnknown, match=r"\[a2a\] servers = "):
            await send(manager, "echo hi")


async def test_agents_of_the_same_name_are_told_apart_by_their_server() -> None:
    with example_server() as one, example_server() as two:
        async with opened(one, two, one) as manager:
            names = [agent["name"] for agent in manager.list_remote_agents()]
            assert names == [f"{each.removeprefix('http://')}/example" for each in (one, two)]
            with pytest.raises(RemoteAgentUnknown, match=f"use `{names[0]}` or `{names[1]}`"):
                await send(manager, "echo hi")
            assert states(await send(manager, "echo hi", names[1]))[-1] == "completed"


async def test_a_card_is_also_found_by_its_whole_address() -> None:
    with example_server() as url:
        async with opened(f"{url}/.well-known/agent-card.json") as manager:
            assert states(await send(manager, "true"))[-1] == "completed"


async def test_a_server_that_comes_up_later_is_found() -> None:
    with example_server() as url:
        pass
    async with opened(url) as manager:
        assert manager.list_remote_agents() == []
        port = url.rpartition(":")[2]
        with example_server(f"--port={port}"):
            assert states(await send(manager, "true"))[-1] == "completed"
            assert manager.failures == {}


async def test_a_server_that_dies_in_mid_stream_is_asked_again_and_then_given_up() -> None:
    with started([*EXAMPLE]) as (process, url):

        async def kill_in_mid_stream() -> None:
            async for update in manager.send_task("example", "wait", "s"):
                if said([update]):
                    process.kill()

        async with opened(url) as manager:
            begun = time.monotonic()
            with anyio.fail_after(PATIENCE), pytest.raises(RemoteAgentLost):
                await kill_in_mid_stream()
            assert time.monotonic() - begun < 10
            with pytest.raises(RemoteAgentLost):
                await send(manager, "true")


@pytest.mark.parametrize("task_id", ["../../admin", "a?b", "a%2fb", "a\nb", "a#b"])
async def test_what_is_no_id_of_a_task_is_not_sent(task_id: str) -> None:
    with example_server("--binding=HTTP+JSON") as url:
        async with opened(url) as manager:
            with pytest.raises(RemoteAgentError, match="is no id of a task"):
                await manager.cancel_task("example", task_id)
            with pytest.raises(RemoteAgentError, match="is no id of a task"):
                await send(manager, "echo hi", task_id=task_id)


def test_without_the_library_the_failure_says_what_to_install(tmp_path: Path) -> None:
    for path in Path(a2a.__path__[0]).parent.iterdir():
        if path.name != "a2a":
            (tmp_path / path.name).symlink_to(path)
    code = """
import anyio
from cloche.runtime import A2AManager
manager = A2AManager(["http://127.0.0.1:9"])
anyio.run(manager.initialize_agent_cards)
print(manager.failures)
"""
    source = Path(cloche.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, text=True, timeout=30)
    assert "pip install 'cloche[a2a]'" in done.stdout, done.stderr


def test_importing_runtimes_does_not_import_the_library() -> None:
    code = "import sys, cloche.runtime.pyodide; print([name for name in ('a2a', 'httpx') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "[]\n"
