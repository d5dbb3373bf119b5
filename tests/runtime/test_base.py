"""What every runtime does alike: connecting with patience, reporting its status, one observation whatever happens."""

import anyio
import msgspec
import pytest

from cloche.config import AppConfig
from cloche.config.app_config import SandboxConfig
from cloche.errors import ConfigError, RuntimeUnavailable
from cloche.events import (
    Action,
    AddEnvVarsAction,
    CmdRunAction,
    ErrorObservation,
    Observation,
    SuccessObservation,
)
from tests.runtime.scripted import Scripted, told

HASTY = msgspec.structs.replace(AppConfig(), sandbox=SandboxConfig(connect_timeout=1))


async def test_the_statuses_are_those_that_clients_know() -> None:
    heard, listen = told()
    async with Scripted(status_callback=listen):
        assert heard == [("info", "STATUS$WAITING_FOR_CLIENT"), ("info", " ")]
    assert heard[-1] == ("info", "STATUS$STOPPED")


async def test_a_place_that_is_not_up_yet_is_tried_again() -> None:
    runtime = Scripted(HASTY)
    runtime.refusals = 2
    with anyio.fail_after(5):
        async with runtime:
            assert isinstance(await runtime.run("ls"), SuccessObservation)


async def test_a_place_that_never_comes_up_is_one_clear_error() -> None:
    heard, listen = told()
    runtime = Scripted(HASTY, status_callback=listen)
    runtime.refusals = 1000
    with (
        anyio.fail_after(5),
        pytest.raises(RuntimeUnavailable, match=r"could not be reached in 1 s, \d attempts: nobody"),
    ):
        await runtime.connect()
    assert heard[-1] == ("error", "STATUS$ERROR")


async def test_an_unexpected_error_is_an_observation() -> None:
    async def fail(action: Action) -> Observation:
        if isinstance(action, AddEnvVarsAction):
            return SuccessObservation("")
        raise ZeroDivisionError("oops")

    runtime = Scripted()
    runtime.act = fail
    async with runtime:
        answer = await runtime.run("ls")
    assert answer == ErrorObservation("The action `run` failed: ZeroDivisionError: oops", "AGENT_ERROR$ACTION_FAILED")


async def test_what_is_not_connected_says_so() -> None:
    assert "not connected" in (await Scripted().run("ls")).content


async def test_a_closed_runtime_cannot_be_connected_again() -> None:
    runtime = Scripted()
    await runtime.close()
    with pytest.raises(RuntimeUnavailable, match="closed"):
        await runtime.connect()


async def test_an_action_that_hangs_ends_with_an_interrupt() -> None:
    async def hang(_: Action) -> Observation:
        started.set()
        await anyio.sleep_forever()
        raise AssertionError

    async def run() -> None:
        answers.append(await runtime.run("ls"))

    runtime, started = Scripted(), anyio.Event()
    answers: list[Observation] = []
    runtime.act = hang
    with anyio.fail_after(5):
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await started.wait()
            assert await runtime.interrupt()
    assert "it was interrupted" in answers[0].content


async def test_variables_of_the_configuration_and_of_the_constructor_are_set_at_the_start() -> None:
    seen: list[Action] = []

    async def note(action: Action) -> Observation:
        seen.append(action)
        return SuccessObservation("")

    config = msgspec.structs.replace(AppConfig(), sandbox=SandboxConfig(env={"A": "1", "B": "1"}))
    runtime = Scripted(config, env_vars={"B": "2"})
    runtime.act = note
    async with runtime:
        await runtime.execute(CmdRunAction("ls"))
    assert seen == [AddEnvVarsAction({"A": "1", "B": "2"}), CmdRunAction("ls")]


async def test_what_is_prepared_once_does_not_count_as_connecting() -> None:
    class Slow(Scripted):
        async def prepare(self) -> None:
            await anyio.sleep(0.2)

    hasty = AppConfig(sandbox=SandboxConfig(connect_timeout=0.1))
    async with Slow(hasty) as runtime:
        assert runtime.attached == 1


async def test_plugins_of_the_configuration_are_set_up_unless_others_are_given() -> None:
    config = AppConfig(sandbox=SandboxConfig(plugins=("no_such_plugin",)))
    with pytest.raises(ConfigError, match="no_such_plugin"):
        await Scripted(config).connect()
    async with Scripted(config, plugins=[]) as runtime:
        assert runtime.plugins == []
