"""Calls over plain HTTP: the protocol, for clients that are not ours."""

import base64
import gc
import json
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import anyio
import httpx2
import pytest

from cloche.events import ErrorObservation, Observation, RunnableAction
from cloche.runtime import Runtime
from cloche.server.calls import calls
from tests.server.conftest import StartServer

PATIENCE = 50
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]
ENDLESS = {"verb": "run", "code": "n = 0\nwhile True: n += 1", "seconds": None}


class Plain(Runtime):
    """A runtime without a sandbox, which executes nothing."""

    async def attach(self) -> None:
        pass

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:  # noqa: ASYNC109
        return ErrorObservation("Nothing is executed here.")

    async def detach(self) -> None:
        pass


async def make(client: httpx2.AsyncClient, session: str, verb: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """All lines of a call."""
    with anyio.fail_after(PATIENCE):
        answer = await client.post(f"{session}/calls", json={"key": uuid4().hex, "call": verb, **more})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines() if line]


async def events(client: httpx2.AsyncClient, session: str) -> list[dict[str, Any]]:
    return (await client.get(f"{session}/events", params={"limit": 1000})).json()["events"]


@pytest.fixture
async def fresh(shared_client: httpx2.AsyncClient) -> AsyncGenerator[str]:
    """The path of a new session."""
    answer = await shared_client.post("/api/sessions", json={})
    yield f"/api/sessions/{answer.json()['id']}"
    await shared_client.delete(f"/api/sessions/{answer.json()['id']}")


async def test_a_call_is_answered_line_by_line(shared_client: httpx2.AsyncClient, session: str) -> None:
    begun, output, result = await make(shared_client, session, {"verb": "run", "code": "print('hi'); 6 * 7"})
    assert (begun["event"], begun["seconds"], len(begun["place"])) == ("begun", 30.0, 32)
    assert output == {"event": "output", "stream": "stdout", "text": "hi\n"}
    assert (result["event"], result["value"], result["stdout"]) == ("result", "42", "hi\n")


async def test_the_same_key_is_the_same_call(shared_client: httpx2.AsyncClient, session: str) -> None:
    verb = {"verb": "run", "code": "open('once', 'a').write('line\\n')", "language": "python"}
    first = await make(shared_client, session, verb, key="mine")
    assert await make(shared_client, session, verb, key="mine") == first
    assert await make(shared_client, session, verb, key="mine", after=1) == first[1:]
    *_, done = await make(shared_client, session, {"verb": "read", "path": "once", "limit": 100})
    assert base64.b64decode(done["value"]["data"]) == b"line\n"


async def test_a_call_for_another_sandbox_is_not_made(shared_client: httpx2.AsyncClient, session: str) -> None:
    verb = {"verb": "write", "path": "no", "data": ""}
    (failed,) = await make(shared_client, session, verb, place="another")
    assert (failed["event"], failed["problem"]["code"]) == ("failed", "sandbox_gone")
    *_, listed = await make(shared_client, session, {"verb": "files", "path": "/workspace"})
    assert "no" not in str(listed["value"])


async def test_questions_are_asked_and_answered(shared_client: httpx2.AsyncClient, session: str) -> None:
    call = {"key": "asking", "call": {"verb": "run", "code": "input('who? ')", "interactive": True}}
    seen: list[dict[str, Any]] = []
    with anyio.fail_after(PATIENCE):
        async with shared_client.stream("POST", f"{session}/calls", json=call) as answer:
            async for line in answer.aiter_lines():
                if not line:
                    continue
                seen.append(json.loads(line))
                if seen[-1]["event"] == "input":
                    assert seen[-1]["prompt"] == "who? "
                    for number, said in ((7, "late"), (1, "Ada"), (1, "twice")):
                        told = await shared_client.post(
                            f"{session}/calls/asking/input", json={"number": number, "line": said}
                        )
                        assert told.status_code == 204
    assert seen[-1]["value"] == "'Ada'"


async def test_code_is_interrupted_and_calls_are_stopped(shared_client: httpx2.AsyncClient, session: str) -> None:
    with anyio.fail_after(PATIENCE):
        for key in ("interrupted", "stopped"):
            async with shared_client.stream("POST", f"{session}/calls", json={"key": key, "call": ENDLESS}) as answer:
                lines = answer.aiter_lines()
                assert json.loads(await anext(lines))["event"] == "begun"
                if key == "stopped":
                    assert (await shared_client.delete(f"{session}/calls/{key}")).status_code == 204
                else:
                    while not (await shared_client.post(f"{session}/calls/{key}/interrupt")).json()["interrupted"]:
                        pass
                (last,) = [json.loads(line) async for line in lines if line]
            if key == "stopped":
                assert (last["event"], "its client has left" in last["problem"]["detail"]) == ("failed", True)
            else:
                assert last["error"]["type"] == "KeyboardInterrupt"


async def test_code_whose_client_is_gone_is_stopped(start_server: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "CALL_ORPHAN", 0.2)
    monkeypatch.setattr(calls, "LOOK", 0.05)
    with anyio.fail_after(PATIENCE):
        async with start_server() as server, server.client() as client:
            session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
            async with client.stream("POST", f"{session}/calls", json={"key": "k", "call": ENDLESS}) as answer:
                await anext(answer.aiter_lines())
            *_, result = await make(client, session, {"verb": "run", "code": "n > 0"})
            assert result["value"] == "True"
            (observed,) = [each for each in await events(client, session) if each.get("observation") == "error"]
            assert "its client has left" in observed["content"]


