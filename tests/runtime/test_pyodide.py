"""The default runtime keeps the contract, here and at a remote server."""

import random
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from uuid import uuid4

import anyio
import pytest

from cloche.config import AppConfig, MCPConfig, NamedServer, SandboxConfig, Secret
from cloche.errors import ConfigError, RuntimeFailed, RuntimeUnavailable
from cloche.events import CmdRunAction, ErrorObservation, FileReadObservation, Observation
from cloche.plugins.jupyter import JupyterPlugin
from cloche.runtime import PluginRequirement, Runtime, RuntimeStatus
from cloche.runtime.contract import RuntimeContract, expect
from cloche.runtime.pyodide import PyodideRuntime
from tests.mcp.peers import Peer, http_client, http_server, until_there


class TestEmbedded(RuntimeContract):
    """A sandbox in this process."""

    @pytest.fixture
    async def runtime(self, prepared: object) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime() as runtime:
            yield runtime


@pytest.fixture(scope="module")
def remote(prepared: object) -> Generator[Peer]:
    """A server that executes actions."""
    with http_server() as peer:
        yield peer


def at(peer: Peer, **changes: str) -> AppConfig:
    """The configuration of a runtime at this server."""
    server = {"url": peer.url, "api_key": peer.token} | changes
    named = NamedServer(url=server["url"], api_key=Secret(server["api_key"]))
    return AppConfig(mcp=MCPConfig(servers={"pyodide": named}))


class TestRemote(RuntimeContract):
    """A sandbox behind `cloche mcp --http`."""

    @pytest.fixture
    async def runtime(self, remote: Peer) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime(at(remote), sid=uuid4().hex, user_id="ada") as runtime:
            yield runtime


@pytest.mark.slow
async def test_a_cell_that_costs_the_interpreter_says_where_the_next_one_begins(prepared: object) -> None:
    async with PyodideRuntime() as runtime:
        stuck = "while True:\n  try:\n    while True: pass\n  except BaseException: pass"
        content = (await runtime.run_ipython(stuck, timeout=1)).content
        assert "had to be restarted" in content
        assert "[Jupyter current working directory: /workspace]" in content


@pytest.mark.slow
async def test_two_sessions_have_two_remote_sandboxes(remote: Peer) -> None:
    async with PyodideRuntime(at(remote), sid="one") as one, PyodideRuntime(at(remote), sid="two") as two:
        await one.run("echo 1 > only-here")
        assert await two.list_files() == []
        assert await one.list_files() == ["only-here"]


@pytest.mark.slow
async def test_a_session_that_is_closed_leaves_no_sandbox_behind(remote: Peer) -> None:
    async with PyodideRuntime(at(remote), sid="closed") as first:
        await first.run("echo 1 > gone")
    async with PyodideRuntime(at(remote), sid="closed") as second:
        assert await second.list_files() == []


async def forget(peer: Peer, sid: str) -> None:
    """Take the sandbox of a session away, as a restart of the server would, or an hour without use."""
    async with http_client(peer, session_id=sid, user_id="") as client:
        await client.call_tool("reset", {})


@pytest.mark.slow
async def test_a_sandbox_that_is_gone_is_reported_and_the_next_action_has_a_fresh_one_that_is_set_up(
    remote: Peer,
) -> None:
    heard: list[RuntimeStatus] = []
    plugins = [PluginRequirement("agent_skills")]
    async with PyodideRuntime(
        at(remote),
        sid="gone",
        env_vars={"FIRST": "1"},
        plugins=plugins,
        status_callback=lambda _, status, __: heard.append(status),
    ) as one:
        await one.add_env_vars({"LATER": "2"})
        await one.run("echo 1 > here")
        await forget(remote, "gone")
        told = expect(ErrorObservation, await one.run("echo ran > ran"))
        assert "NOT executed: the sandbox of this session is gone" in told.content
        assert "environment variables and plugins of the session again" in told.content
        since = heard[heard.index(RuntimeStatus.ERROR_RUNTIME_DISCONNECTED) + 1 :]
        assert since == [*[RuntimeStatus.STARTING_RUNTIME] * 2, RuntimeStatus.READY]
        assert await one.list_files() == []
        assert (await one.run("echo $FIRST $LATER")).content == "1 2\n"
        assert "function" in (await one.run_ipython("open_file")).content


@pytest.mark.slow
async def test_a_sandbox_that_goes_while_an_action_runs_is_reported_once_more_before_a_fresh_one_is_used(
    remote: Peer,
) -> None:
    answers: list[Observation] = []

    async def run() -> None:
        answers.append(await one.run(CmdRunAction("touch begun; sleep 30", blocking=True), timeout=30))

    with anyio.fail_after(30):
        async with PyodideRuntime(at(remote), sid="going") as one:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await until_there(remote, "going", "begun")
                await forget(remote, "going")
            assert "the runtime was closed" in expect(ErrorObservation, answers[0]).content
            assert "NOT executed" in expect(ErrorObservation, await one.run("pwd")).content
            assert (await one.run("ls")).content == ""


