"""Tools of MCP servers that misbehave: each is reported, and none holds up the others."""

import json
import sys
import time
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from cloche.config import AppConfig, MCPConfig, NamedServer, RemoteServer, StdioServer
from cloche.events import ErrorObservation, MCPAction, MCPObservation
from cloche.runtime.tools import toolbox as tools_module
from cloche.runtime.tools.toolbox import ToolBox
from tests.runtime.remote.unreliable_proxy import answer
from tests.runtime.scripted import Scripted
from tests.runtime.tools.test_toolbox import PATIENCE, call, opened

HOSTILE = str(Path(__file__).parents[2] / "mcp" / "hostile.py")
pytestmark = pytest.mark.timeout(120)


def hostile(way: str, *more: str) -> StdioServer:
    return StdioServer(name=way, command=sys.executable, args=(HOSTILE, way, *more))


async def test_what_is_no_message_on_stdout_is_passed_over() -> None:
    async with opened(hostile("garbage"), hostile("binary")) as tools:
        assert tools.failures == {}
        assert isinstance(await call(tools, "garbage/shout"), MCPObservation)
        assert isinstance(await call(tools, "binary/shout"), MCPObservation)


async def test_ten_thousand_tools_are_listed_and_found_at_once() -> None:
    async with opened(hostile("many")) as tools:
        begun = time.monotonic()
        assert len(tools.tools) == 10_000
        assert isinstance(await call(tools, "tool9999"), MCPObservation)
        assert time.monotonic() - begun < 2
        unknown = (await call(tools, "nothing")).content
        assert unknown.endswith(" and 9950 more.")
        assert len(unknown) < 2000


async def test_a_list_without_end_is_cut() -> None:
    async with opened(hostile("endless")) as tools:
        assert len(tools.tools) == 1000


@pytest.mark.slow
async def test_a_result_that_is_too_large_is_reported_and_the_next_call_works() -> None:
    async with opened(hostile("huge"), hostile("plain")) as tools:
        assert "is too large" in (await call(tools, "huge/shout")).content
        assert isinstance(await call(tools, "plain/shout"), MCPObservation)


async def test_tools_that_change_are_listed_again() -> None:
    async with opened(hostile("changes")) as tools:
        await call(tools, "shout")
        with anyio.fail_after(PATIENCE):
            while [tool.name for tool in tools.tools] != ["whisper"]:  # noqa: ASYNC110 - no event
                await anyio.sleep(0.01)
        assert isinstance(await call(tools, "whisper"), MCPObservation)


async def test_a_server_that_asks_for_a_model_or_a_person_is_refused() -> None:
    async with opened(hostile("asks")) as tools:
        answered = json.loads((await call(tools, "shout")).content)["content"][0]["text"]
        assert [error["message"] for error in json.loads(answered)] == [
            "Sampling not supported",
            "Elicitation not supported",
        ]


async def test_a_server_that_dies_in_a_call_is_started_again_by_the_next() -> None:
    async with opened(hostile("dies")) as tools:
        for _ in range(2):
            assert "of the MCP server dies failed" in (await call(tools, "shout")).content


async def test_a_name_that_two_servers_have_is_not_guessed() -> None:
    async with opened(hostile("one"), hostile("two")) as tools:
        told = await call(tools, "shout")
        assert isinstance(told, ErrorObservation)
        assert told.content == "More than one MCP server has a tool `shout`: call `one/shout` or `two/shout`."


@pytest.mark.slow
async def test_a_silent_server_holds_up_no_other_and_ends_with_its_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_module, "MCP_CONNECT_TIMEOUT", 3)
    tools = ToolBox(MCPConfig(stdio_servers=(hostile("silent"), hostile("plain"))))
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tools.connect)
            while not tools.tools:  # noqa: ASYNC110 - no event
                await anyio.sleep(0.01)
            assert isinstance(await call(tools, "shout"), MCPObservation)
            assert tools.failures == {}
        assert tools.failures == {"silent": "it gave no answer in 3 s"}
        await tools.close()


def alive(pid: str) -> bool:
    """Whether it runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only on Linux are processes listed in /proc")
@pytest.mark.parametrize("ready", [True, False], ids=["connected", "while connecting"])
@pytest.mark.slow
async def test_a_server_that_does_not_want_to_end_is_ended_with_its_children(tmp_path: Path, ready: bool) -> None:
    noted = anyio.Path(tmp_path / "pids")
    config = AppConfig(mcp=MCPConfig(stdio_servers=(hostile("stubborn" if ready else "mute", str(noted)),)))
    runtime = Scripted(config)

    async def connect() -> None:
        if ready:
            await runtime.connect()
        else:
            with pytest.raises(Exception, match="closed while"):
                await runtime.connect()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connect)
            while not await noted.exists() or len((await noted.read_text()).split()) < 2:  # noqa: ASYNC110 - as above
                await anyio.sleep(0.01)
            if ready:
                await runtime.run("ls")
            pids = (await noted.read_text()).split()
            assert all(alive(pid) for pid in pids)
            await runtime.close()
            assert not any(alive(pid) for pid in pids)


@pytest.mark.parametrize("mode", ["shttp", "sse"])
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (answer("401 Unauthorized", b"{}"), "api_key_env, of its entry in [mcp]"),
        (answer("403 Forbidden", b"no", "text/plain"), "api_key_env, of its entry in [mcp]"),
        (answer("200 OK", b"<p>", "text/html"), "text/html"),
        (answer("500 Internal Server Error", b"{}"), ""),
        (b"SSH-2.0-x\r\n", ""),
        (b"", ""),
    ],
    ids=["401", "403", "html", "500", "no HTTP", "nothing"],
)
async def test_a_server_that_answers_nonsense_is_reported(mode: str, said: bytes, told: str) -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()
            if said:
                await stream.send(said)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        port = listener.extra(SocketAttribute.local_port)
        url = f"http://127.0.0.1:{port}/mcp"
        servers = (
            {"sse_servers": (RemoteServer(url=url),)} if mode == "sse" else {"servers": {"x": NamedServer(url=url)}}
        )
        async with opened(hostile("plain"), **servers) as tools:
            assert len(tools.failures) == 1
            why = next(iter(tools.failures.values()))
            assert told in why
            assert why
            assert "\n" not in why
            assert isinstance(await call(tools, "shout"), MCPObservation)
        tasks.cancel_scope.cancel()


async def test_a_call_that_is_cancelled_leaves_the_server_usable() -> None:
    async with opened(hostile("plain")) as tools:
        with anyio.move_on_after(0):
            await tools.call(MCPAction("shout"), 5)
        assert isinstance(await call(tools, "shout"), MCPObservation)
        assert tools.calls == 0
