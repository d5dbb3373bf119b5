"""Tools of the MCP servers that are configured."""

import json
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from cloche.config import AppConfig, MCPConfig, NamedServer, RemoteServer, Secret, StdioServer
from cloche.events import ErrorObservation, MCPAction, MCPObservation, Observation
from cloche.runtime import Runtime
from cloche.runtime.tools.toolbox import ToolBox
from tests.mcp.peers import http_server

EXAMPLE = str(Path(__file__).parents[2] / "mcp" / "example.py")
PATIENCE = 60
pytestmark = pytest.mark.timeout(120)


def example(name: str = "example", **env: str) -> StdioServer:
    secrets = {key: Secret(value) for key, value in env.items()}
    return StdioServer(name=name, command=sys.executable, args=(EXAMPLE,), env=secrets)


@asynccontextmanager
async def opened(*stdio: StdioServer, **more: object) -> AsyncGenerator[ToolBox]:
    tools = ToolBox(replace(MCPConfig(stdio_servers=stdio), **more))
    with anyio.fail_after(PATIENCE):
        await tools.connect()
    try:
        yield tools
    finally:
        with anyio.fail_after(PATIENCE):
            await tools.close()


async def call(tools: ToolBox, name: str, seconds: float = PATIENCE, **arguments: object) -> Observation:
    with anyio.fail_after(PATIENCE):
        return await tools.call(MCPAction(name, dict(arguments)), seconds)


async def test_tools_are_listed_and_called() -> None:
    async with opened(example()) as tools:
        names = {tool.name: tool for tool in tools.tools}
        assert names["shout"].description == "Give the text in capitals."
        assert "text" in names["shout"].input_schema["properties"]
        done = await call(tools, "shout", text="hi")
        assert isinstance(done, MCPObservation)
        answer = json.loads(done.content)
        assert answer["content"] == [{"type": "text", "text": "HI"}]
        assert answer["isError"] is False
        assert (done.name, done.arguments) == ("shout", {"text": "hi"})
        failed = await call(tools, "fail")
        assert json.loads(failed.content)["isError"] is True


async def test_a_server_sees_only_the_variables_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    async with opened(example(GIVEN="1")) as tools:
        names = (await call(tools, "environment")).content
        assert "GIVEN" in names
        assert "MY_KEY" not in names


async def test_a_server_that_cannot_be_reached_is_reported_and_the_others_work() -> None:
    broken = StdioServer(name="broken", command="/nowhere/at/all")
    ends = StdioServer(name="ends", command=sys.executable, args=("-c", "pass"))
    chatty = StdioServer(name="chatty", command=sys.executable, args=("-c", "print('not MCP')"))
    gone = RemoteServer(url="http://127.0.0.1:9/mcp")
    async with opened(broken, ends, chatty, example(), shttp_servers=(gone,), sse_servers=(gone,)) as tools:
        assert set(tools.failures) == {"broken", "ends", "chatty", "127.0.0.1:9", "127.0.0.1:9-2"}
        assert isinstance(await call(tools, "shout", text="a"), MCPObservation)
        error = await call(tools, "unknown")
        assert isinstance(error, ErrorObservation)
        assert "broken is not connected" in error.content


@pytest.mark.slow
async def test_a_tool_that_never_answers_is_given_up() -> None:
    async with opened(example()) as tools:
        begun = time.monotonic()
        error = await call(tools, "sleep", seconds=0.5)
        assert isinstance(error, ErrorObservation)
        assert "no answer in 0.5 s" in error.content
        assert time.monotonic() - begun < 10


@pytest.mark.slow
async def test_a_server_that_dies_is_reported_and_started_again() -> None:
    async with opened(example()) as tools:
        error = await call(tools, "die")
        assert isinstance(error, ErrorObservation)
        assert "example" in error.content
        assert isinstance(await call(tools, "shout", text="a"), MCPObservation)


@pytest.mark.slow
async def test_tools_of_the_same_name_are_called_with_their_servers_name() -> None:
    async with opened(example("one"), example("two")) as tools:
        assert {tool.name for tool in tools.tools} >= {"one/shout", "two/shout"}
        assert isinstance(await call(tools, "two/shout", text="a"), MCPObservation)


@pytest.mark.slow
async def test_tools_are_called_by_the_names_that_a_proxy_would_give_them() -> None:
    async with opened(example("one"), example("one_two")) as tools:
        for name in ("one_shout", "one_two_shout"):
            assert isinstance(await call(tools, name, text="hi"), MCPObservation), name
        assert "There is no tool `one_whisper`" in (await call(tools, "one_whisper")).content


@pytest.mark.slow
async def test_servers_over_http_and_event_streams(prepared: object) -> None:
    streams = subprocess.Popen(
        [sys.executable, EXAMPLE, "sse"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    assert streams.stdout is not None
    try:
        with http_server() as peer:
            named = NamedServer(url=peer.url, api_key=Secret(peer.token))
            old = RemoteServer(url=f"http://127.0.0.1:{streams.stdout.readline().strip()}/sse")
            async with opened(servers={"box": named}, sse_servers=(old,)) as tools:
                assert tools.failures == {}
                assert "HI" in (await call(tools, "shout", text="hi")).content
                assert '"42"' in (await call(tools, "run_python", code="6 * 7")).content
    finally:
        streams.kill()
        streams.wait(10)
        streams.stdout.close()


class Bare(Runtime):
    """A runtime that executes nothing itself."""

    async def attach(self) -> None:
        pass

    async def perform(self, action: object, *, timeout: float, key: str) -> Observation:
        return ErrorObservation("nothing is executed here")

    async def detach(self) -> None:
        pass


@pytest.mark.slow
async def test_every_runtime_calls_them() -> None:
    heard: list[str] = []
    config = AppConfig(mcp=MCPConfig(stdio_servers=(example(), StdioServer(name="broken", command="/nowhere"))))
    runtime = Bare(config, status_callback=lambda level, status, text: heard.append(f"{level} {text}"))
    with anyio.fail_after(PATIENCE):
        async with runtime:
            assert "HI" in (await runtime.call_tool_mcp(MCPAction("shout", {"text": "hi"}))).content
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(runtime.call_tool_mcp, MCPAction("sleep"))
                await anyio.wait_all_tasks_blocked()
                assert await runtime.interrupt()
    assert any(text.startswith("error The MCP server broken") for text in heard)


async def test_without_servers_a_tool_is_an_error_that_says_what_to_configure() -> None:
    async with Bare() as runtime:
        answer = await runtime.call_tool_mcp(MCPAction("shout"))
        assert isinstance(answer, ErrorObservation)
        assert "[mcp]" in answer.content
