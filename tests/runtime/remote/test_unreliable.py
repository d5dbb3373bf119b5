"""A remote runtime on a bad way to its server: each action has one answer in time and is done once at most."""

from collections.abc import Generator
from uuid import uuid4

import anyio
import pytest

from cloche.config import AppConfig, MCPConfig, NamedServer, SandboxConfig, Secret
from cloche.errors import RuntimeUnavailable
from cloche.events import CmdOutputObservation, CmdRunAction, ErrorObservation, Observation
from cloche.runtime.live_output import Hear
from cloche.runtime.pyodide import PyodideRuntime
from cloche.runtime.remote.forwarder import Forwarder
from cloche.runtime.remote.mcp_transport import MODERN, MCPTransport
from tests.mcp.peers import Peer, http_server, until_there
from tests.runtime.remote.unreliable_proxy import Step, Way, answer, unreliable

PATIENCE = 60
pytestmark = pytest.mark.timeout(120)
HALF = b'event: message\r\ndata: {"jsonrpc":"2.0","id":2,"resu'
PASSING = {
    "cut before it was sent": Step(False),
    "cut before the answer": Step(True),
    "cut in the head of the answer": Step(True, kept=20),
    "cut in the answer": Step(True, kept=300),
    "half an event": Step(True, instead=answer("200 OK", HALF, "text/event-stream", size=9999)),
    "half an event, said to be whole": Step(True, instead=answer("200 OK", HALF, "text/event-stream")),
    "half of the JSON": Step(True, instead=answer("200 OK", b'{"jsonrpc":', size=500)),
    "no HTTP": Step(True, instead=b"SSH-2.0-x\r\n"),
    "a proxy without its server": Step(True, instead=answer("502 Bad Gateway", b"<h1>", "text/html")),
    "a proxy that says so in JSON": Step(True, instead=answer("502 Bad Gateway", b'{"message": "down"}')),
    "an error of the server": Step(True, instead=answer("500 Internal Server Error", b"{}")),
    "too many requests": Step(False, instead=answer("429 Too Many Requests", b"{}")),
    "moved within the server": Step(False, instead=answer("307 Temporary Redirect", more="location: /mcp\r\n")),
}
LASTING = {
    "garbage": (Step(True, instead=answer("200 OK", b"{garbage!")), "could not be read"),
    "another kind": (Step(True, instead=answer("200 OK", b"<p>", "text/html")), "Unexpected content type: text/html"),
    "garbage in an event": (
        Step(True, instead=answer("200 OK", b"data: garbage\r\n\r\n", "text/event-stream")),
        "could not be read",
    ),
    "no token": (Step(False, instead=answer("401 Unauthorized", b"{}")), "api_key_env, of [mcp.pyodide]"),
    "no access": (Step(False, instead=answer("403 Forbidden", b"no", "text/plain")), "api_key_env, of [mcp.pyodide]"),
    "nothing there": (Step(False, instead=answer("404 Not Found", b'{"detail": "no"}')), "url of [mcp.pyodide]"),
    "too large for a proxy": (Step(False, instead=answer("413 Too Large", b"{}")), "send less at once"),
    "moved elsewhere": (
        Step(False, instead=answer("307 Moved", more="location: http://127.0.0.1:9/mcp\r\n")),
        "Redirect to http://127.0.0.1:9/mcp not followed",
    ),
    "silence": (Step(True, hangs=True), "no answer in 1.5 s"),
}


@pytest.fixture(scope="module")
def server(prepared: object) -> Generator[Peer]:
    with http_server() as peer:
        yield peer


class Pinned(MCPTransport):
    """Speaks the protocol of one generation."""

    def __init__(self, way: Way, peer: Peer, mode: str) -> None:
        super().__init__(way.url, {"session_id": uuid4().hex, "user_id": "ada"}, peer.token)
        self._mode = mode

    async def open(self) -> None:
        mode = self._mode
        await super().open()
        self._mode = mode


