"""MCP in the server, with the official client in both eras of the protocol: what is done is a session one can watch."""

import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    FileEditObservation,
    FileReadObservation,
    IPythonRunCellAction,
    IPythonRunCellObservation,
    MCPAction,
    RunCodeObservation,
    SuccessObservation,
)
from cloche.mcp.client_sessions import ClientSessions
from cloche.server.mcp.hosted_sandbox import RESTARTED, HostedSandboxes
from cloche.session import SessionManager
from tests.mcp.test_clients import KILLED_CLIENT, serving, until
from tests.server.conftest import RunningServer, StartServer, plain_config
from tests.server.mcp.peers import BOTH, MODES, find_session, list_actions, list_events, mcp_client, plain, value

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
PATIENCE = 60

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("run_python", {"code": "import sys\nx = 41\nprint('out')\nprint('err', file=sys.stderr)\nx + 1"}),
    ("run_python", {"code": "from IPython.display import display, Markdown\ndisplay(Markdown('**hi**'))\n1/0"}),
    ("run_bash", {"command": "cd /tmp; pwd; false"}),
    ("run_bash", {"command": "cat", "stdin": "from stdin"}),
    ("run_code", {"language": "lua", "code": "print(6 * 7)"}),
    ("run_code", {"language": "sql", "code": "select 1 as a, 2 as b"}),
    ("run_python", {"code": "while True: pass", "timeout": 0.3}),
    ("write_file", {"path": "a.txt", "content": "one\ntwo\n"}),
    ("write_file", {"path": "b.bin", "content": "AAEC/w==", "encoding": "base64"}),
    ("read_file", {"path": "a.txt", "first_line": 2}),
    ("read_file", {"path": "missing"}),
    ("read_file", {"path": "b.bin"}),
    ("edit_file", {"path": "a.txt", "old_str": "one", "new_str": "1"}),
    ("edit_file", {"path": "a.txt", "old_str": "nowhere", "new_str": "1"}),
    ("list_files", {}),
    ("install_packages", {"packages": ["no-such-package-at-all"]}),
    ("reset", {"language": "python"}),
    ("run_python", {"code": "'x' in globals()"}),
]


