"""AgentSession with a real sandbox, a real store, and a model that says what it is told to."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from cloche.config import AgentConfig, AppConfig, LLMConfig
from cloche.errors import SessionError, SessionTaken
from cloche.events import (
    Action,
    AgentFinishAction,
    AgentStateChangedObservation,
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    Event,
    EventStream,
    FileStore,
    MessageAction,
    SQLiteStore,
    Status,
)
from cloche.llm import ScriptedLLM, ToolCall
from cloche.llm.scripted import Script
from cloche.llm.scripted_server import ScriptedServer
from cloche.session import AgentSession, AgentState
from cloche.session.agents import StepState
from cloche.session.agents.scripted_agent import ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

CONFIG = AppConfig()
PLAIN = replace(CONFIG, sandbox=replace(CONFIG.sandbox, plugins=()))
"""Without plugins, which take time to set up."""


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())


@asynccontextmanager
async def running(root: Path, script: Script = (), *, sid: str = "s", **options: Any) -> AsyncGenerator[AgentSession]:
    session = AgentSession(sid, FileStore(root))
    await session.start("pyodide", options.pop("config", PLAIN), model=ScriptedLLM(script), **options)
    try:
        with anyio.fail_after(30):
            yield session
    finally:
        await session.close()


async def list_events(session: AgentSession) -> list[Event]:
    return [event async for event in session.stream.get_events()]


async def list_kinds(root: Path, sid: str = "s") -> list[str]:
    async with SQLiteStore(root / "events.db") as store:
        return [event.kind async for event in EventStream(sid, store).get_events()]


async def test_an_agent_works_with_tools_until_it_is_done(tmp_path: Path) -> None:
    live: list[tuple[int, str, str]] = []
    script = [call("bash", command="echo hi > f; cat f"), call("python", code="6 * 7"), call("finish", message="done")]

    def hear(action: int, name: str, text: str) -> None:
        live.append((action, name, text))

    async with running(tmp_path, script, initial_message="begin", on_output=hear) as session:
        assert await session.controller.wait() is AgentState.FINISHED
        events = await list_events(session)
    contents = [event.body.content for event in events if isinstance(event.body, CmdOutputObservation)]
    assert contents == ["hi\n"]
    [command] = [event for event in events if isinstance(event.body, CmdRunAction)]
    assert (command.id, "stdout", "hi\n") in live
    assert command.tool_call_metadata is not None
    assert command.tool_call_metadata["function_name"] == "bash"
    assert events[-2].body == AgentFinishAction("done", outputs={"content": "done"})
    states = [event.body.agent_state for event in events if isinstance(event.body, AgentStateChangedObservation)]
    assert states == ["running", "finished"]


async def test_an_agent_without_a_task_waits_for_one(tmp_path: Path) -> None:
    async with running(tmp_path, ["What shall I do?", call("finish", message="ok")]) as session:
        assert session.state is AgentState.AWAITING_USER_INPUT
        await session.send("hello")
        assert await session.controller.wait() is AgentState.AWAITING_USER_INPUT
        await session.send("that")
        await session.controller.wait(AgentState.FINISHED)


async def test_garbage_of_the_model_is_answered_and_the_agent_goes_on(tmp_path: Path) -> None:
    script = [
        [
            ToolCall("a", "bash", '{"command": '),
            ToolCall("b", "nothing", "{}"),
            ToolCall("c", "bash", '{"command": 3}'),
        ],
        call("finish", message="ok"),
    ]
    async with running(tmp_path, script, initial_message="begin") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        errors = [each.body.content for each in await list_events(session) if isinstance(each.body, ErrorObservation)]
    assert [error.split(":")[0] for error in errors] == [
        "the arguments of bash are not what it takes",
        "There is no tool 'nothing'. There are",
        "the arguments of bash are not what it takes",
    ]


async def test_a_session_continues_where_it_was(tmp_path: Path) -> None:
    async with running(tmp_path, [call("bash", command="echo one"), "And now?"], initial_message="begin") as session:
        await session.controller.wait()
        spent = session.controller.spending.iterations
    async with running(tmp_path, [call("finish", message="two")]) as session:
        assert session.state is AgentState.AWAITING_USER_INPUT
        assert session.controller.spending.iterations == spent
        messages = session.controller.history.messages
        assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"]
        assert messages[2].content.startswith("one")
        assert any(
            "no longer there" in event.body.content
            for event in await list_events(session)
            if isinstance(event.body, Status)
        )
        await session.send("finish")
        await session.controller.wait(AgentState.FINISHED)


async def test_those_who_wait_for_an_agent_are_told_that_its_session_has_ended(tmp_path: Path) -> None:
    async with running(tmp_path) as session:
        controller = session.controller
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                with pytest.raises(SessionError, match="has ended"):
                    await controller.wait(AgentState.FINISHED)

            tasks.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            await session.close()
    with pytest.raises(SessionError, match="has ended"):
        await controller.wait(AgentState.FINISHED)


async def test_a_session_runs_once_at_a_time(tmp_path: Path) -> None:
    async with running(tmp_path):
        with pytest.raises(SessionTaken, match="already running in the process"):
            await AgentSession("s", FileStore(tmp_path)).start("pyodide", PLAIN)
    async with running(tmp_path):
        pass


async def test_a_failing_step_names_itself_and_leaves_nothing_open(tmp_path: Path) -> None:
    session = AgentSession("s", FileStore(tmp_path))
    with pytest.raises(SessionError, match=r"no folder of this machine"):
        await session.start("pyodide", PLAIN, selected_repository=str(tmp_path / "nowhere"))
    await session.close()
    async with running(tmp_path) as again:
        assert again.state is AgentState.AWAITING_USER_INPUT


async def test_closing_while_it_starts_ends_the_start(tmp_path: Path) -> None:
    session = AgentSession("s", FileStore(tmp_path))
    async with anyio.create_task_group() as tasks:

        async def start() -> None:
            with pytest.raises(SessionError, match="was closed while it was being started"):
                await session.start("pyodide", PLAIN)

        tasks.start_soon(start)
        await anyio.lowlevel.checkpoint()
        with anyio.fail_after(20):
            await session.close()
    async with running(tmp_path):
        pass


async def test_agents_delegate_to_agents(tmp_path: Path) -> None:
    script = [
        call("delegate", agent="CodeCellAgent", task="what is 1 + 1?"),
        "```python\nprint(1 + 1)\n```",
        "it is 2",
        call("finish", message="2"),
    ]
    async with running(tmp_path, script, initial_message="begin") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        [seen] = [event for event in await list_events(session) if event.kind == "delegate" and event.cause is not None]
        assert getattr(seen.body, "content", "") == "it is 2"
        assert session.controller.spending.iterations == 4
    assert "run_ipython" in await list_kinds(tmp_path, f"s.{seen.cause}")


async def test_agents_delegate_three_deep_and_no_deeper(tmp_path: Path) -> None:
    script = [*[call("delegate", agent="CodeActAgent", task="go on")] * 4, *[call("finish", message="up")] * 4]
    async with running(tmp_path, script, sid="a.name.with.many.dots", initial_message="begin") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        assert session.controller.spending.iterations == len(script)


async def test_a_model_cannot_choose_code_of_the_host_to_delegate_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chosen.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\nclass Agent: pass")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    script = [call("delegate", agent="chosen.Agent", task="go on"), call("finish", message="alone")]
    async with running(tmp_path / "s", script, initial_message="begin") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        [why] = [event.body.content for event in await list_events(session) if isinstance(event.body, ErrorObservation)]
    assert "the agent 'chosen.Agent' is not known: known are CodeActAgent, CodeCellAgent" in why
    assert not (tmp_path / "imported").exists()


async def test_a_delegate_pauses_and_goes_on_with_the_agent_that_waits_for_it(tmp_path: Path) -> None:
    script = [
        call("delegate", agent="CodeActAgent", task="go on"),
        [call("bash", command="echo begun; sleep 1"), call("bash", command="echo second")],
        call("finish", message="below"),
        call("finish", message="above"),
    ]
    begun = anyio.Event()

    def hear(*_: object) -> None:
        begun.set()

    async with running(tmp_path, script, on_output=hear, initial_message="begin") as session:
        await begun.wait()
        await session.change_state(AgentState.PAUSED)
        [delegation] = [event for event in await list_events(session) if event.kind == "delegate"]
        below = session.stream.open_beside(f"s.{delegation.id}")
        async for event in below.follow():
            if isinstance(event.body, CmdOutputObservation):
                break
        assert session.state is AgentState.PAUSED
        states = [each.body async for each in below.get_events() if isinstance(each.body, AgentStateChangedObservation)]
        assert [state.agent_state for state in states] == ["running", "paused"]
        await session.change_state(AgentState.RUNNING)
        assert await session.controller.wait() is AgentState.FINISHED
        commands = [event.body.command async for event in below.get_events() if isinstance(event.body, CmdRunAction)]
    assert commands == ["echo begun; sleep 1", "echo second"]


async def test_a_delegate_has_the_model_that_is_configured_for_it(tmp_path: Path) -> None:
    async with (
        ScriptedServer([call("delegate", agent="CodeCellAgent", task="x"), call("finish", message="k")]) as one,
        ScriptedServer(["it is 2"]) as other,
    ):
        config = replace(
            PLAIN,
            llm=LLMConfig(model="one", base_url=one.base_url),
            llms={"small": LLMConfig(model="other", base_url=other.base_url)},
            agents={"CodeCellAgent": AgentConfig(llm_config="small")},
        )
        session = AgentSession("s", FileStore(tmp_path))
        await session.start("pyodide", config, initial_message="go")
        try:
            with anyio.fail_after(20):
                assert await session.controller.wait() is AgentState.FINISHED
        finally:
            await session.close()
        assert (len(one.received), len(other.received)) == (2, 1)


async def test_a_delegation_that_cannot_have_a_session_is_refused_with_the_reason(tmp_path: Path) -> None:
    script = [call("delegate", agent="CodeActAgent", task="go on"), call("finish", message="alone")]
    async with running(tmp_path, script, sid="x" * 128, initial_message="begin") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        [why] = [event.body.content for event in await list_events(session) if isinstance(event.body, ErrorObservation)]
    assert "The delegation was not begun" in why


class Pair:
    """Wants two commands at once."""

    async def step(self, _: StepState) -> Sequence[Action]:
        return [CmdRunAction("sleep 60", blocking=True), CmdRunAction("touch second")]


async def test_stopping_ends_what_runs_also_if_it_has_just_begun_and_begins_nothing_more(tmp_path: Path) -> None:
    async with running(tmp_path, agent=Pair(), initial_message="begin") as session:
        with anyio.fail_after(20):
            async for event in session.stream.follow():
                if isinstance(event.body, CmdRunAction) and session.state is AgentState.RUNNING:
                    await session.change_state(AgentState.STOPPED)
                if isinstance(event.body, CmdOutputObservation | ErrorObservation):
                    break
        assert session.state is AgentState.STOPPED
        assert isinstance(await session.runtime.read("second"), ErrorObservation)
        assert [isinstance(event.body, CmdRunAction) for event in await list_events(session)].count(True) == 1


async def test_a_pause_comes_between_two_actions_of_one_answer(tmp_path: Path) -> None:
    script = [
        [call("bash", command="echo begun; sleep 1"), call("python", code="open('second', 'w').close()")],
        call("finish", message="ok"),
    ]
    begun = anyio.Event()

    def hear(*_: object) -> None:
        begun.set()

    async with running(tmp_path, script, on_output=hear, initial_message="go") as session:
        await begun.wait()
        await session.change_state(AgentState.PAUSED)
        async for event in session.stream.follow():
            if isinstance(event.body, CmdOutputObservation):
                break
        assert "run_ipython" not in [event.kind for event in await list_events(session)]
        # The user may work in the same shell meanwhile.
        assert isinstance(await session.runtime.read("second"), ErrorObservation)
        await session.change_state(AgentState.RUNNING)
        assert await session.controller.wait() is AgentState.FINISHED
        assert not isinstance(await session.runtime.read("second"), ErrorObservation)


async def test_the_last_action_of_an_answer_that_finishes_comes_to_its_end(tmp_path: Path) -> None:
    script = [[call("bash", command="sleep 1; echo done > f"), call("finish", message="ok"), call("python", code="1")]]
    async with running(tmp_path, script, initial_message="go") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        kinds = [event.kind for event in await list_events(session) if event.source == "agent"]
        assert kinds == ["run", "run", "finish"]
        seen = await session.runtime.read("f")
    assert getattr(seen, "content", "") == "done\n"


async def test_iterations_and_loops_end_an_agent_with_a_reason(tmp_path: Path) -> None:
    dates = [call("bash", command=f"echo {number}") for number in range(9)]
    async with running(tmp_path, dates, max_iterations=3, initial_message="go") as box:
        assert await box.controller.wait() is AgentState.ERROR
        assert "limit of 3 steps" in box.controller.reason
    async with running(tmp_path, [call("bash", command="echo x")] * 9, sid="t", initial_message="go") as box:
        assert await box.controller.wait() is AgentState.PAUSED
        assert "same result 4 times" in box.controller.reason


async def test_keys_that_an_action_shows_are_masked_before_they_are_stored(tmp_path: Path) -> None:
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5"
    config = replace(PLAIN, security=replace(PLAIN.security, security_analyzer="secrets"))
    steps = [CmdRunAction(f"echo token {key[:9]}''{key[9:]}"), AgentFinishAction(f"it was {key}")]
    async with running(tmp_path, config=config, agent=ScriptedAgent(steps), initial_message="go") as session:
        await session.controller.wait(AgentState.FINISHED)
        events = await list_events(session)
    [seen] = [event.body.content for event in events if isinstance(event.body, CmdOutputObservation)]
    assert seen == "token <secret_hidden>\n"
    assert key not in repr(events)


async def test_what_a_listener_of_statuses_raises_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def listen(*_: object) -> None:
        raise ValueError("no")

    session = AgentSession("s", FileStore(tmp_path), listen)
    await session.start("pyodide", PLAIN, ScriptedAgent())
    await session.close()
    assert "could not be reported" in caplog.text


async def test_messages_of_the_user_are_kept_with_the_session(tmp_path: Path) -> None:
    async with running(tmp_path, [call("finish", message="ok")]) as session:
        await session.send("do this")
        await session.controller.wait(AgentState.FINISHED)
        said = [event.body.content for event in await list_events(session) if isinstance(event.body, MessageAction)]
    assert said == ["do this"]
