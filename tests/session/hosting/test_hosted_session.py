"""HostedSession: one action, one observation; the same key, the same answer; live output for all who listen."""

from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint
from msgspec.structs import replace

from cloche.errors import EventError, SessionError, SessionUnknown
from cloche.events import (
    AgentThinkAction,
    ChangeAgentStateAction,
    CmdOutputObservation,
    CmdRunAction,
    Event,
    MCPAction,
    MessageAction,
    NullAction,
    Observation,
    SuccessObservation,
    is_observation,
)
from cloche.events.event import Unknown, new_event
from cloche.limits import SESSION_KEY
from cloche.llm import ScriptedLLM
from cloche.runtime.live_output import Hear
from cloche.session import AgentState, HostedSession, NewSession, SessionManager
from cloche.session.hosting.hosted_session import RENEWED
from tests.session.hosting.conftest import Listener, cell, list_events, managing, run, say, until
from tests.session.test_agent_session import call

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@pytest.fixture
async def session(manager: SessionManager) -> HostedSession:
    """A session that has started."""
    made = await manager.create("ann", NewSession())
    await made.start()
    return made


def content(event: Event) -> str:
    return getattr(event.body, "content", "").strip()


async def test_an_action_is_one_of_the_user_and_has_one_observation(session: HostedSession) -> None:
    sent = replace(run("echo hi"), id=7, source="agent", timestamp="1999-01-01", cause=3, message="something else")
    sent = replace(sent, cloche={"key": "k", "spilled": {}}, llm_metrics={"cost": 1})
    answer = await session.act(sent)
    assert content(answer) == "hi"
    assert answer.cause is not None
    stored = await session.stream.get_event(answer.cause)
    assert (stored.source, stored.kind, stored.cause) == ("user", "run", None)
    assert stored.message == "Running command: echo hi"
    assert (stored.cloche, stored.llm_metrics) == ({"key": "k"}, None)
    assert stored.timestamp > "2026"
    assert [event.id for event in await list_events(session) if event.cause == stored.id] == [answer.id]


async def test_actions_that_are_sent_at_once_are_executed_in_their_order(session: HostedSession) -> None:
    said: dict[int, str] = {}

    async def send(number: int) -> None:
        said[number] = content(await session.act(run(f"echo {number} >> f; wc -l < f")))

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(send, number)
    lines = (await say(session, run("cat f"))).split()
    assert [said[int(number)] for number in lines] == [str(place) for place in range(1, 11)]


async def test_without_waiting_the_stored_action_comes_back_at_once(session: HostedSession) -> None:
    sent = await session.act(run("sleep 60", timeout=100), wait=False)
    assert sent.id is not None
    assert isinstance(sent.body, CmdRunAction)
    await until(session.interrupt)
    # It may have been stored before the last statuses of the start.
    async for event in session.stream.follow(sent.id):
        if event.cause == sent.id:
            break


async def test_an_interrupt_ends_what_runs(session: HostedSession) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session.act, run("sleep 60", timeout=100))
        await until(session.interrupt)
    assert await say(session, run("echo on")) == "on"
    await session.stop()
    assert await session.interrupt() is False


@pytest.mark.parametrize(
    "event",
    [
        new_event(MessageAction("hello")),
        new_event(NullAction()),
        new_event(ChangeAgentStateAction("paused")),
        new_event(CmdOutputObservation("x", "ls")),
        new_event(Unknown("dance", {"action": "dance"})),
        new_event(CmdRunAction("ls", confirmation_state="awaiting_confirmation")),
    ],
)
async def test_what_nothing_would_answer_is_refused(manager: SessionManager, event: Event) -> None:
    session = await manager.create("ann", NewSession())
    with pytest.raises(EventError, match="nothing answers it"):
        await session.act(event)
    assert not [each for each in await list_events(session) if each.source == "user"]


@pytest.mark.parametrize("key", ["", "x" * (SESSION_KEY + 1), 7, ["a"]])
async def test_a_key_that_is_none_is_refused(manager: SessionManager, key: object) -> None:
    session = await manager.create("ann", NewSession())
    with pytest.raises(EventError, match="the key of an action is a text"):
        await session.act(replace(run("ls"), cloche={"key": key}))


async def test_a_thought_is_answered_too(session: HostedSession) -> None:
    assert content(await session.act(new_event(AgentThinkAction("hm")))) == "Your thought has been logged."


async def test_the_same_key_is_executed_once(session: HostedSession) -> None:
    answers: list[Event] = []

    async def send() -> None:
        answers.append(await session.act(run("echo x >> f; wc -l < f", key="a")))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(send)
    await send()
    assert len({answer.id for answer in answers}) == 1
    assert content(answers[0]) == "1"
    sent = await session.act(run("echo x >> f", key="a"), wait=False)
    assert sent.id == answers[0].cause
    assert sent.cloche == {"key": "a"}
    assert content(await session.act(run("echo x >> f; wc -l < f", key="b"))) == "2"