class Watcher:
    """Hears what is printed in a session."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str]] = []
        self.news = anyio.Event()

    def hear_output(self, action: int, stream: str, text: str) -> None:
        self.heard.append((action, text))
        self.news.set()

    def hear_status(self, level: str, status: str, text: str) -> None: ...

    def hear_message(self, message: dict[str, Any]) -> None: ...


@pytest.mark.parametrize("mode", BOTH)
async def test_clients_get_the_same_as_from_a_server_of_its_own(server: RunningServer, mode: str) -> None:
    async with serving(ClientSessions(server.config)) as url, httpx2.AsyncClient(timeout=PATIENCE) as http:
        with anyio.fail_after(2 * PATIENCE):
            async with (
                Client(streamable_http_client(url, http_client=http), mode=mode) as alone,
                mcp_client(server, mode) as client,
            ):
                for name, arguments in CALLS:
                    expected = plain(await alone.call_tool(name, arguments))
                    assert plain(await client.call_tool(name, arguments)) == expected, name
                sid = await find_session(client)
                done = list_actions(await list_events(server, sid))
    assert [action.kind for action, _ in done] == [
        *("run_ipython", "run_ipython", "run", "run_code", "run_code", "run_code", "run_ipython"),
        *("write", "call_tool_mcp", "read", "read", "read", "edit", "edit", "list_files", "call_tool_mcp"),
        *("call_tool_mcp", "run_ipython", "list_files"),
    ]
    assert {(action.source, (action.cloche or {})["client"]) for action, _ in done} == {("user", "tests")}
    answers = [answer.body for _, answer in done]
    assert isinstance(answers[0], IPythonRunCellObservation)
    assert answers[0].content == "out\nerr\n42\n"
    assert isinstance(answers[1], IPythonRunCellObservation)
    assert "ZeroDivisionError" in answers[1].content
    assert isinstance(answers[2], CmdOutputObservation)
    assert (answers[2].content, answers[2].exit_code, answers[2].metadata.working_dir) == ("/tmp\n", 1, "/tmp")
    assert isinstance(answers[3], RunCodeObservation)
    assert answers[3].content == "from stdin"
    assert isinstance(answers[9], FileReadObservation)
    assert answers[9].content == "two\n"
    assert isinstance(answers[10], ErrorObservation)
    assert isinstance(answers[12], FileEditObservation)
    assert isinstance(answers[15], ErrorObservation)


@pytest.mark.parametrize("mode", BOTH)
async def test_what_is_done_can_be_watched(server: RunningServer, mode: str) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server, mode, name="Editor") as client:
            hosted = await server.app.manager.find(await find_session(client))
            watcher = Watcher()
            hosted.attach(watcher)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "run_bash", {"command": "echo begun; while [ ! -e go ]; do :; done"})
                await watcher.news.wait()
                # It is there before it ends, under the action that is on record.
                action = (await list_events(server, hosted.sid))[-1]
                assert watcher.heard == [(action.id, "begun\n")]
                assert isinstance(action.body, CmdRunAction)
                await client.call_tool("write_file", {"path": "go", "content": ""})
            hosted.detach(watcher)
        async with server.client() as http:
            listed = (await http.get("/api/sessions")).json()["sessions"]
            assert [each["title"] for each in listed if each["id"] == hosted.sid] == ["MCP: Editor"]


@pytest.mark.parametrize("mode", BOTH)
async def test_a_session_that_the_page_began_is_used_by_its_id(server: RunningServer, mode: str) -> None:
    async with server.client() as http:
        sid = (await http.post("/api/sessions", json={"title": "mine"})).json()["id"]
        cell = {"action": "run_ipython", "args": {"code": "x = 6"}}
        await http.post(f"/api/sessions/{sid}/actions", json=cell)
        with anyio.fail_after(PATIENCE):
            async with mcp_client(server, mode) as client:
                assert await value(client, "7 * x", session=sid) == "42"
                assert await find_session(client, session=sid) == sid
                await client.call_tool("run_bash", {"command": "cd /tmp", "session": sid})
                # It is the same shell, whoever looks.
                told = await http.post(
                    f"/api/sessions/{sid}/actions", json={"action": "read", "args": {"path": "none"}}
                )
                assert "/tmp/none" in told.json()["content"]
        assert (await http.get(f"/api/sessions/{sid}")).json()["state"] != "stored"


@pytest.mark.parametrize("mode", BOTH)
async def test_users_have_sessions_of_their_own(server: RunningServer, mode: str) -> None:
    ada, bob = await server.add_user("ada"), await server.add_user("bob")
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server, mode, ada) as first, mcp_client(server, mode, bob) as second:
            assert await value(first, "x = 1; x", session="shared") == "1"
            assert await value(second, "'x' in globals()", session="shared") == "False"
            hers = await find_session(first, session="shared")
            # The id of somebody else's session is a name like any other.
            assert await value(second, "'x' in globals()", session=hers) == "False"
            assert await find_session(second, session=hers) != hers
        async with mcp_client(server, mode) as owner:
            assert await value(owner, "x", session=hers) == "1"
    async with server.client(bob) as http:
        assert (await http.get(f"/api/sessions/{hers}")).status_code == 404


async def test_a_connection_is_of_no_use_to_others(server: RunningServer) -> None:
    ada, bob = await server.add_user("ada"), await server.add_user("bob")
    hello: dict[str, Any] = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    accept = {"accept": "application/json, text/event-stream"}
    begin: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    async with server.client(ada) as hers, server.client(bob) as his:
        opened = await hers.post("/mcp", json=begin, headers=accept)
        connection = {**accept, "mcp-session-id": opened.headers["mcp-session-id"]}
        tools: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        assert (await his.post("/mcp", json=tools, headers=connection)).status_code == 404
        assert (await his.delete("/mcp", headers=connection)).status_code == 404
        assert (await hers.post("/mcp", json=tools, headers=connection)).status_code == 200


@pytest.mark.parametrize("mode", BOTH)
async def test_a_token_that_may_only_read_calls_nothing(server: RunningServer, mode: str) -> None:
    reader = await server.add_user("ada", "read")
    params: dict[str, Any] = {"name": "run_python", "arguments": {}}
    call: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with server.client(reader) as http:
        refused = await http.post("/mcp", json=call, headers={"mcp-protocol-version": mode})
        assert (refused.status_code, refused.json()["code"]) == (403, "read_only")
    async with server.client(None) as http:
        assert (await http.post("/mcp", json=call)).status_code == 401


async def test_a_client_that_leaves_leaves_its_record(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server) as client:
            assert await value(client, "6 * 7") == "42"
            sid = await find_session(client)
        hosted = await server.app.manager.find(sid)
        await until(lambda: hosted.state == "stored")
        assert [action.kind for action, _ in list_actions(await list_events(server, sid))] == [
            "run_ipython",
            "list_files",
        ]


async def test_the_session_of_a_client_that_vanishes_has_its_end_on_record(tmp_path: Path) -> None:
    config = plain_config(tmp_path / "data")
    async with SessionManager(config) as manager:
        sessions = ClientSessions(config, gone_after=0.3, open_sandbox=HostedSandboxes(manager).open)
        async with serving(sessions) as url:
            with anyio.fail_after(PATIENCE):
                code = "print('begun', flush=True)\nwhile True: pass"
                async with await anyio.open_process([sys.executable, KILLED_CLIENT, url, code]) as victim:
                    assert victim.stdout is not None
                    assert await victim.stdout.receive() == b"begun\n"
                    (view,) = await manager.list_sessions()
                    victim.kill()
                hosted = await manager.find(view.id)
                await until(lambda: hosted.state == "stored")
                events = [event async for event in hosted.stream.get_events()]
    ((_, answer),) = list_actions(events)
    assert isinstance(answer.body, ErrorObservation)
    assert "did not come to its end" in answer.body.content


async def test_a_call_that_is_cancelled_has_one_observation(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server) as client:
            hosted = await server.app.manager.find(await find_session(client))
            watcher = Watcher()
            hosted.attach(watcher)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "run_python", {"code": "x = 1\nprint('on')\nwhile True: pass"})
                await watcher.news.wait()
                tasks.cancel_scope.cancel()
            # What comes next waits until it has stopped, and finds the variables.
            assert await value(client, "x") == "1"
            (_, stopped), _ = list_actions(await list_events(server, hosted.sid))[1:]
            assert isinstance(stopped.body, ErrorObservation)


async def test_the_page_stops_what_a_client_runs(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server) as client, server.client() as http:
            hosted = await server.app.manager.find(await find_session(client))
            watcher = Watcher()
            hosted.attach(watcher)
            results: list[Any] = []

            async def run() -> None:
                results.append(await client.call_tool("run_python", {"code": "print('on')\nwhile True: pass"}))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await watcher.news.wait()
                told = await http.post(f"/api/sessions/{hosted.sid}/interrupt", json={})
                assert told.json() == {"interrupted": True}
            assert results[0].structured_content["error"]["type"] == "KeyboardInterrupt"


async def test_a_reset_throws_the_files_away_and_keeps_the_record(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server) as client:
            await client.call_tool("run_python", {"code": "x = 1; open('f', 'w').close()"})
            sid = await find_session(client)
            await client.call_tool("reset", {})
            after = await client.call_tool("run_python", {"code": "import os; ('x' in globals(), os.listdir())"})
            assert after.structured_content is not None
            assert after.structured_content["value"] == "(False, [])"
            # Its client knows that it is a new one.
            assert "notice" not in after.structured_content
            assert await find_session(client) == sid
        done = list_actions(await list_events(server, sid))
        (reset,) = [answer for action, answer in done if isinstance(action.body, MCPAction)]
        assert isinstance(reset.body, SuccessObservation)


async def test_after_a_restart_of_the_server_files_are_there_and_a_notice(
    start_server: StartServer, tmp_path: Path
) -> None:
    config = plain_config(tmp_path / "data")
    with anyio.fail_after(PATIENCE):
        async with start_server(config) as server, mcp_client(server, MODES[0]) as client:
            await client.call_tool("run_python", {"code": "x = 1; open('f', 'w').close()"})
            sid = await find_session(client)
            hosted = await server.app.manager.find(sid)
            await hosted.stop()
            again = await client.call_tool("run_python", {"code": "import os; os.listdir()"})
            assert again.structured_content is not None
            assert (again.structured_content["notice"], again.structured_content["state"]) == (RESTARTED, "lost")
            assert again.structured_content["value"] == "['f']"
            assert await value(client, "1") == "1"
        async with start_server(config) as server, mcp_client(server, MODES[0]) as client:
            assert await value(client, "import os; os.listdir()") == "['f']"
            assert await find_session(client) == sid


async def test_a_session_that_was_deleted_is_begun_anew(server: RunningServer) -> None:
    with anyio.fail_after(PATIENCE):
        async with mcp_client(server, MODES[0]) as client, server.client() as http:
            await client.call_tool("write_file", {"path": "f", "content": ""})
            sid = await find_session(client)
            assert (await http.delete(f"/api/sessions/{sid}")).status_code == 204
            assert await value(client, "import os; os.listdir()") == "[]"


async def test_a_server_that_stops_answers_the_calls_that_run(start_server: StartServer, tmp_path: Path) -> None:
    config = plain_config(tmp_path / "data")
    answers: list[Any] = []
    with anyio.fail_after(PATIENCE):
        async with start_server(config) as server, mcp_client(server) as client:
            hosted = await server.app.manager.find(await find_session(client))
            watcher = Watcher()
            hosted.attach(watcher)

            async def run() -> None:
                answers.append(await client.call_tool("run_python", {"code": "print('on')\nwhile True: pass"}))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await watcher.news.wait()
                await server.app.end()
        assert answers[0].is_error
        assert "was closed" in answers[0].content[0].text
        async with SessionManager(config) as manager:
            stream = (await manager.find(hosted.sid)).stream
            done = list_actions([event async for event in stream.get_events()])
    assert [type(answer.body) for action, answer in done if isinstance(action.body, IPythonRunCellAction)] == [
        ErrorObservation
    ]
