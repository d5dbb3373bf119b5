"""Tasks for agents that were made with the official library for JavaScript."""

from collections.abc import Iterator

import anyio
import pytest

from cloche.config import A2AConfig, A2AServer, AppConfig
from cloche.events import A2ASendTaskAction, A2ASendTaskObservation, ErrorObservation, Observation
from cloche.runtime.codes import REMOTE_AGENT_LOGIN
from cloche.runtime.contract import expect
from tests.runtime.a2a.javascript import FOLDER, NODE, SOURCE, install
from tests.runtime.a2a.peers import PATIENCE, started
from tests.runtime.scripted import Scripted

WAYS = {"JSON-RPC": ("JSONRPC", "true"), "REST": ("HTTP+JSON", "true"), "polled": ("JSONRPC", "false")}

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(400)]


@pytest.fixture(scope="module", params=WAYS)
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    anyio.run(install, SOURCE / "javascript_agent.js")
    with started([NODE, "javascript_agent.js", *WAYS[request.param]], FOLDER) as (_, url):
        yield url


async def send(url: str, *texts: str, timeout: float = PATIENCE) -> tuple[list[Observation], str]:
    """The observations of actions, each of which continues the task before it, and what was heard."""
    observations: list[Observation] = []
    heard: list[str] = []
    task_id = None
    config = AppConfig(a2a=A2AConfig(servers=(A2AServer(url=url),)))
    with anyio.fail_after(2 * PATIENCE):
        async with Scripted(config, sid="my-session") as runtime:
            for text in texts:
                action = A2ASendTaskAction("example", text, task_id)
                observation = await runtime.execute(
                    action, timeout=timeout, on_output=lambda _, text: heard.append(text)
                )
                observations.append(observation)
                task_id = observation.task_id if isinstance(observation, A2ASendTaskObservation) else None
    return observations, "".join(heard)


async def test_a_task_is_done(url: str) -> None:
    (done,), heard = await send(url, "echo hello there")
    assert expect(A2ASendTaskObservation, done).state == "completed"
    assert done.content == "example has completed the task.\nsaid\n[artifact echo]\nhello there"
    assert heard == "hello theresaid\n"


@pytest.mark.parametrize(("text", "state"), [("fail", "failed"), ("reject", "rejected")])
async def test_a_task_is_not_done(url: str, text: str, state: str) -> None:
    (done,), _ = await send(url, text)
    assert expect(A2ASendTaskObservation, done).state == state


async def test_a_question_is_answered(url: str) -> None:
    (asked, done), heard = await send(url, "ask", "this")
    assert expect(A2ASendTaskObservation, asked).state == "input-required"
    assert asked.content.endswith("Which file?")
    assert expect(A2ASendTaskObservation, done).state == "completed"
    assert done.content.endswith("answered this")
    assert heard == "Which file?\nanswered this\n"


async def test_a_login_is_an_error(url: str) -> None:
    (error,), _ = await send(url, "login")
    assert expect(ErrorObservation, error).error_id == REMOTE_AGENT_LOGIN


async def test_chunks_come_in_order(url: str) -> None:
    (done,), heard = await send(url, "chunks 50")
    lines = "".join(f"line {number}\n" for number in range(50))
    assert expect(A2ASendTaskObservation, done).artifacts[0]["parts"] == [{"text": lines}]
    assert heard == f"{lines}counted\n"


async def test_data_files_and_odd_lines_are_kept(url: str) -> None:
    (done,), _ = await send(url, "kinds")
    whole, lines = expect(A2ASendTaskObservation, done).artifacts
    assert whole["parts"] == [
        {"data": {"n": 42, "list": [1.5, None]}},
        {"url": "data:image/png;base64,iVBORw0K", "filename": "dot.png", "media_type": "image/png"},
    ]
    assert lines["parts"] == [{"text": "a\u2028bc"}]


async def test_a_task_that_takes_too_long_is_cancelled_there(url: str) -> None:
    (error,), _ = await send(url, "wait", timeout=1)
    assert "it was not done in 1 s, and the task " in expect(ErrorObservation, error).content
    assert " was cancelled." in error.content