async def test_a_key_is_known_after_a_restart_and_does_not_start_the_session(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        first = await session.act(run("echo x >> f; wc -l < f", key="a"))
        sid = session.sid
    async with managing(tmp_path) as manager:
        session = await manager.find(sid)
        assert await session.act(run("echo x >> f; wc -l < f", key="a")) == first
        assert session.state == "stored"
        assert content(await session.act(run("echo x >> f; wc -l < f", key="new"))) == "2"


async def test_an_action_with_a_key_that_a_stop_has_cut_off_is_not_done_again(session: HostedSession) -> None:
    sent = await session.act(run("echo x >> f; sleep 60", key="a", timeout=100), wait=False)
    await until(lambda: session.is_busy and session.running is not None and session.running.runtime.turn.locked())
    await session.stop()
    answer = await session.act(run("echo x >> f; sleep 60", key="a"))
    assert answer.cause == sent.id
    assert "did not come to its end" in content(answer)


async def test_a_late_observation_is_a_timeout_and_still_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.session.hosting.hosted_session.SESSION_ANSWER_GRACE", -0.9)
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        await session.start()
        with pytest.raises(TimeoutError, match=r"has no observation after 0\.1 s\. It may"):
            await session.act(run("while :; do echo on; sleep 0.05; done", key="a", timeout=1))
        monkeypatch.undo()
        answer = await session.act(run("", key="a"))
        assert is_observation(answer.body)


async def test_live_output_goes_to_all_who_listen_without_secrets(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession(), tokens={"github": "geheim-geheim-geheim"})
        first, second = Listener(), Listener()

        class Broken(Listener):
            def hear_output(self, action: int, stream: str, text: str) -> None:
                raise RuntimeError("gone")

        for client in (Broken(), first, second, first):
            session.attach(client)
        answer = await session.act(run("a=geheim; echo one; echo $a-$a-$a"))
        await second.until(lambda: any("one" in text for _, _, text in second.output))
        for heard in (first, second):
            assert {(action, stream) for action, stream, _ in heard.output} == {(answer.cause, "stdout")}
            assert "geheim-" not in "".join(text for _, _, text in heard.output)
        session.detach(second)
        before = len(second.output)
        await session.act(run("echo two"))
        await first.until(lambda: any("two" in text for _, _, text in first.output))
        assert len(second.output) == before
        assert "The session is ready." in first.statuses
        assert all("geheim-" not in str(event) for event in await list_events(session))


async def test_who_asks_for_a_start_gets_the_same_session(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    found: list[object] = []

    async def start() -> None:
        found.append(await session.start())

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(start)
    assert len(set(map(id, found))) == 1
    await session.stop()
    assert await session.start() is not found[0]


async def test_a_caller_who_is_cancelled_leaves_the_start_to_the_others(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    with anyio.CancelScope() as scope:
        scope.cancel()
        await session.start()
    assert await say(session, run("echo on")) == "on"


async def test_a_session_is_stopped_while_it_starts_and_started_while_it_stops(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await session.stop()
    assert session.state == "stored"
    await session.start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session.stop)
        tasks.start_soon(say, session, run("echo x > f"))
    assert await say(session, run("cat f")) == "x"


async def test_what_is_said_starts_the_session_and_reaches_the_agent(tmp_path: Path) -> None:
    script = [call("finish", message="ok")]
    async with managing(tmp_path, core={"default_agent": "CodeActAgent"}, model=ScriptedLLM(script)) as manager:
        session = await manager.create("ann", NewSession())
        await session.stop()
        said = await session.send(MessageAction("begin"))
        assert said.source == "user"
        running = await session.start()
        await running.controller.wait(AgentState.FINISHED)
        assert session.state == "finished"
        changed = await session.send(ChangeAgentStateAction("paused"))
        assert changed.id is not None
        assert session.state == "paused"


async def test_cells_and_commands_share_the_sandbox(session: HostedSession) -> None:
    await session.act(cell("open('f', 'w').write('from python')\nx = 41"))
    assert await say(session, run("cat f")) == "from python"
    assert await say(session, cell("x + 1")) == "42"


async def test_an_action_is_answered_before_its_session_is_deleted(
    manager: SessionManager, session: HostedSession
) -> None:
    answers: list[str] = []

    async def send() -> None:
        answers.append(await say(session, run("sleep 60", timeout=100)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        await until(lambda: session.running is not None and session.running.runtime.turn.locked())
        await manager.delete(session.sid)
    assert "did not come to its end" in answers[0]
    with pytest.raises(SessionUnknown):
        await session.act(run("ls"))


async def test_work_of_a_caller_is_an_action_of_the_user(session: HostedSession) -> None:
    listener = Listener()
    session.attach(listener)

    async def work(hear: Hear) -> Observation:
        hear("stdout", "so far")
        await checkpoint()
        return SuccessObservation("done")

    answer = await session.perform(new_event(MCPAction("install"), "agent"), work)
    assert (answer.source, content(answer)) == ("user", "done")
    assert listener.output == [(answer.cause, "stdout", "so far")]
    with pytest.raises(EventError):
        await session.perform(new_event(MessageAction("hello")), work)


async def test_a_session_that_is_stopped_answers_the_work_of_callers_once(session: HostedSession) -> None:
    begun = anyio.Event()

    async def hang(_: Hear) -> Observation:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    async def call() -> None:
        with pytest.raises(SessionError, match="was closed"):
            await session.perform(new_event(MCPAction("install")), hang)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await begun.wait()
        await session.stop()
    events = await list_events(session)
    (action,) = [event for event in events if isinstance(event.body, MCPAction)]
    (answer,) = [event for event in events if event.cause == action.id]
    assert "the session was closed" in content(answer)


async def test_a_session_that_is_renewed_begins_anew_with_the_same_events(session: HostedSession) -> None:
    await session.act(run("export X=1; touch f"))
    before = await list_events(session)
    await session.renew(new_event(MCPAction("reset")))
    assert session.state == "stored"
    assert not (await session.view()).workspace_kept
    assert content(await session.act(run("ls; echo X=$X"))) == "X="
    events = await list_events(session)
    assert events[: len(before)] == before
    (action,) = [event for event in events if isinstance(event.body, MCPAction)]
    assert [content(event) for event in events if event.cause == action.id] == [RENEWED]
