"""Tools of MCP servers and remote agents, over HTTP."""

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from cloche.config import A2AConfig, A2AServer, MCPConfig, StdioServer
from tests.runtime.a2a.peers import example_server
from tests.server.conftest import StartServer, plain_config

EXAMPLE = str(Path(__file__).parents[2] / "mcp" / "example.py")

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def test_tools_are_listed_with_their_servers_and_called_as_actions(
    start_server: StartServer, tmp_path: Path
) -> None:
    example = StdioServer(name="example", command=sys.executable, args=(EXAMPLE,))
    gone = StdioServer(name="gone", command="/nowhere/at/all")
    config = replace(plain_config(tmp_path / "data", pool_size=0), mcp=MCPConfig(stdio_servers=(example, gone)))
    async with start_server(config) as server, server.client() as client:
        session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
        listing = (await client.get(f"{session}/tools", timeout=60)).json()
        assert [each["name"] for each in listing["servers"]] == ["example", "gone"]
        assert [bool(each["failure"]) for each in listing["servers"]] == [False, True]
        shout = next(tool for tool in listing["tools"] if tool["name"] == "shout")
        assert (shout["server"], "text" in shout["input_schema"]["properties"]) == ("example", True)
        for name in ("shout", "example/shout"):
            done = await client.post(f"{session}/tools/{name}", json={"arguments": {"text": "hi"}})
            assert json.loads(done.json()["content"])["content"] == [{"type": "text", "text": "HI"}]
            assert done.json()["source"] == "user"
        unknown = await client.post(f"{session}/tools/whisper", json={})
        assert (unknown.status_code, unknown.json()["observation"]) == (200, "error")
        assert "There is no tool `whisper`" in unknown.json()["content"]
        events = (await client.get(f"{session}/events", params={"kind": "call_tool_mcp"})).json()["events"]
        assert [event["args"]["name"] for event in events if "action" in event] == ["shout", "example/shout", "whisper"]
        choices = (await client.get("/api/choices")).json()
        assert choices["mcp_servers"] == ["example", "gone"]


async def test_remote_agents_are_listed_with_their_cards(start_server: StartServer, tmp_path: Path) -> None:
    with example_server() as url:
        servers = (A2AServer(url=url), A2AServer(url="http://127.0.0.1:1"))
        config = replace(plain_config(tmp_path / "data", pool_size=0), a2a=A2AConfig(servers=servers))
        async with start_server(config) as server, server.client() as client:
            session = f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"
            listing = (await client.get(f"{session}/remote_agents", timeout=60)).json()
    assert [bool(agent["name"] and agent["skills"]) for agent in listing["agents"]] == [True]
    assert list(listing["failures"]) == ["127.0.0.1:1"]
