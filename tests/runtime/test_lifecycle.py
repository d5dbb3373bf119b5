"""The life of a runtime: connected once, closed whatever happens, one action at a time."""

from collections.abc import Awaitable, Callable

import anyio
import msgspec
import pytest

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import RuntimeUnavailable
from cloche.events import Action, AddEnvVarsAction, CmdRunAction, ErrorObservation, Observation, SuccessObservation
from cloche.runtime import RuntimeStatus
from cloche.runtime.retry import retry_within
from tests.runtime.scripted import Scripted, told

PATIENCE = 5


class Gate:
    """Something that is begun, and goes on until it is let."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.let = anyio.Event()

    async def pass_through(self) -> None:
        self.begun.set()
        await self.let.wait()

    async def act(self, action: Action) -> Observation:
        await self.pass_through()
        return SuccessObservation(action.kind)


async def test_two_connects_at_once_are_one() -> None:
    heard, listen = told()
    runtime, gate = Scripted(status_callback=listen), Gate()
    runtime.reach = gate.pass_through
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.connect)
            tasks.start_soon(runtime.connect)
            await gate.begun.wait()
            gate.let.set()
        await runtime.connect()
        await runtime.close()
    assert runtime.attached == 1
    assert [status for _, status in heard] == ["STATUS$WAITING_FOR_CLIENT", " ", "STATUS$STOPPED"]


async def test_an_action_that_comes_while_it_connects_waits_until_it_is_set_up() -> None:
    seen: list[Action] = []

    async def note(action: Action) -> Observation:
        seen.append(action)
        return SuccessObservation("")

    runtime, gate = Scripted(env_vars={"A": "1"}), Gate()
    runtime.reach, runtime.act = gate.pass_through, note
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.connect)
            await gate.begun.wait()
            tasks.start_soon(runtime.run, "ls")
            await anyio.wait_all_tasks_blocked()
            assert seen == []
            gate.let.set()
        await runtime.close()
    assert seen == [AddEnvVarsAction({"A": "1"}), CmdRunAction("ls")]


async def test_closing_while_it_connects_ends_both_and_leaves_nothing() -> None:
    runtime, gate = Scripted(), Gate()
    runtime.reach = gate.pass_through
    answers: list[Observation] = []

    async def connect() -> None:
        with pytest.raises(RuntimeUnavailable, match="closed while it was being connected"):
            await runtime.connect()

    async def run() -> None:
        answers.append(await runtime.run("ls"))

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connect)
            await gate.begun.wait()
            tasks.start_soon(run)
            await anyio.wait_all_tasks_blocked()
            await runtime.close()
            assert runtime.detached >= 1
    assert "not connected" in answers[0].content
    with pytest.raises(RuntimeUnavailable, match="make another"):
        await runtime.connect()


async def test_connecting_that_is_cancelled_is_reported_in_words() -> None:
    heard: list[str] = []
    runtime, gate = Scripted(status_callback=lambda _, __, text: heard.append(text)), Gate()
    runtime.reach = gate.pass_through
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.connect)
            await gate.begun.wait()
            tasks.cancel_scope.cancel()
    assert heard[-1] == "Connecting was cancelled."
    assert runtime.detached == 1


async def test_the_tools_are_closed_whatever_becomes_of_the_place() -> None:
    class Stuck(Scripted):
        async def detach(self) -> None:
            raise OSError("it does not let go")

    async def close() -> None:
        closed.set()
        raise RuntimeError("nor does this")

    heard, listen = told()
    runtime, closed = Stuck(status_callback=listen), anyio.Event()
    runtime.tools.close = close
    with anyio.fail_after(PATIENCE):
        await runtime.connect()
        await runtime.close()
        await runtime.close()
    assert closed.is_set()
    assert [status for _, status in heard].count("STATUS$STOPPED") == 1


async def test_one_who_listens_badly_stops_nothing() -> None:
    def fail(level: str, status: RuntimeStatus, text: str) -> None:
        raise ValueError("not now")

    async with Scripted(status_callback=fail) as runtime:
        assert isinstance(await runtime.run("ls"), SuccessObservation)


Ways = Callable[[Scripted, anyio.CancelScope], Awaitable[object]]


async def cancel_the_waiting(_: Scripted, waiting: anyio.CancelScope) -> None:
    waiting.cancel()


async def interrupt(runtime: Scripted, _: anyio.CancelScope) -> None:
    assert await runtime.interrupt()


@pytest.mark.parametrize(
    ("way", "first", "second"),
    [(cancel_the_waiting, "run", None), (interrupt, "interrupted", "read")],
    ids=["cancelled", "interrupted"],
)
async def test_of_one_that_runs_and_one_that_waits_only_the_one_that_is_meant_ends(
    way: Ways, first: str, second: str | None
) -> None:
    runtime, gate = Scripted(), Gate()
    answers: dict[str, str] = {}
    waiting = anyio.CancelScope()

    async def run() -> None:
        answers["run"] = (await runtime.run("ls")).content

    async def read() -> None:
        with waiting:
            answers["read"] = (await runtime.read("a")).content

    runtime.act = gate.act
    with anyio.fail_after(PATIENCE):
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await gate.begun.wait()
            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            await way(runtime, waiting)
            await anyio.wait_all_tasks_blocked()
            gate.let.set()
    assert first in answers["run"]
    assert answers.get("read") == second


async def test_an_interrupt_of_nothing_says_so() -> None:
    async with Scripted() as runtime:
        assert not await runtime.interrupt()
        await runtime.run("ls")
        assert not await runtime.interrupt()
        assert isinstance(await runtime.run("ls"), SuccessObservation)


async def test_variables_that_are_added_later_are_set_up_again_with_the_others() -> None:
    seen: list[Action] = []

    async def note(action: Action) -> Observation:
        seen.append(action)
        refused = isinstance(action, AddEnvVarsAction) and "BAD" in action.env_vars
        return ErrorObservation("no") if refused else SuccessObservation("")

    config = msgspec.structs.replace(AppConfig(), sandbox=SandboxConfig(env={"A": "1"}))
    runtime = Scripted(config)
    runtime.act = note
    async with runtime:
        await runtime.add_env_vars({"B": "2"})
        await runtime.execute(AddEnvVarsAction({"BAD": "3"}))
        async with runtime.turn:
            await runtime.set_up()
    assert seen[-1] == AddEnvVarsAction({"A": "1", "B": "2"})


@pytest.mark.parametrize("headless", [True, False])
async def test_plugins_can_ask_whether_anybody_looks_and_nothing_else_changes(headless: bool) -> None:
    heard, listen = told()
    async with Scripted(headless_mode=headless, status_callback=listen) as runtime:
        assert runtime.headless_mode is headless
        assert [status for _, status in heard] == ["STATUS$WAITING_FOR_CLIENT", " "]


async def test_a_place_that_never_answers_is_reported_in_words() -> None:
    async def time_out() -> None:
        raise TimeoutError

    with anyio.fail_after(PATIENCE), pytest.raises(RuntimeUnavailable, match="attempts: it did not answer"):
        await retry_within(time_out, within=0.3, what="the place")
