"""Who may use the agents of a server, how they find them, and how much they may ask."""

import socket
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest
from a2a.utils.errors import A2AError
from anyio import to_thread

from cloche.config import A2AServer, Secret
from cloche.limits import SERVER_BODY_LIMIT
from cloche.llm import ScriptedLLM
from cloche.runtime import A2AManager
from cloche.runtime.a2a.updates import ArtifactUpdate, StatusUpdate
from cloche.session import NewSession
from tests.server.agents.peers import agent_client, begin_session, call, say
from tests.server.conftest import OWNER, RunningServer, StartServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
PATIENCE = 60
CARD = ".well-known/agent-card.json"
RPC = {"jsonrpc": "2.0", "id": 1}
VERSION = {"a2a-version": "1.0"}


def make_call(method: str, **params: Any) -> dict[str, Any]:
    return {**RPC, "method": method, "params": params}


async def test_a_card_has_the_address_by_which_it_was_asked_for(server: RunningServer) -> None:
    sid = await begin_session(server, title="Sums")
    port = server.url.rpartition(":")[2]
    async with server.client() as http:
        answer = await http.get(f"/a2a/{sid}/{CARD}", headers={"host": f"localhost:{port}"})
        card = answer.json()
        assert {each["url"] for each in card["supportedInterfaces"]} == {f"http://localhost:{port}/a2a/{sid}"}
        assert (card["name"], card["capabilities"]["streaming"]) == ("Cloche: Sums", True)
        assert card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"] == "bearer"
        assert {"bash", "python", "ruby"} <= {skill["id"] for skill in card["skills"]}
        same = await http.get(
            f"/a2a/{sid}/{CARD}", headers={"host": f"localhost:{port}", "if-none-match": answer.headers["etag"]}
        )
        assert same.status_code == 304
        foreign = await http.get(f"/a2a/{sid}/{CARD}", headers={"host": "evil.example"})
        assert foreign.status_code == 421


async def test_the_agent_is_on_the_card_where_it_has_a_model(start_server: StartServer) -> None:
    async with start_server(model=ScriptedLLM([])) as server, server.client() as http:
        card = (await http.get(f"/a2a/{await begin_session(server)}/{CARD}")).json()
        assert card["skills"][0]["name"] == "CodeActAgent"


async def test_sessions_of_others_are_as_if_they_were_not_there(server: RunningServer) -> None:
    sid = await begin_session(server)
    ada = await server.add_user("ada")
    async with agent_client(server, sid) as client:
        task = (await say(client, "echo mine")).task
    async with server.client(ada) as http:
        there = [
            await http.get(f"/a2a/{sid}/{CARD}"),
            await http.get(f"/a2a/{sid}/tasks/{task.id}", headers=VERSION),
            await http.post(f"/a2a/{sid}", json=make_call("GetTask", id=task.id), headers=VERSION),
            await http.post(f"/a2a/{sid}/tasks/{task.id}:cancel", headers=VERSION),
        ]
        nowhere = await http.get(f"/a2a/{'0' * 32}/{CARD}")
        for answer in there:
            assert answer.status_code == 404
            assert answer.json()["code"] == nowhere.json()["code"] == "session_unknown"
    async with agent_client(server, "new", token=ada) as client:
        for ask in (
            client.get_task(GetTaskRequest(id=task.id)),
            client.cancel_task(CancelTaskRequest(id=task.id)),
            client.list_tasks(ListTasksRequest(context_id=sid)),
        ):
            with pytest.raises(A2AError):
                await ask
    # The owner of the server sees the sessions of all users.
    hers = await begin_session(server, ada)
    async with agent_client(server, hers) as client:
        assert (await say(client, "echo hers")).artifacts["output"] == "hers\n"


@pytest.mark.parametrize("token", [None, "wrong"])
async def test_without_a_token_nothing_is_said(server: RunningServer, token: str | None) -> None:
    sid = await begin_session(server)
    async with server.client(token) as http:
        for path in (f"/a2a/{sid}/{CARD}", f"/a2a/new/{CARD}", "/a2a/nothing"):
            assert (await http.get(path)).status_code == 401
        assert (await http.post(f"/a2a/{sid}", json=make_call("GetTask", id="x"))).status_code == 401


async def test_a_token_that_may_only_read_looks_at_tasks_and_begins_none(server: RunningServer) -> None:
    ada, reader = await server.add_user("ada"), await server.add_user("bob", "read")
    sid = await begin_session(server, ada)
    own = await begin_session(server)
    async with server.client(reader) as http:
        message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "echo hi"}]}
        refused = await http.post("/a2a/new", json=make_call("SendMessage", message=message), headers=VERSION)
        assert (refused.status_code, refused.json()["code"]) == (403, "read_only")
        assert (await http.get(f"/a2a/{sid}/{CARD}")).status_code == 404
        assert (await http.get(f"/a2a/{own}/{CARD}")).status_code == 404
        assert (await http.get(f"/a2a/new/{CARD}")).status_code == 200
        his = (await server.app.manager.create("bob", NewSession())).sid
        assert (await http.get(f"/a2a/{his}/tasks", headers=VERSION)).json()["tasks"] == []