async def test_calls_that_are_open_are_limited(
    shared_client: httpx2.AsyncClient, fresh: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "CALLS_OPEN", 1)
    with anyio.fail_after(PATIENCE):
        async with shared_client.stream("POST", f"{fresh}/calls", json={"key": "k", "call": ENDLESS}) as answer:
            await anext(answer.aiter_lines())
            refused = await shared_client.post(f"{fresh}/calls", json={"key": "l", "call": ENDLESS})
            assert (refused.status_code, refused.json()["code"]) == (429, "calls")
            await shared_client.delete(f"{fresh}/calls/k")


async def test_what_a_session_with_another_runtime_cannot_do_is_refused(
    shared_client: httpx2.AsyncClient,
) -> None:
    wanted = {"runtime": "tests.server.routes.test_calls.Plain"}
    with anyio.fail_after(PATIENCE):
        answer = await shared_client.post("/api/sessions", json=wanted)
        session = f"/api/sessions/{answer.json()['id']}"
        (failed,) = await make(shared_client, session, {"verb": "run", "code": "1"})
        assert (failed["problem"]["code"], "actions" in failed["problem"]["fix"]) == ("no_sandbox", True)
        action = {"action": "run", "args": {"command": "echo hi"}}
        *_, done = await make(shared_client, session, {"verb": "act", "event": action})
        assert (done["event"], done["value"]["observation"]) == ("done", "error")
        refused = await shared_client.post("/api/sessions", json={**wanted, "sandbox": {"memory_mb": 128}})
        assert (refused.status_code, refused.json()["code"]) == (422, "config")


async def test_an_action_without_its_call_is_not_executed(shared_client: httpx2.AsyncClient, session: str) -> None:
    actions: list[dict[str, Any]] = [
        {"action": "run_code", "args": {"language": "python", "code": "open('made', 'w')", "call": "nobody"}},
        {"action": "sandbox_call", "args": {"verb": "reset", "arguments": {}, "call": "nobody"}},
        {"action": "sandbox_call", "args": {"verb": "reset", "arguments": {}}},
    ]
    for action in actions:
        answer = (await shared_client.post(f"{session}/actions", json=action)).json()
        assert answer["observation"] == "error"
        assert "NOT executed" in answer["content"] or "not supported" in answer["content"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"key": "k"},
        {"key": "a/b", "call": {"verb": "info"}},
        {"key": "", "call": {"verb": "info"}},
        {"key": "k", "call": {"verb": "close"}},
        {"key": "k", "call": {"verb": "run", "code": 7}},
        {"key": "k", "call": {"verb": "run", "code": "1", "mounts": []}},
        {"key": "k", "call": {"verb": "upload", "path": "x", "blob": "../x"}},
        {"key": "k", "call": {"verb": "info"}, "after": -1},
    ],
)
async def test_what_is_no_call_is_refused(shared_client: httpx2.AsyncClient, session: str, body: Any) -> None:
    assert (await shared_client.post(f"{session}/calls", json=body)).status_code == 422


async def test_data_goes_before_its_call_and_is_there_once(shared_client: httpx2.AsyncClient, session: str) -> None:
    name = uuid4().hex
    blob = f"{session}/blobs/{name}"
    binary = {"content-type": "application/octet-stream"}
    assert (await shared_client.get(blob)).status_code == 404
    assert (await shared_client.put(blob, content=b"x", headers={"content-type": "text/plain"})).status_code == 415
    sent = await shared_client.put(blob, content=b"data", headers=binary)
    assert sent.json() == {"name": name, "size": 4}
    assert (await shared_client.get(blob)).content == b"data"
    *_, done = await make(shared_client, session, {"verb": "write", "path": "b", "blob": name})
    assert done == {"event": "done", "value": None}
    assert (await shared_client.get(blob)).status_code == 404
    *_, failed = await make(shared_client, session, {"verb": "write", "path": "b", "blob": name})
    assert failed["problem"]["code"] == "file_enoent"
    for _ in range(20):
        await shared_client.put(f"{session}/blobs/{uuid4().hex}", content=b"x", headers=binary)
    kept = uuid4().hex
    await shared_client.put(f"{session}/blobs/{kept}", content=b"hostile " * 500, headers=binary)
    *_, failed = await make(shared_client, session, {"verb": "upload", "path": "b", "blob": kept})
    assert (failed["event"], failed["problem"]["code"]) == ("failed", "invalid_value")


async def test_answers_and_data_are_kept_within_limits_and_for_a_time(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("CALLS_KEPT", 3), ("CALL_BLOB_KEPT", 0.2), ("CALL_KEPT", 0.2), ("LOOK", 0.05)):
        monkeypatch.setattr(calls, name, value)
    binary = {"content-type": "application/octet-stream"}
    with anyio.fail_after(PATIENCE):
        async with start_server() as server, server.client() as client:
            sid = (await client.post("/api/sessions", json={})).json()["id"]
            session = f"/api/sessions/{sid}"
            kept = server.app.calls.of(await server.app.manager.find(sid))
            for number in range(8):
                await make(client, session, {"verb": "files", "path": "/workspace"}, key=f"k{number}")
                assert len(kept.calls) <= 4
                await client.put(f"{session}/blobs/{uuid4().hex}", content=b"x", headers=binary)
            while kept.calls or len(kept.store.blobs):  # noqa: ASYNC110 - no event tells
                await anyio.sleep(0.02)
            await client.delete(session)
            while server.app.calls._sessions:  # pyright: ignore[reportPrivateUsage] - that nothing is left
                gc.collect()
                await anyio.sleep(0.02)
