"""SessionManager: sessions are made, found, listed, stopped, deleted, and found again by the next server."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche.config import AppConfig
from cloche.config.sections import LLMConfig
from cloche.errors import ConfigError, EventError, ServerTaken, SessionError, SessionTaken, SessionUnknown
from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    EventStream,
    FileStore,
    MemoryStore,
    MessageAction,
    SQLiteStore,
    Status,
)
from cloche.events.event import new_event
from cloche.llm import ScriptedLLM
from cloche.session import AgentSession, AgentState, NewSession, SessionManager
from cloche.session.hosting.session_run import AGAIN, AGAIN_WITHOUT_FILES
from cloche.session.starting.session_lock import SessionLock
from tests.session.hosting.conftest import Listener, list_events, make_config, managing, run, say, until
from tests.session.test_agent_session import call

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


async def test_a_session_is_stored_at_once_and_starts_by_itself(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession(title="My work", env={"WHO": "ann"}))
    view = await session.view()
    assert (view.id, view.title, view.owner, view.events) == (session.sid, "My work", "ann", 0)
    assert (view.state, view.runtime, view.agent, view.model) == ("starting", "pyodide", "ScriptedAgent", None)
    assert view.workspace_kept is False
    assert manager.count_running() == 1
    assert await say(session, run("echo $WHO > f; cat f")) == "ann"
    view = await session.view()
    assert (view.state, view.status) == (AgentState.AWAITING_USER_INPUT, "The session is ready.")
    assert view.events == len(await list_events(session))
    assert view.workspace_kept
    assert view.created <= view.last_activity


async def test_the_next_server_finds_all_sessions_and_starts_those_that_are_needed(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        one = await manager.create("ann", NewSession(title="one", env={"A": "kept"}))
        await say(one, run("echo text > f; X=1"))
        before = await list_events(one)
    async with managing(tmp_path) as manager:
        found = await manager.find(one.sid)
        assert found.owner == "ann"
        assert found.state == "stored"
        assert manager.count_running() == 0
        assert (await list_events(found))[: len(before)] == before
        [view] = await manager.list_sessions("ann")
        assert (view.title, view.state, view.workspace_kept) == ("one", "stored", True)
        assert await manager.find(one.sid) is found
        assert await say(found, run("cat f; echo $A$X")) == "text\nkept"
        told = [event.message for event in await list_events(found) if "has run before" in (event.message or "")]
        assert told == [AGAIN]


async def test_sessions_are_listed_by_user_text_and_page(manager: SessionManager, tmp_path: Path) -> None:
    async with SQLiteStore(tmp_path / "data" / "events.db") as store:
        await EventStream("by-hand", store).add_event(MessageAction("what the owner did"), "user")
        for number in range(5):
            await store.create(f"ann{number}", {"owner": "ann"})
            await EventStream(f"ann{number}", store).add_event(MessageAction(f"work {number}"), "user")
        await store.create("ann1.7", {"parent": "ann1"})
    assert [view.id for view in await manager.list_sessions("ann", limit=2)] == ["ann4", "ann3"]
    assert [view.id for view in await manager.list_sessions("ann", offset=3)] == ["ann1", "ann0"]
    assert [view.title for view in await manager.list_sessions(search="WORK 3")] == ["work 3"]
    assert [view.id for view in await manager.list_sessions("")] == ["by-hand"]
    assert len(await manager.list_sessions()) == 6
    assert (await manager.find("by-hand")).owner == ""
    part = await manager.find("ann1.7")
    assert part.owner == "ann"
    with pytest.raises(SessionError, match="a part of the session ann1"):
        await part.start()
    with pytest.raises(SessionError, match="a part of the session ann1"):
        await manager.delete("ann1.7")


@pytest.mark.parametrize("sid", ["nothing", "", "../../etc", "x" * 500])
async def test_a_session_that_does_not_exist_is_unknown(manager: SessionManager, sid: str) -> None:
    for work in (manager.find, manager.stop, manager.delete):
        with pytest.raises(SessionUnknown, match="there is no session"):
            await work(sid)
    with pytest.raises(SessionUnknown):
        await manager.rename(sid, "x")


async def test_what_cannot_be_started_is_refused_at_once(manager: SessionManager) -> None:
    for wanted in (NewSession(runtime="nothing"), NewSession(agent="nothing"), NewSession(model="nothing")):
        with pytest.raises(ConfigError, match="nothing"):
            await manager.create("ann", wanted)
    assert await manager.list_sessions() == []
    assert manager.count_running() == 0


@pytest.mark.parametrize(
    "wanted",
    [
        NewSession(runtime="cloche.runtime.local.LocalRuntime"),
        NewSession(runtime="other"),
        NewSession(agent="os.path.Agent"),
        NewSession(repository="/root"),
        NewSession(repository="~/private"),
        NewSession(repository="../x"),
        NewSession(repository="file:///root"),
        NewSession(repository="http://example.com/a/b"),
        NewSession(repository="https://localhost/a"),
        NewSession(repository="https://127.1/a"),
        NewSession(repository="https://0x7f.0.0.0xf/a"),
        NewSession(repository="https://[::ffff:10.0.0.1]/a"),
        NewSession(repository="https://[broken/a"),
        NewSession(repository="https://metadata.google.internal/a"),
        NewSession(repository="https://intranet/a/b"),
    ],
    ids=str,
)
async def test_users_cannot_choose_what_leads_to_the_host(manager: SessionManager, wanted: NewSession) -> None:
    with pytest.raises(ConfigError, match="only the owner of this server may choose it"):
        await manager.create("ann", wanted)
    assert await manager.list_sessions() == []


async def test_users_choose_what_is_public_and_the_owner_everything(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    for words in (["init", "-q", str(origin)], ["-C", str(origin), "commit", "-q", "--allow-empty", "-m", "x"]):
        await anyio.run_process(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words])
    async with managing(tmp_path / "data") as manager:
        session = await manager.create("", NewSession(repository=str(origin), agent="ScriptedAgent"))
        assert await say(session, run("git log --oneline | wc -l; pwd")) == "1\n/workspace/origin"
        await session.stop()
        # It is not cloned again.
        assert await say(session, run("pwd")) == "/workspace/origin"
        cloned = [event for event in await list_events(session) if "Cloning" in (event.message or "")]
        assert len(cloned) == 1
        for repository in ("a/b", "https://example.com/a/b.git"):
            ours = await manager.create("ann", NewSession(runtime="pyodide", repository=repository))
            await ours.stop()


async def test_a_session_that_is_damaged_does_not_keep_the_others_from_their_server(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        await say(session, run("echo x > f"))
    async with SQLiteStore(tmp_path / "events.db") as store:
        await store.create("broken", {"running_since": 0})
        await EventStream("broken", store).add_event(CmdRunAction("ls"), "user")
    with closing(sqlite3.connect(tmp_path / "events.db")) as db:
        db.executescript("UPDATE events SET data = x'7b22' WHERE instr(data, CAST('\"ls\"' AS BLOB))")
    async with managing(tmp_path) as manager:
        assert await say(await manager.find(session.sid), run("cat f")) == "x"
        assert len(await manager.list_sessions()) == 2


async def test_a_session_is_renamed_and_stopped_and_its_stream_stays(manager: SessionManager) -> None:
    session = await manager.create("ann", NewSession())
    await say(session, run("echo one > f"))
    await manager.rename(session.sid, "renamed")
    await manager.stop(session.sid)
    assert session.state == "stored"
    assert manager.count_running() == 0
    assert (await session.view()).title == "renamed"
    assert len(await list_events(session)) > 5
    await manager.stop(session.sid)
    assert await say(session, run("cat f")) == "one"


async def test_deleting_leaves_nothing(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        await say(session, run("mkdir -p a/b; echo x > a/b/c; chmod 000 a/b"))
        await session.stream.add_event(CmdOutputObservation("x" * 100_000, "cat"))
        store = session.stream.store
        await store.create(f"{session.sid}.5", {"parent": session.sid})
        await store.create(f"{session.sid}.5.6", {"parent": f"{session.sid}.5"})
        assert await store.files.list(f"sessions/{session.sid}")
        await manager.delete(session.sid)
        assert await store.sessions() == []
        assert await store.files.list("sessions") == []
        assert list((tmp_path / "workspaces").iterdir()) == []
        assert list((tmp_path / "locks").iterdir()) == []
        with pytest.raises(SessionUnknown):
            await session.start()
        with pytest.raises(SessionUnknown):
            await session.view()
        with pytest.raises(SessionUnknown):
            await manager.find(session.sid)


async def test_a_session_that_runs_in_another_process_is_left_alone(manager: SessionManager, tmp_path: Path) -> None:
    session = await manager.create("ann", NewSession())
    await say(session, run("echo mine > f"))
    await session.stop()
    other = await to_thread.run_sync(SessionLock(session.sid, tmp_path / "data").take)
    for work in (session.start(), manager.delete(session.sid), session.act(run("ls"))):
        with pytest.raises(SessionTaken, match="already running in the process"):
            await work
    assert manager.count_running() == 0
    other.release()
    assert await say(session, run("cat f")) == "mine"


async def test_one_folder_has_one_server(tmp_path: Path) -> None:
    async with managing(tmp_path):
        with pytest.raises(ServerTaken, match=f"the process .* is already serving the sessions in {tmp_path}"):
            async with managing(tmp_path):
                pytest.fail("two servers on one folder")
    async with managing(tmp_path):
        pass


async def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    config = make_config(tmp_path, core={"file_store": "memory"})
    async with SessionManager(config) as manager, SessionManager(config, store=MemoryStore()) as other:
        session = await manager.create("ann", NewSession())
        assert await say(session, run("echo x > f; cat f")) == "x"
        assert (await session.view()).workspace_kept is False
        await session.stop()
        assert "cannot access" in await say(session, run("ls f"))
        assert AGAIN_WITHOUT_FILES in str(await list_events(session))
        assert await other.list_sessions() == []
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_of_the_user_is_shared_by_all_sessions(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    async with managing(tmp_path / "data", core={"workspace_base": str(tmp_path / "work")}) as manager:
        one = await manager.create("ann", NewSession())
        two = await manager.create("ann", NewSession())
        await say(one, run("echo shared > f"))
        assert await say(two, run("cat f")) == "shared"
        await manager.delete(one.sid)
    assert (tmp_path / "work" / "f").read_text() == "shared\n"
    assert not (tmp_path / "data" / "workspaces").exists()


async def test_closing_answers_what_runs_and_what_waits(tmp_path: Path) -> None:
    heard = Listener()
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        session.attach(heard)
        running = await session.act(run("echo on; sleep 60", timeout=100), wait=False)
        waiting = await session.act(run("echo never"), wait=False)
        await heard.until(lambda: bool(heard.output))
    async with managing(tmp_path) as manager:
        answers = {event.cause: event.body for event in await list_events(await manager.find(session.sid))}
    first, second = answers[running.id], answers[waiting.id]
    assert isinstance(first, ErrorObservation)
    assert "did not come to its end" in first.content
    assert isinstance(second, ErrorObservation)
    assert "was not executed: the session was closed" in second.content


async def test_closing_waits_for_a_start_and_starts_nothing_more(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        sessions = [await manager.create("ann", NewSession()) for _ in range(3)]
    for session in sessions:
        assert session.state == "stored"
        with pytest.raises(SessionError, match=r"the server ends|closed while"):
            await session.start()
    with pytest.raises(SessionError, match="async with"):
        await manager.list_sessions()


async def test_the_agent_of_a_session_works_with_the_model_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text("")
    config = AppConfig(llms={"small": LLMConfig(model="small-one"), "other": LLMConfig(model="x")})
    script = [call("bash", command="echo hi"), call("finish", message="done")]
    async with managing(
        tmp_path / "data", core={"default_agent": "CodeActAgent"}, llms=config.llms, model=ScriptedLLM(script)
    ) as manager:
        session = await manager.create("ann", NewSession(model="small", initial_message="Say hi\nplease"))
        running = await session.start()
        assert await running.controller.wait(AgentState.FINISHED) is AgentState.FINISHED
        view = await session.view()
        assert (view.model, view.title, view.state) == ("small", "Say hi", "finished")
        await session.stop()
        # It begins with its message once.
        await session.start()
        said = [event for event in await list_events(session) if isinstance(event.body, MessageAction)]
        assert [event.body.message for event in said] == ["Say hi\nplease"]


async def test_messages_go_to_the_clients_of_one_or_all_sessions(manager: SessionManager) -> None:
    one, two = await manager.create("ann", NewSession()), await manager.create("bob", NewSession())
    first, second, third = Listener(), Listener(), Listener()
    one.attach(first)
    one.attach(second)
    two.attach(third)
    await manager.send(one.sid, {"text": "to one"})
    manager.send_all({"text": "to all"})
    one.detach(second)
    manager.send_all({"text": "later"})
    assert [each["text"] for each in first.messages] == ["to one", "to all", "later"]
    assert [each["text"] for each in second.messages] == ["to one", "to all"]
    assert [each["text"] for each in third.messages] == ["to all", "later"]
    assert (await one.view()).clients == 1
    with pytest.raises(SessionUnknown):
        await manager.send("nothing", {})


async def test_what_a_killed_server_left_open_is_answered_for_every_reader(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        store = (await manager.create("ann", NewSession())).stream.store
    async with SQLiteStore(tmp_path / "events.db") as store:
        # As if it had been killed: one action was begun, one waited, one has its answer, another session had none.
        await store.create("killed", {"owner": "ann", "running_since": 2, "begun": True})
        stream = EventStream("killed", store)
        sent = [new_event(CmdRunAction(f"echo {number}"), "user") for number in range(4)]
        await stream.add_events(sent)
        await stream.add_event(new_event(ErrorObservation("done"), "user", answers=await stream.get_event(3)))
        await stream.claim(2)
        await EventStream("quiet", store).add_event(CmdRunAction("echo quiet"), "user")
    async with managing(tmp_path) as manager:
        session = await manager.find("killed")
        answers = {event.cause: event.body for event in await list_events(session) if event.cause is not None}
        assert set(answers) == {2, 3}
        assert "How far it came is not known" in getattr(answers[2], "content", "")
        # What came before that run was answered by an earlier one; what nobody had run is not touched.
        assert len(await list_events(await manager.find("quiet"))) == 1
    async with managing(tmp_path) as manager:
        assert len(await list_events(await manager.find("killed"))) == 6


async def test_folders_that_belong_to_no_session_are_removed_at_the_start(tmp_path: Path) -> None:
    async with managing(tmp_path) as manager:
        session = await manager.create("ann", NewSession())
        await say(session, run("echo x > f"))
    [kept] = (tmp_path / "workspaces").iterdir()
    lost, ours = tmp_path / "workspaces" / ("0" * 32), tmp_path / "workspaces" / "notes"
    for folder in (lost, ours):
        folder.mkdir()
        (folder / "f").write_text("x")
    (tmp_path / "saved").mkdir(exist_ok=True)
    (tmp_path / "saved" / ("1" * 32)).write_text("x")
    async with managing(tmp_path) as manager:
        assert sorted(path.name for path in (tmp_path / "workspaces").iterdir()) == sorted([kept.name, "notes"])
        assert list((tmp_path / "saved").iterdir()) == []
        assert await say(await manager.find(session.sid), run("cat f")) == "x"


async def test_many_sessions_run_at_once(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"max_sessions_per_user": 12}) as manager:
        sessions = [await manager.create("ann", NewSession(env={"N": str(number)})) for number in range(8)]
        said: dict[int, str] = {}

        async def work(number: int) -> None:
            said[number] = await say(sessions[number], run("echo $N"))

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(work, number)
        assert said == {number: str(number) for number in range(8)}
        assert manager.count_running() == 8


async def test_a_start_that_fails_says_why_and_may_be_tried_again(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    async with managing(tmp_path / "data", core={"workspace_base": str(tmp_path / "work")}) as manager:
        session = await manager.create("ann", NewSession())
        await session.start()
        await session.stop()
        (tmp_path / "work").rename(tmp_path / "gone")
        failures: list[str] = []

        async def start() -> None:
            try:
                await session.start()
            except ConfigError as error:
                failures.append(str(error))

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(start)
        assert len(failures) == 3
        assert session.status == failures[0]
        assert all("does not exist: make it first" in failure for failure in failures)
        told = [event for event in await list_events(session) if isinstance(event.body, Status)]
        assert "does not exist" in (told[-1].message or "") or "does not exist" in (told[-2].message or "")
        assert session.state == "stored"
        (tmp_path / "gone").rename(tmp_path / "work")
        assert await say(session, run("pwd")) == "/workspace"


async def test_an_action_of_a_session_that_could_not_be_started_is_answered(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    async with managing(tmp_path / "data", core={"workspace_base": str(tmp_path / "work")}) as manager:
        session = await manager.create("ann", NewSession())
        await session.start()
        await session.stop()
        (tmp_path / "work").rename(tmp_path / "gone")
        sent = await session.act(run("ls"), wait=False)
        await until(lambda: session.state == "stored")
        [answer] = [event for event in await list_events(session) if event.cause == sent.id]
        assert isinstance(answer.body, ErrorObservation)
        assert "was not executed: the session does not run" in answer.body.content


async def test_an_agent_whose_session_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    script = [call("bash", command="echo one > f"), "And now?", call("finish", message="ok")]
    async with managing(tmp_path, core={"default_agent": "CodeActAgent"}, model=ScriptedLLM(script)) as manager:
        session = await manager.create("ann", NewSession(initial_message="begin"))
        await (await session.start()).controller.wait(AgentState.AWAITING_USER_INPUT)
        await session.stop()
        await session.send(MessageAction("go on"))
        await (await session.start()).controller.wait(AgentState.FINISHED)
        with pytest.raises(EventError, match="nothing answers it"):
            await session.act(new_event(MessageAction("hello")))


async def test_a_session_of_the_command_line_goes_on_in_a_server(tmp_path: Path) -> None:
    config = make_config(tmp_path)
    by_hand = AgentSession("by-hand", FileStore(tmp_path))
    await by_hand.start(config=config)
    await by_hand.runtime.run("echo x > f")
    await by_hand.close()
    async with managing(tmp_path) as manager:
        session = await manager.find("by-hand")
        assert await say(session, run("ls")) == ""
        assert any("its files are no longer there" in str(event.message) for event in await list_events(session))
        # From now on its files are kept.
        await say(session, run("echo kept > f"))
        await session.stop()
        assert await say(session, run("cat f")) == "kept"


async def test_a_session_that_is_stopped_or_deleted_at_once_does_not_start(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"max_running": 1}) as manager:
        session = await manager.create("ann", NewSession())
        await session.stop()
        gone = await manager.create("ann", NewSession())
        await manager.delete(gone.sid)
        await until(lambda: manager.count_running() == 0)
        assert (session.state, session.status) == ("stored", "")
        assert await say(await manager.create("ann", NewSession()), run("echo on")) == "on"
        assert not await list_events(session)


async def test_the_work_of_other_agents_is_a_part_of_its_session(tmp_path: Path) -> None:
    script = [
        call("delegate", agent="CodeCellAgent", task="what is 1 + 1?"),
        "```python\nprint(1 + 1)\n```",
        "it is 2",
        call("finish", message="2"),
    ]
    async with managing(tmp_path, core={"default_agent": "CodeActAgent"}, model=ScriptedLLM(script)) as manager:
        session = await manager.create("ann", NewSession(initial_message="begin"))
        await (await session.start()).controller.wait(AgentState.FINISHED)
        [seen] = [event for event in await list_events(session) if event.kind == "delegate" and event.cause is not None]
        part = await manager.find(f"{session.sid}.{seen.cause}")
        assert part.owner == "ann"
        assert "run_ipython" in [event.kind for event in await list_events(part)]
        assert [view.id for view in await manager.list_sessions()] == [session.sid]
        await manager.delete(session.sid)
        assert await session.stream.store.sessions() == []