async def test_each_context_of_the_servers_own_agent_is_a_session(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with agent_client(server, "new") as client:
            first = await say(client, "echo x > f; cat f")
            again = await say(client, "cat f", context_id=first.task.context_id)
            other = await say(client, "cat f")
            named = await say(client, "touch mine", context_id="of my own")
            same = await say(client, "ls", context_id="of my own")
            assert first.artifacts["output"] == again.artifacts["output"] == "x\n"
            assert "No such file" in other.artifacts["output"]
            assert same.artifacts["output"] == "mine\n"
            assert len({each.task.context_id for each in (first, other, named)}) == 3
            listed = await client.list_tasks(ListTasksRequest(context_id=first.task.context_id))
            assert [task.id for task in listed.tasks] == [again.task.id, first.task.id]
            with pytest.raises(A2AError, match="contextId"):
                await client.list_tasks(ListTasksRequest())
        async with server.client() as http:
            found = (await http.get("/api/sessions")).json()["sessions"]
            assert {first.task.context_id, other.task.context_id} <= {each["id"] for each in found}


async def test_our_own_manager_of_remote_agents_is_understood(start_server: StartServer) -> None:
    script = ["Which file?", call("finish", message="It was f.")]
    with anyio.fail_after(PATIENCE):
        async with start_server(model=ScriptedLLM(script)) as server:
            sid = await begin_session(server, title="Reader")
            manager = A2AManager([A2AServer(url=f"{server.url}/a2a/{sid}", api_key=Secret(OWNER))])
            await manager.initialize_agent_cards()
            assert manager.failures == {}
            updates = [each async for each in manager.send_task("Cloche: Reader", "read it", "their-session")]
            states = [each.state for each in updates if isinstance(each, StatusUpdate)]
            assert states == ["submitted", "working", "input-required"]
            task_id = updates[0].task_id
            later = [each async for each in manager.send_task("Cloche: Reader", "f", "their-session", task_id=task_id)]
            assert [each.name for each in later if isinstance(each, ArtifactUpdate)] == ["answer"]
            last = later[-1]
            assert isinstance(last, StatusUpdate)
            assert last.state == "completed"
            await manager.close()


async def test_clients_of_the_protocol_before_are_understood(server: RunningServer) -> None:
    sid = await begin_session(server)
    message = {"kind": "message", "messageId": "1", "role": "user", "parts": [{"kind": "text", "text": "echo hi"}]}
    async with server.client() as http:
        answer = await http.post(f"/a2a/{sid}", json=make_call("message/send", message=message))
    task = answer.json()["result"]
    assert task["status"]["state"] == "completed"
    assert task["artifacts"][0]["parts"] == [{"kind": "text", "text": "hi\n"}]


async def test_bodies_are_measured(server: RunningServer) -> None:
    sid = await begin_session(server)

    async def endless() -> AsyncGenerator[bytes]:
        for _ in range(SERVER_BODY_LIMIT // 65536 + 2):
            yield b" " * 65536

    async with server.client() as http:
        for path in (f"/a2a/{sid}", f"/a2a/{sid}/message:send"):
            refused = await http.post(path, content=endless(), headers={"content-type": "application/json", **VERSION})
            assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b'{"jsonrpc": "2.0", "id": 1}', b'{"a":' * 100_000, b"\xff\xfe", b"null"]
)
async def test_malformed_requests_are_answered(server: RunningServer, body: bytes) -> None:
    sid = await begin_session(server)
    async with server.client() as http:
        for path in (f"/a2a/{sid}", f"/a2a/{sid}/message:send"):
            answer = await http.post(path, content=body, headers={"content-type": "application/json", **VERSION})
            assert answer.status_code in (200, 400, 422), answer.text
            assert answer.json().keys() & {"error", "code"}
        assert (await http.get("/api/health")).status_code == 200


async def test_a_client_that_does_not_read_holds_up_nobody(server: RunningServer) -> None:
    sid = await begin_session(server)
    host, _, port = server.url.removeprefix("http://").partition(":")
    flood = '{"message": {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "yes | head -c 30000000"}]}}'
    head = (
        f"POST /a2a/{sid}/message:stream HTTP/1.1\r\nhost: {host}:{port}\r\nauthorization: Bearer {OWNER}\r\n"
        f"a2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: {len(flood)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as deaf, anyio.fail_after(PATIENCE):
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await to_thread.run_sync(deaf.sendall, f"{head}{flood}".encode())
        async with agent_client(server, sid) as client:
            assert (await say(client, "echo free")).artifacts["output"] == "free\n"
