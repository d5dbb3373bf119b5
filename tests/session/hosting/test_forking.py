"""Forks: the events up to one, nothing done again, and as much of the sandbox as can be had."""

from pathlib import Path

import anyio
import pytest

from cloche.errors import EventError
from cloche.events import CmdRunAction, ErrorObservation, Event, MessageAction, new_event
from cloche.llm import ScriptedLLM
from cloche.session import AgentState, ForkOrigin, HostedSession, NewSession, SessionManager
from cloche.session.hosting import forking
from tests.session.hosting.conftest import cell, list_events, managing, run, say, until
from tests.session.hosting.test_expiry import WORKER, begin
from tests.session.test_agent_session import call

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def last_words(session: HostedSession) -> str:
    return (await list_events(session))[-1].message or ""


def bodies(events: list[Event]) -> list[object]:
    return [(event.id, event.source, event.cause, event.body) for event in events]


async def test_a_fork_of_the_latest_event_has_files_and_variables(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession(title="mine", env={"WHO": "ann"}))
    await say(session, run("mkdir d; echo one > d/f; echo two > /tmp/g; X=3; cd d"))
    await session.act(cell("x = 41"))
    fork = await manager.fork(session.sid, None, "bob")
    before, copied = await list_events(session), await list_events(fork)
    assert bodies(copied[:-1]) == bodies(before)
    assert fork.state == "stored"
    view = await fork.view()
    assert (view.title, view.owner, view.forked_from) == ("mine", "bob", ForkOrigin(session.sid, len(before) - 1))
    assert view.workspace_kept
    assert "Its files and variables are as they were." in await last_words(fork)
    assert await say(fork, run("pwd; cat f /tmp/g; echo $X $WHO")) == "/workspace/d\none\ntwo\n3 ann"
    assert await say(fork, cell("x + 1")) == "42"
    assert "has run before" not in str(await list_events(fork))
    # Both go on by themselves.
    await say(fork, run("echo fork > f"))
    assert await say(session, run("cat f")) == "one"
    # Its variables were for the first start.
    await fork.stop()
    assert await say(fork, run("cat d/f; echo $X")) == "fork"


