"""What happens at a session's start: repositories, scripts, instructions; and its end by kill -9."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.errors import SessionError
from cloche.events import CmdRunAction, EventStream, FileStore, SQLiteStore, Status, is_observation
from cloche.llm import ScriptedLLM
from cloche.runtime import A2AManager
from cloche.session import AgentSession, AgentState
from cloche.session.agents.scripted_agent import ScriptedAgent
from cloche.session.starting import instructions
from tests.session.test_agent_session import PLAIN, call, list_events, running

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


def make_repository(folder: Path, setup: str | None = None) -> Path:
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Speak like a pirate.")
    (folder / "a.txt").write_text("content")
    if setup is not None:
        (folder / ".cloche").mkdir()
        (folder / ".cloche" / "setup.sh").write_text(setup)
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


async def test_an_agent_finds_the_repository_its_setup_and_its_instructions(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project", "echo ready > made.txt; X=1; cd /")
    script = [
        call("bash", command="pwd; cat a.txt made.txt; git log --format=%s; echo $X"),
        call("finish", message="k"),
    ]
    async with running(tmp_path / "s", script, selected_repository=str(place), initial_message="go") as session:
        assert await session.controller.wait() is AgentState.FINISHED
        model = session.controller.history.messages
    assert model[2].content.splitlines()[:4] == ["/workspace/project", "contentready", "one", ""]


async def test_the_instructions_of_a_repository_are_given_to_the_model(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project")
    model = ScriptedLLM([call("finish", message="k")])
    session = AgentSession("s", FileStore(tmp_path / "s"))
    await session.start(
        "pyodide", PLAIN, model=model, selected_repository=str(place), initial_message="go", instructions="Be brief."
    )
    try:
        with anyio.fail_after(20):
            await session.controller.wait(AgentState.FINISHED)
    finally:
        await session.close()
    system = model.asked[0].messages[0].content
    assert "Speak like a pirate." in system
    assert "Be brief." in system


async def test_a_setup_script_that_fails_is_told_with_its_output(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project", "echo broken; exit 3")
    with pytest.raises(SessionError, match=r"\.cloche/setup\.sh failed \(exit code 3\): broken"):
        async with running(tmp_path / "s", selected_repository=str(place)):
            pass


async def test_a_start_that_failed_is_done_again_in_a_kept_workspace(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project", "test -e ok || { touch ok; exit 3; }")
    folder = tmp_path / "work"
    folder.mkdir()
    config = replace(PLAIN, core=replace(AppConfig().core, workspace_base=str(folder)))
    with pytest.raises(SessionError, match="exit code 3"):
        async with running(tmp_path / "s", config=config, selected_repository=str(place)):
            pass
    told: list[str] = []
    for _ in range(2):
        async with running(tmp_path / "s", config=config, selected_repository=str(place)) as session:
            told = [str(getattr(event.body, "content", "")) for event in await list_events(session)]
    assert sum(each.startswith("Cloning ") for each in told) == 2
    assert ".cloche/setup.sh was run." in told


async def test_a_hostile_repository_reaches_nothing_of_the_host_and_keeps_its_own_links(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    place = tmp_path / "a %41 b"
    await to_thread.run_sync(make_repository, place, "ls")
    (place / "out").symlink_to(tmp_path / "secret")
    (place / "up").symlink_to("../secret")
    (place / "in").symlink_to("a.txt")
    (place / "run").write_text("#!/bin/sh\necho ran\n")
    (place / "run").chmod(0o755)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    await anyio.run_process([*git, "add", "."], cwd=place)
    await anyio.run_process([*git, "commit", "-qm", "two"], cwd=place)
    async with running(tmp_path / "s", selected_repository=f"file://{quote(str(place))}") as session:
        seen = await session.runtime.run("cat in; ./run; git status --short; cat out up 2>&1")
    assert seen.content.splitlines()[:3] == ["contentran", " D out", " D up"]
    assert "of the host" not in seen.content


@pytest.mark.parametrize(
    ("setup", "why"),
    [
        ("sleep 60", r"it took more than 1 s"),
        ("while :; do echo flood; done", r"it took more than 1 s|exit code"),
        ("kill -9 $$; kill -9 -1", r"exit code"),
        ("exit 3", r"exit code 3"),
    ],
)
async def test_a_hostile_setup_script_ends_the_start_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setup: str, why: str
) -> None:
    monkeypatch.setattr(instructions, "SETUP_TIMEOUT", 1.0)
    place = await to_thread.run_sync(make_repository, tmp_path / "project", setup)
    with pytest.raises(SessionError, match=rf"\.cloche/setup\.sh failed \(({why})"):
        async with running(tmp_path / "s", selected_repository=str(place)):
            pass
    async with running(tmp_path / "s") as session:
        assert session.state is AgentState.AWAITING_USER_INPUT


async def test_a_setup_script_leaves_no_trace_in_the_shell_of_the_agent(tmp_path: Path) -> None:
    script = "cd /tmp; export LEFT=1; ls() { echo mine; }; alias cat=echo; sleep 100 & disown; trap 'echo bye' EXIT"
    place = await to_thread.run_sync(make_repository, tmp_path / "project", script)
    async with running(tmp_path / "s", selected_repository=str(place)) as session:
        seen = await session.runtime.run("pwd; echo $LEFT; type -t ls cat; jobs; trap")
    assert seen.content.splitlines() == ["/workspace/project", "", "file", "file"]


async def test_each_step_of_a_start_is_a_status_event(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project", "ls")
    sandbox = replace(PLAIN.sandbox, plugins=("agent_skills",))
    security = replace(PLAIN.security, security_analyzer="rules")
    config = replace(PLAIN, sandbox=sandbox, security=security)
    options: dict[str, Any] = {"config": config, "env": {"A": "1"}, "a2a_manager": A2AManager(["http://127.0.0.1:9"])}
    async with running(tmp_path / "s", ["hm"], selected_repository=str(place), **options) as session:
        await session.close()
    async with SQLiteStore(tmp_path / "s" / "events.db") as store:
        events = [event.body async for event in EventStream("s", store).get_events()]
    told = [event.content for event in events if isinstance(event, Status)]
    beginnings = [
        "Connecting to the PyodideRuntime...",
        "Reading the cards of remote agents...",
        "The A2A server",
        "Setting the variables A...",
        "Setting up the plugin agent_skills...",
        "",
        f"Cloning file://{place}...",
        "Running .cloche/setup.sh...",
        ".cloche/setup.sh was run.",
        f"file://{place} is in /workspace/project.",
        "Reading the repository's instructions...",
        "Security analyzer: rules.",
        "Preparing the model...",
        "Starting the agent...",
        "The session is ready.",
        "",
    ]
    assert [text[: len(start)] for text, start in zip(told, beginnings, strict=True)] == beginnings


async def test_a_kept_workspace_whose_repository_is_away_gets_it_again_and_says_so(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project")
    folder = tmp_path / "work"
    folder.mkdir()
    config = replace(PLAIN, core=replace(AppConfig().core, workspace_base=str(folder)))
    async with running(tmp_path / "s", config=config, selected_repository=str(place)):
        pass
    await to_thread.run_sync(shutil.rmtree, folder / "project")
    async with running(tmp_path / "s", config=config, selected_repository=str(place)) as session:
        told = [str(getattr(event.body, "content", "")) for event in await list_events(session)]
        assert (await session.runtime.run("cat a.txt")).content == "content"
    assert f"This session has run before, and nothing is left in its workspace {folder}." in told
    assert any("/workspace/project is no longer in its workspace: it is cloned again" in text for text in told)


async def test_a_repository_is_not_cloned_over_files_of_the_user(tmp_path: Path) -> None:
    place = await to_thread.run_sync(make_repository, tmp_path / "project")
    mine = tmp_path / "work" / "project" / "a.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    config = replace(PLAIN, core=replace(AppConfig().core, workspace_base=str(tmp_path / "work")))
    for _ in range(2):
        with pytest.raises(SessionError, match="/workspace/project is not empty, and not from this session"):
            async with running(tmp_path / "s", config=config, selected_repository=str(place)):
                pass
    assert mine.read_text() == "mine"


async def test_files_of_a_kept_workspace_are_there_again(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    config = replace(PLAIN, core=replace(AppConfig().core, workspace_base=str(folder)))
    steps = [CmdRunAction("echo kept > f")]
    async with running(tmp_path / "s", config=config, agent=ScriptedAgent(steps), initial_message="go") as session:
        await session.controller.wait(AgentState.FINISHED)
    steps = [CmdRunAction("cat f")]
    async with running(tmp_path / "s", config=config, agent=ScriptedAgent(steps), initial_message="go") as session:
        await session.controller.wait(AgentState.FINISHED)
        last = [event.body.content for event in await list_events(session) if is_observation(event.body)]
    assert "kept\n" in last


async def test_the_first_example_of_sessions_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    your_repo = str(await to_thread.run_sync(make_repository, tmp_path / "project"))
    your_tokens = {"github": "tok-123456"}
    your_agent = ScriptedAgent()
    told: list[str] = []

    def your_callback(level: str, status: str, text: str) -> None:
        told.append(status)

    session = AgentSession(
        sid="your_session_id", file_store=FileStore(), status_callback=your_callback, user_id="your_user_id"
    )
    await session.start(
        runtime_name="pyodide",
        config=AppConfig(),
        agent=your_agent,
        max_iterations=250,
        git_provider_tokens=your_tokens,
        selected_repository=your_repo,
        selected_branch="main",
    )
    await session.close()
    assert told[0] == "STATUS$WAITING_FOR_CLIENT"
    assert " " in told
    assert (tmp_path / "cloche" / "events.db").exists()


KILLED = """
import sys, anyio
from pathlib import Path
from cloche.events import CmdRunAction, FileStore
from cloche.session import AgentSession
from cloche.session.agents.scripted_agent import ScriptedAgent
from tests.session.test_agent_session import PLAIN

