"""Help with code, over HTTP."""

import httpx2
import pytest

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def test_code_is_completed_inspected_and_checked(shared_client: httpx2.AsyncClient, session: str) -> None:
    cell = {"action": "run_ipython", "args": {"code": "import os"}}
    await shared_client.post(f"{session}/actions", json=cell)
    done = await shared_client.post(f"{session}/complete", json={"code": "1; os.getcw + 1", "cursor": 11})
    assert done.status_code == 200, done.text
    assert "getcwd" in done.json()["matches"]
    assert (done.json()["start"], done.json()["end"]) == (6, 11)
    told = await shared_client.post(f"{session}/inspect", json={"code": "len"})
    assert "Return the number of items" in told.json()["text"]
    nothing = await shared_client.post(f"{session}/inspect", json={"code": "nothing_of_this_name"})
    assert (nothing.status_code, nothing.json()) == (200, {"text": None})
    for code, status in (("if 1:", "incomplete"), ("1 + 1", "complete")):
        checked = await shared_client.post(f"{session}/is_complete", json={"code": code})
        assert checked.json()["status"] == status
    shell = await shared_client.post(f"{session}/complete", json={"code": "ech", "language": "bash"})
    assert "echo" in [each.strip() for each in shell.json()["matches"]]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"code": "x", "language": "klingon"}, "klingon"),
        ({"code": "x", "cursor": -1}, "cursor"),
        ({"cursor": 1}, "code"),
        ({"code": "x", "more": 1}, "more"),
    ],
)
async def test_a_question_that_cannot_be_asked_says_why(
    shared_client: httpx2.AsyncClient, session: str, question: dict[str, object], said: str
) -> None:
    answer = await shared_client.post(f"{session}/complete", json=question)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


async def test_a_question_does_not_wait_for_long_while_code_runs(
    shared_server: RunningServer, shared_client: httpx2.AsyncClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.server.embedded.SERVER_QUESTION", 0.2)
    cell = {"action": "run_ipython", "args": {"code": "kept = 1\nwhile True: pass"}}
    stored = await shared_client.post(f"{session}/actions", params={"wait": False}, json=cell)
    answer = await shared_client.post(f"{session}/complete", json={"code": "kep"})
    while answer.status_code != 409:
        answer = await shared_client.post(f"{session}/complete", json={"code": "kep"})
    assert answer.json()["code"] == "busy"
    while not (await shared_client.post(f"{session}/interrupt")).json()["interrupted"]:
        pass
    hosted = await shared_server.app.manager.find(session.rpartition("/")[2])
    async for event in hosted.stream.follow(stored.json()["id"]):
        if event.cause == stored.json()["id"]:
            break
    monkeypatch.undo()
    again = await shared_client.post(f"{session}/complete", json={"code": "kep"})
    assert "kept" in again.json()["matches"]
