"""The runtime `remote` keeps the contract in a session of a real server."""

from collections.abc import AsyncGenerator, Generator

import anyio
import httpx2
import pytest
from msgspec.structs import replace

from cloche.config import AppConfig, RemoteConfig, SandboxConfig, Secret
from cloche.errors import ConfigError, RuntimeUnavailable
from cloche.events import CmdRunAction, ErrorObservation, Observation
from cloche.remote.sessions import SandboxWish
from cloche.runtime import PluginRequirement, Runtime, RuntimeStatus, get_runtime_cls
from cloche.runtime.contract import RuntimeContract, expect
from cloche.runtime.remote.remote_runtime import RemoteRuntime, find_wish
from tests.remote.served import TOKEN, Served, serving

PATIENCE = 50
pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module")
def server(prepared: object, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server whose sandboxes the runtimes use."""
    with serving(tmp_path_factory.mktemp("server")) as served:
        yield served


def at(server: Served, **changes: object) -> AppConfig:
    """The configuration of a runtime at this server."""
    remote = {"url": server.url, "token": Secret(TOKEN), **changes}
    return replace(AppConfig(), remote=RemoteConfig(**remote))  # pyright: ignore[reportArgumentType] - by name


class TestRemote(RuntimeContract):
    """A session of a server."""

    @pytest.fixture
    async def runtime(self, server: Served) -> AsyncGenerator[Runtime]:
        async with RemoteRuntime(at(server)) as runtime:
            yield runtime


def api(server: Served) -> httpx2.AsyncClient:
    """A plain client of the server."""
    return httpx2.AsyncClient(base_url=server.url, headers={"authorization": f"Bearer {TOKEN}"}, timeout=30)


async def list_sessions(server: Served) -> list[str]:
    async with api(server) as client:
        return [each["id"] for each in (await client.get("/api/sessions")).json()["sessions"]]


def test_it_is_found_by_its_name() -> None:
    assert get_runtime_cls("remote") is RemoteRuntime


async def test_its_session_ends_with_it_unless_it_is_kept(server: Served) -> None:
    with anyio.fail_after(PATIENCE):
        before = await list_sessions(server)
        async with RemoteRuntime(at(server), plugins=[]) as runtime:
            await runtime.run("echo 1")
            assert len(await list_sessions(server)) == len(before) + 1
        assert await list_sessions(server) == before
        async with RemoteRuntime(at(server, keep=True), plugins=[]) as runtime:
            await runtime.run("echo kept > f")
        (kept,) = {*await list_sessions(server)} - {*before}
        async with RemoteRuntime(at(server, session=kept), plugins=[]) as runtime:
            assert expect_text(await runtime.run("cat f")) == "kept\n"
        assert kept in await list_sessions(server)
        async with api(server) as client:
            events = (await client.get(f"/api/sessions/{kept}/events")).json()["events"]
            assert [each["args"]["command"] for each in events if each.get("action") == "run"] == [
                "echo kept > f",
                "cat f",
            ]
            await client.delete(f"/api/sessions/{kept}")


def expect_text(observation: Observation) -> str:
    assert not isinstance(observation, ErrorObservation), observation
    return observation.content


async def test_a_sandbox_that_is_gone_is_reported_and_the_next_action_has_a_fresh_one_that_is_set_up(
    server: Served,
) -> None:
    heard: list[RuntimeStatus] = []
    with anyio.fail_after(PATIENCE):
        before = {*await list_sessions(server)}
        async with RemoteRuntime(
            at(server),
            env_vars={"FIRST": "1"},
            plugins=[PluginRequirement("agent_skills")],
            status_callback=lambda _, status, __: heard.append(status),
        ) as runtime:
            await runtime.add_env_vars({"LATER": "2"})
            (sid,) = {*await list_sessions(server)} - before
            async with api(server) as client:
                await client.post(f"/api/sessions/{sid}/stop")
            told = expect(ErrorObservation, await runtime.run("echo ran > ran"))
            assert "NOT executed: the sandbox that was meant is gone" in told.content
            assert "environment variables and plugins of the session again" in told.content
            assert RuntimeStatus.ERROR_RUNTIME_DISCONNECTED in heard
            assert heard[-1] == RuntimeStatus.READY
            assert await runtime.list_files() == []
            assert expect_text(await runtime.run("echo $FIRST $LATER")) == "1 2\n"
            assert "function" in expect_text(await runtime.run_ipython("open_file"))


async def test_what_changed_can_be_shown(server: Served) -> None:
    with anyio.fail_after(PATIENCE):
        async with RemoteRuntime(at(server), plugins=[]) as runtime:
            assert runtime.box is not None
            await runtime.run("echo new > f")
            assert "+new" in (await runtime.box.diff()).patch


async def test_an_action_that_is_too_large_is_not_sent(server: Served) -> None:
    with anyio.fail_after(PATIENCE):
        async with RemoteRuntime(at(server), plugins=[]) as runtime:
            told = expect(ErrorObservation, await runtime.run(CmdRunAction("#" * (17 << 20))))
            assert "NOT sent" in told.content
            assert "at most 16 MB" in told.content
            assert expect_text(await runtime.run("echo on")) == "on\n"


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"url": None}, ConfigError, "url is not set"),
        ({"url": "ftp://x"}, ConfigError, "is no address of a server"),
        ({"token": Secret("wrong")}, RuntimeUnavailable, "does not accept the token"),
        ({"token": None, "token_env": "NOT_SET_AT_ALL"}, ConfigError, "this environment variable is not set"),
        ({"session": "unknown"}, RuntimeUnavailable, "there is no session"),
    ],
)
async def test_a_wrong_configuration_is_reported_at_once(
    server: Served, changes: dict[str, object], kind: type[Exception], said: str
) -> None:
    with anyio.fail_after(PATIENCE), pytest.raises(kind, match=said):
        async with RemoteRuntime(at(server, **changes)):
            pass


async def test_a_server_that_is_not_there_is_waited_for_as_long_as_it_is_configured(server: Served) -> None:
    config = replace(at(server, url="http://127.0.0.1:9"), sandbox=SandboxConfig(connect_timeout=1))
    with anyio.fail_after(PATIENCE), pytest.raises(RuntimeUnavailable, match="could not be reached in"):
        async with RemoteRuntime(config):
            pass


def test_the_sandbox_is_asked_for_as_it_is_configured() -> None:
    plain = AppConfig()
    assert find_wish(plain) is None
    chosen = SandboxConfig(memory_mb=128, allow_net=("a.b",), auto_install=True, timeout=7, env={"A": "B"})
    assert find_wish(replace(plain, sandbox=chosen)) == SandboxWish(memory_mb=128, allow_net=["a.b"], auto_install=True)


@pytest.mark.parametrize(
    "config",
    [
        replace(AppConfig(), core=replace(AppConfig().core, workspace_base="/tmp")),
        replace(AppConfig(), sandbox=SandboxConfig(mounts=("/tmp:/mnt/x",))),
        replace(AppConfig(), sandbox=SandboxConfig(confinement="none")),
        replace(AppConfig(), sandbox=SandboxConfig(secrets={"h": Secret("A: b")})),
    ],
    ids=["workspace", "mounts", "confinement", "secrets"],
)
def test_what_the_owner_of_the_server_decides_is_refused(config: AppConfig) -> None:
    with pytest.raises(ConfigError, match="leave"):
        find_wish(config)