async def main():
    steps = [CmdRunAction(f"echo {number} >> /mnt/out/log; echo {number}") for number in range(1000)]
    session = AgentSession("s", FileStore(sys.argv[1]))
    config = __import__("msgspec").structs.replace(
        PLAIN, sandbox=__import__("msgspec").structs.replace(PLAIN.sandbox, mounts=(sys.argv[2] + ":/mnt/out",))
    )
    await session.start("pyodide", config, ScriptedAgent(steps), initial_message="go")
    print("ready", flush=True)
    await anyio.sleep_forever()

anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.1, 0.3])
async def test_a_session_that_was_killed_goes_on_and_does_nothing_twice(tmp_path: Path, after: float) -> None:
    out = tmp_path / "out"
    out.mkdir()
    root = str(Path(__file__).parents[2])
    process = await anyio.open_process(
        [sys.executable, "-c", KILLED, str(tmp_path / "s"), str(out)], env={**os.environ, "PYTHONPATH": root}
    )
    assert process.stdout is not None
    try:
        with anyio.fail_after(30):
            assert (await process.stdout.receive()).startswith(b"ready")
        await anyio.sleep(after)
    finally:
        process.send_signal(signal.SIGKILL)
    await process.wait()
    await process.aclose()
    async with SQLiteStore(tmp_path / "s" / "events.db") as store:
        before = [event async for event in EventStream("s", store).get_events()]
    async with running(tmp_path / "s", agent=ScriptedAgent([])) as session:
        state = await session.controller.wait()
        events = await list_events(session)
    assert state in (AgentState.FINISHED, AgentState.AWAITING_USER_INPUT)
    assert events[: len(before)] == before
    done = (out / "log").read_text().split() if (out / "log").exists() else []
    assert done == [str(number) for number in range(len(done))]
    actions = [event for event in events if isinstance(event.body, CmdRunAction)]
    answers = [event.cause for event in events if is_observation(event.body) and event.cause is not None]
    assert sorted(answers) == sorted(set(answers))
    assert {event.id for event in actions} <= set(answers)
