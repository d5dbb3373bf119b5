"""Sessions over HTTP."""

import anyio
import anyio.lowlevel
import httpx2
import pytest

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


async def make_session(client: httpx2.AsyncClient, **wanted: object) -> str:
    answer = await client.post("/api/sessions", json=wanted)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/api/sessions/{answer.json()['id']}"
    return answer.json()["id"]


def command(text: str, **more: object) -> dict[str, object]:
    return {"action": "run", "args": {"command": text}, **more}


async def test_an_action_is_answered_by_its_observation(client: httpx2.AsyncClient) -> None:
    sid = await make_session(client, title="first")
    answer = await client.post(f"/api/sessions/{sid}/actions", json=command("echo hi | rev"))
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["observation"], told["content"], told["source"]) == ("run", "ih\n", "user")
    events = (await client.get(f"/api/sessions/{sid}/events", params={"kind": "run"})).json()["events"]
    assert [event["id"] for event in events] == [told["cause"], told["id"]]
    shown = (await client.get(f"/api/sessions/{sid}")).json()
    assert (shown["title"], shown["state"], shown["owner"]) == ("first", "awaiting_user_input", "")


async def test_an_action_sent_twice_is_executed_once(client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    action = command("echo x >> log; wc -l < log", cloche={"key": "once"})
    first = (await client.post(f"/api/sessions/{sid}/actions", json=action)).json()
    second = (await client.post(f"/api/sessions/{sid}/actions", json=action)).json()
    assert first == second
    assert first["content"].strip() == "1"


async def test_an_action_can_be_left_to_run(client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    stored = await client.post(f"/api/sessions/{sid}/actions", params={"wait": False}, json=command("sleep 60"))
    assert stored.status_code == 202
    assert "observation" not in stored.json()
    async with client.stream("GET", f"/api/sessions/{sid}/events", headers={"accept": "text/event-stream"}) as answer:
        async for line in answer.aiter_lines():
            if '"action":"run"' in line:
                while not (await client.post(f"/api/sessions/{sid}/interrupt")).json()["interrupted"]:
                    await anyio.lowlevel.checkpoint()
            if '"observation":"run"' in line and f'"cause":{stored.json()["id"]}' in line:
                break


async def test_sessions_are_listed_renamed_stopped_and_started(client: httpx2.AsyncClient) -> None:
    sid = await make_session(client, title="one")
    await make_session(client, title="two")
    renamed = await client.patch(f"/api/sessions/{sid}", json={"title": "uno"})
    assert renamed.json()["title"] == "uno"
    found = (await client.get("/api/sessions", params={"search": "uno"})).json()
    assert [each["id"] for each in found["sessions"]] == [sid]
    page = (await client.get("/api/sessions", params={"limit": 1})).json()
    assert (len(page["sessions"]), page["has_more"]) == (1, True)
    assert (await client.post(f"/api/sessions/{sid}/start")).json()["state"] == "awaiting_user_input"
    assert (await client.post(f"/api/sessions/{sid}/stop")).json()["state"] == "stored"
    answer = await client.post(f"/api/sessions/{sid}/actions", json=command("echo again"))
    assert answer.json()["content"] == "again\n"


async def test_users_see_their_own_sessions_and_no_others(server: RunningServer, client: httpx2.AsyncClient) -> None:
    own = await make_session(client)
    ada, bob = await server.add_user("ada"), await server.add_user("bob")
    async with server.client(ada) as hers, server.client(bob) as his:
        sid = await make_session(hers, title="ada's")
        assert (await his.get("/api/sessions")).json()["sessions"] == []
        for path in (f"/api/sessions/{sid}", f"/api/sessions/{own}", f"/api/sessions/{sid}/events"):
            answer = await his.get(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "session_unknown")
        assert (await his.post(f"/api/sessions/{sid}/actions", json=command("id"))).status_code == 404
        assert [each["id"] for each in (await hers.get("/api/sessions")).json()["sessions"]] == [sid]
    assert {each["id"] for each in (await client.get("/api/sessions")).json()["sessions"]} == {own, sid}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"action": "run"}, 422, "event"),
        ({"action": "run", "args": {"command": 3}}, 422, "event"),
        ({"action": "nothing", "args": {}}, 422, "invalid"),
        ({"observation": "run", "content": "", "extras": {"command": ""}}, 422, "invalid"),
        ({"action": "finish", "args": {}}, 422, "invalid"),
        ({}, 422, "event"),
        ([], 422, "invalid"),
    ],
)
async def test_what_is_no_action_is_refused_with_the_reason(
    client: httpx2.AsyncClient, body: object, status: int, code: str
) -> None:
    sid = await make_session(client)
    answer = await client.post(f"/api/sessions/{sid}/actions", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"


async def test_bodies_that_are_no_json_are_refused(client: httpx2.AsyncClient) -> None:
    json = {"content-type": "application/json"}
    for content, headers, status in ((b"{", json, 400), (b"{}", {"content-type": "text/plain"}, 415), (b"", json, 400)):
        answer = await client.post("/api/sessions", content=content, headers=headers)
        assert answer.status_code == status
    wrong = await client.post("/api/sessions", json={"title": 2})
    assert (wrong.status_code, wrong.json()["detail"]) == (422, "Expected `str`, got `int` - at `$.title`")
    misspelled = await client.post("/api/sessions", json={"titel": "x"})
    assert (misspelled.status_code, misspelled.json()["detail"]) == (422, "Object contains unknown field `titel`")