async def perform(forwarder: Forwarder, command: str, seconds: float = 20) -> Observation:
    with anyio.fail_after(PATIENCE):
        return await forwarder.perform(CmdRunAction(command), timeout=seconds, key=uuid4().hex)


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
@pytest.mark.slow
async def test_what_goes_wrong_on_the_way_is_repeated_and_done_once_or_reported(server: Peer, mode: str) -> None:
    async with unreliable(server.url) as way:
        transport = Pinned(way, server, mode)
        forwarder = Forwarder(transport, "there", grace=0.5)
        with anyio.fail_after(PATIENCE):
            await forwarder.start()
        for number, (name, step) in enumerate(PASSING.items()):
            way.steps, way.seen = [step], []
            done = await perform(forwarder, f"echo line >> {number}; cat {number}")
            assert isinstance(done, CmdOutputObservation), name
            assert (done.content, len(way.seen)) == ("line\n", 2), name
        for name, (step, said) in LASTING.items():
            way.steps, way.seen = [step], []
            told = await perform(forwarder, "echo line >> told", 1)
            assert isinstance(told, ErrorObservation), name
            assert said in told.content, name
            assert "\n" not in told.content
            assert len(way.seen) == 1, name
            assert (await perform(forwarder, "echo on")).content == "on\n"
        heads = [request.lower().partition(b"\r\n\r\n")[0] for request in way.seen]
        assert all(b"\r\nuser_id: ada" in head and b"\r\nsession_id: " in head for head in heads)
        await forwarder.close()


@pytest.mark.slow
async def test_a_server_that_dies_mid_action_and_comes_back_has_done_it_once_and_is_set_up_again(
    server: Peer, prepared: object
) -> None:
    answers: list[Observation] = []

    with http_server() as first:
        async with unreliable(first.url) as way:
            named = NamedServer(url=way.url, api_key=Secret(first.token))
            config = AppConfig(mcp=MCPConfig(servers={"pyodide": named}))

            async def run(runtime: PyodideRuntime) -> None:
                answers.append(await runtime.run(CmdRunAction("touch begun; sleep 30", blocking=True), timeout=40))

            with anyio.fail_after(PATIENCE):
                async with PyodideRuntime(config, sid=uuid4().hex, env_vars={"NAME": "Ada"}) as runtime:
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(run, runtime)
                        await until_there(first, runtime.sid, "begun")
                        way.port = int(server.url.split(":")[2].split("/")[0])
                        first.process.kill()
                    assert isinstance(answers[0], ErrorObservation)
                    assert "Whether it was done there is not known, it was not done again." in answers[0].content
                    assert await runtime.list_files() == []
                    assert (await runtime.run("echo $NAME")).content == "Ada\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "step", [Step(False), Step(False, instead=answer("503 Service Unavailable"))], ids=["cut", "503"]
)
async def test_a_server_that_is_not_ready_when_it_is_first_reached_is_tried_again(server: Peer, step: Step) -> None:
    async with unreliable(server.url) as way:
        way.steps = [step, step]
        named = NamedServer(url=way.url, api_key=Secret(server.token))
        with anyio.fail_after(PATIENCE):
            async with PyodideRuntime(AppConfig(mcp=MCPConfig(servers={"pyodide": named})), sid=uuid4().hex) as runtime:
                assert (await runtime.run("echo hi")).content == "hi\n"


@pytest.mark.slow
async def test_a_server_that_never_answers_is_one_error_after_the_time_to_connect(server: Peer) -> None:
    async with unreliable(server.url) as way:
        way.steps = [Step(False, hangs=True)]
        named = NamedServer(url=way.url, api_key=Secret(server.token))
        config = AppConfig(mcp=MCPConfig(servers={"pyodide": named}), sandbox=SandboxConfig(connect_timeout=2))
        with anyio.fail_after(PATIENCE), pytest.raises(RuntimeUnavailable, match="could not be reached in 2 s"):
            await PyodideRuntime(config, sid=uuid4().hex).connect()


async def test_a_server_that_refuses_the_first_call_is_one_clear_error(server: Peer) -> None:
    class Wrong(MCPTransport):
        async def call(self, event: dict[str, object], on_output: Hear | None = None) -> dict[str, object]:
            return await super().call({"observation": 7})

    transport = Wrong(server.url, {"session_id": uuid4().hex}, server.token)
    with anyio.fail_after(PATIENCE):
        with pytest.raises(RuntimeUnavailable, match="has no sandbox for us"):
            await Forwarder(transport, "there").start()
        await transport.close()