async def test_a_fork_of_an_earlier_event_begins_fresh_and_does_nothing_again(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    first = await session.act(run("echo x >> f", key="a"))
    await say(session, run("echo y >> f"))
    fork = await manager.fork(session.sid, first.id, "ann")
    copied = await list_events(fork)
    assert copied[-2] == first
    assert "begin fresh: only those of the latest event are there" in await last_words(fork)
    assert not (await fork.view()).workspace_kept
    assert await say(fork, run("ls")) == ""
    # Its key is known there too.
    assert await fork.act(run("echo x >> f", key="a")) == first


async def test_a_fork_of_a_session_that_does_not_run_has_its_files(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await say(session, run("mkdir d; echo one > d/f; ln -s d/f link; X=3"))
    await session.stop()
    fork = await manager.fork(session.sid, None, "ann")
    assert "The files in /workspace are as they were; its variables begin fresh: it did not run." in await last_words(
        fork
    )
    assert await say(fork, run("cat link; echo $X")) == "one"
    again = await manager.fork((await manager.fork(fork.sid, None, "ann")).sid, None, "ann")
    assert await say(again, run("cat d/f")) == "one"
    assert session.state == "stored"


async def test_what_was_open_is_answered_in_the_fork(manager: SessionManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "FORK_WAIT", 0.3)
    session = await manager.create("ann", NewSession())
    await say(session, run("echo one > f"))
    running = await session.act(run("echo two > g; sleep 60", timeout=100), wait=False)
    waiting = await session.act(run("echo three > h"), wait=False)
    await until(lambda: session.running is not None and session.running.runtime.turn.locked())
    fork = await manager.fork(session.sid, waiting.id, "ann")
    answers = {event.cause: event.body for event in await list_events(fork)}
    for sent in (running, waiting):
        body = answers[sent.id]
        assert isinstance(body, ErrorObservation)
        assert "still open where the session was forked" in body.content
    info = await session.stream.store.session(fork.sid)
    assert info is not None
    assert "running_since" not in info.details
    assert "begin fresh: an action was running." in await last_words(fork)
    assert "f" in (await say(fork, run("ls"))).split()
    assert "h" not in (await say(fork, run("ls"))).split()
    assert await session.interrupt()


async def test_a_command_that_was_left_running_stays_behind(tmp_path: Path) -> None:
    async with managing(tmp_path, sandbox={"no_change_timeout": 0.3}) as manager:
        session = await manager.create("ann", NewSession())
        await say(session, run("echo one > f; sleep 100"))
        fork = await manager.fork(session.sid, None, "ann")
        assert "begin fresh: a command that was left running still runs." in await last_words(fork)
        assert await say(fork, run("cat f")) == "one"
        assert session.measure_idle() is None


async def test_a_fork_waits_for_an_action_that_ends(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await session.start()
    forks: list[HostedSession] = []

    async def make() -> None:
        forks.append(await manager.fork(session.sid, None, "ann"))

    sent = await session.act(run("sleep 0.5; X=3; echo on > f"), wait=False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(make)
    [fork] = forks
    assert [event.cause for event in await list_events(fork) if event.cause is not None] == [sent.id]
    assert await say(fork, run("cat f; echo $X")) == "on\n3"


async def test_what_cannot_be_saved_begins_fresh(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await session.act(cell("import sqlite3, threading\nopened = open('/workspace/f', 'w')\nx = 1"))
    await say(session, run("Y=2; echo kept > g"))
    fork = await manager.fork(session.sid, None, "ann")
    assert "Its files are as they were; its variables begin fresh: cannot save" in await last_words(fork)
    assert await say(fork, run("cat g; echo $Y")) == "kept\n2"
    assert "NameError" in await say(fork, cell("x"))


async def test_what_was_saved_by_another_version_is_left_out(manager: SessionManager, tmp_path: Path) -> None:
    session = await manager.create("ann", NewSession())
    await say(session, run("echo kept > f; X=3"))
    fork = await manager.fork(session.sid, None, "ann")
    [saved] = (tmp_path / "data" / "saved").iterdir()
    saved.write_bytes(b"of another version")
    assert await say(fork, run("echo on; echo $X")) == "on"
    told = [event.message or "" for event in await list_events(fork)]
    assert any("are not here" in text and "is not a saved sandbox" in text for text in told)
    assert list((tmp_path / "data" / "saved").iterdir()) == []


async def test_an_agent_does_not_go_on_by_itself_in_a_fork(tmp_path: Path) -> None:
    async with managing(tmp_path, agents=WORKER) as manager:
        session = await manager.create("ann", NewSession(agent="Worker", initial_message="go"))
        await begin(session)
        actions = [event async for event in session.stream.get_events() if isinstance(event.body, CmdRunAction)]
        fork = await manager.fork(session.sid, None, "ann")
        await fork.start()
        assert fork.state == AgentState.PAUSED
        assert session.state == "running"
        assert len(actions) <= len([event for event in await list_events(fork) if event.kind == "run"])
        said = [event for event in await list_events(fork) if isinstance(event.body, MessageAction)]
        assert len(said) == 1


async def test_a_fork_before_the_first_message_begins_with_it(tmp_path: Path) -> None:
    script = [call("finish", message="one"), call("finish", message="two")]
    async with managing(tmp_path, core={"default_agent": "CodeActAgent"}, model=ScriptedLLM(script)) as manager:
        session = await manager.create("ann", NewSession(initial_message="begin"))
        await (await session.start()).controller.wait(AgentState.FINISHED)
        fork = await manager.fork(session.sid, 0, "ann")
        await (await fork.start()).controller.wait(AgentState.FINISHED)
        said = [event for event in await list_events(fork) if isinstance(event.body, MessageAction)]
        assert [event.body.message for event in said] == ["begin"]


@pytest.mark.parametrize("at", [-1, 999])
async def test_an_event_that_does_not_exist_is_refused(manager: SessionManager, at: int) -> None:
    session = await manager.create("ann", NewSession())
    await session.start()
    with pytest.raises(EventError, match=f"cannot be forked at {at}: its events are 0 to"):
        await manager.fork(session.sid, at, "ann")
    assert len(await manager.list_sessions()) == 1


async def test_a_session_without_events_is_forked_too(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await session.stop()
    await session.stream.store.create("empty", {"owner": "ann"})
    fork = await manager.fork("empty", None, "ann")
    assert "Forked from the session empty" in await last_words(fork)
    assert await say(fork, run("echo on")) == "on"


async def test_a_fork_of_another_kind_of_session_begins_fresh(tmp_path: Path) -> None:
    async with managing(tmp_path, core={"file_store": "memory"}) as manager:
        session = await manager.create("ann", NewSession())
        await say(session, run("echo x > f"))
        await session.stream.add_event(new_event(MessageAction("note"), "user"))
        fork = await manager.fork(session.sid, None, "ann")
        assert "this server keeps no files of sessions" in await last_words(fork)
        assert await say(fork, run("ls")) == ""