@pytest.mark.slow
async def test_a_new_sandbox_that_cannot_be_set_up_executes_nothing_until_it_can(
    remote: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: object, runtime: object) -> None:
        raise KeyError("no room")

    async with PyodideRuntime(at(remote), sid="bare", plugins=[PluginRequirement("jupyter")]) as one:
        await forget(remote, "bare")
        with monkeypatch.context() as patched:
            patched.setattr(JupyterPlugin, "initialize", fail)
            assert "could not be set up" in (await one.run("touch a")).content
            refused = expect(ErrorObservation, await one.run("touch b"))
            assert "`run` was NOT executed: The new sandbox could not be set up" in refused.content
        assert (await one.run("ls")).content == ""


@pytest.mark.slow
async def test_what_is_too_large_for_one_message_is_an_error_that_names_the_limit(remote: Peer, tmp_path: Path) -> None:
    large = anyio.Path(tmp_path / "large.bin")
    await large.write_bytes(random.Random(7).randbytes(52_000_000))
    async with PyodideRuntime(at(remote), sid="large") as one:
        with pytest.raises(RuntimeFailed, match=r"at most 64 MB at once.* Copy it in parts"):
            await one.copy_to(tmp_path / "large.bin", "there")
        await one.run_ipython("import os; open('large.bin', 'wb').write(os.urandom(52_000_000))")
        with pytest.raises(RuntimeFailed, match=r"answer cannot be sent.*at most 64 MB at once"):
            await one.copy_from("large.bin")
        assert (await one.run("echo on")).content == "on\n"


async def test_an_action_that_is_sent_again_after_a_drop_is_done_once(remote: Peer) -> None:
    action = CmdRunAction("echo line >> once.txt")
    async with PyodideRuntime(at(remote), sid="dropped") as first:
        await first.perform(action, timeout=10, key="k")
        # As after a drop: another connection, the same session and key.
        second = PyodideRuntime(at(remote), sid="dropped")
        await second.connect()
        await second.perform(action, timeout=10, key="k")
        assert expect(FileReadObservation, await first.read("once.txt")).content == "line\n"
        await second.close()


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"api_key": "wrong"}, "api_key_env, of [mcp.pyodide]"), ({"url": "/nowhere"}, "url of [mcp.pyodide]")],
)
async def test_a_server_that_refuses_is_an_error_that_names_the_key(
    remote: Peer, changes: dict[str, str], said: str
) -> None:
    url = {"url": remote.url.removesuffix("/mcp") + changes["url"]} if "url" in changes else changes
    with pytest.raises(RuntimeUnavailable) as raised:
        await PyodideRuntime(at(remote, **url)).connect()
    assert said in str(raised.value)
    assert "wrong" not in str(raised.value)


async def test_a_key_that_is_missing_is_an_error_that_names_section_key_and_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    named = NamedServer(url="http://127.0.0.1:1/mcp", api_key_env="NO_SUCH_KEY")
    said = r'\[mcp.pyodide\] api_key_env = "NO_SUCH_KEY": this environment variable is not set. Set it'
    with pytest.raises(ConfigError, match=said):
        await PyodideRuntime(AppConfig(mcp=MCPConfig(servers={"pyodide": named}))).connect()


async def test_a_way_of_speaking_that_is_not_offered_is_an_error_that_says_what_to_write() -> None:
    config = AppConfig(mcp=MCPConfig(servers={"pyodide": NamedServer(url="http://127.0.0.1:1/mcp", mode="sse")}))
    with pytest.raises(ConfigError, match='mode = "shttp"'):
        await PyodideRuntime(config).connect()


async def test_a_server_that_is_not_there_is_tried_again_then_reported() -> None:
    servers = {"pyodide": NamedServer(url="http://127.0.0.1:9/mcp")}
    config = AppConfig(mcp=MCPConfig(servers=servers), sandbox=SandboxConfig(connect_timeout=0.5))
    with pytest.raises(RuntimeUnavailable, match="could not be reached"):
        await PyodideRuntime(config).connect()


async def test_plugins_of_the_configuration_are_there_without_being_named(prepared: object) -> None:
    async with PyodideRuntime(AppConfig(sandbox=SandboxConfig(plugins=("agent_skills",)))) as one:
        assert "function" in (await one.run_ipython("open_file")).content
    async with PyodideRuntime(AppConfig(), plugins=[]) as bare:
        assert "NameError" in (await bare.run_ipython("open_file")).content
