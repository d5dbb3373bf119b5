"""What every runtime must do, as tests: inherit RuntimeContract in a test file, and give it a fixture `runtime`.

class TestMine(RuntimeContract):
    @pytest.fixture
    async def runtime(self):
        async with MyRuntime() as runtime:
            yield runtime
"""

from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from anyio import to_thread

from cloche.errors import RuntimeFailed
from cloche.events import (
    AWAITING_CONFIRMATION,
    A2AListRemoteAgentsAction,
    A2AListRemoteAgentsObservation,
    A2ASendTaskAction,
    AgentThinkAction,
    AgentThinkObservation,
    BrowseURLAction,
    CmdOutputObservation,
    CmdRunAction,
    ErrorObservation,
    FileEditAction,
    FileEditObservation,
    FileReadAction,
    FileReadObservation,
    FileWriteAction,
    FileWriteObservation,
    IPythonRunCellObservation,
    MessageAction,
    MkdirObservation,
    MoveAction,
    MoveObservation,
    NullObservation,
    Observation,
    RmdirAction,
    RmObservation,
    RunCodeAction,
    RunCodeObservation,
    UserRejectObservation,
)
from cloche.runtime.base import Runtime

T = TypeVar("T")
PATIENCE = 30
"""Seconds for an answer that should come at once."""


def expect(kind: type[T], observation: Observation) -> T:
    """The observation, which must be of this kind."""
    assert isinstance(observation, kind), observation
    return observation


@pytest.mark.anyio
class RuntimeContract:
    """Inherit it, and give a fixture `runtime` that is connected and fresh."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Streams and sandboxes live on asyncio."""
        return "asyncio"

    has_python = True
    languages: tuple[str, ...] = ("javascript",)
    """Languages that `run_code` is tried with, besides Python."""
    has_live_output = True
    """Whether `on_output` receives output before the action ends."""

    async def test_a_command_gives_its_output_and_exit_code(self, runtime: Runtime) -> None:
        done = expect(CmdOutputObservation, await runtime.run("echo out; echo err >&2; exit 0"))
        assert (done.content.split(), done.exit_code, done.command) == (
            ["out", "err"],
            0,
            "echo out; echo err >&2; exit 0",
        )
        failed = expect(CmdOutputObservation, await runtime.run("ls /nowhere"))
        assert failed.exit_code > 0
        assert "nowhere" in failed.content

    async def test_the_shell_keeps_its_folder_and_variables(self, runtime: Runtime) -> None:
        await runtime.run("mkdir -p /tmp/deep && cd /tmp/deep && export NAME=Ada")
        done = expect(CmdOutputObservation, await runtime.run("echo $NAME; pwd"))
        assert done.content.split() == ["Ada", "/tmp/deep"]
        assert done.metadata.working_dir == "/tmp/deep"

    async def test_a_command_of_its_own_shell_leaves_nothing(self, runtime: Runtime) -> None:
        here = expect(CmdOutputObservation, await runtime.run("pwd")).content
        away = expect(
            CmdOutputObservation, await runtime.run(CmdRunAction("cd /; X=1; pwd", is_static=True, cwd="/tmp"))
        )
        assert away.content == "/\n"
        assert expect(CmdOutputObservation, await runtime.run("pwd; echo $X")).content == here + "\n"

    async def test_a_command_that_takes_too_long_is_left_running_and_can_be_stopped(self, runtime: Runtime) -> None:
        with anyio.fail_after(PATIENCE):
            done = expect(CmdOutputObservation, await runtime.run("echo begun; sleep 60; echo never", timeout=1))
        assert (done.content, done.exit_code) == ("begun\n", -1)
        assert "[The command timed out after 1.0 seconds. You may wait longer" in done.metadata.suffix
        refused = expect(CmdOutputObservation, await runtime.run("touch made"))
        assert "is NOT executed. The previous command is still running" in refused.metadata.suffix
        with anyio.fail_after(PATIENCE):
            stopped = expect(CmdOutputObservation, await runtime.run(CmdRunAction("C-c", is_input=True)))
        assert (stopped.content, stopped.exit_code) == ("", 130)
        assert expect(CmdOutputObservation, await runtime.run("ls made; echo next")).content.endswith("next\n")
        assert "made" not in await runtime.list_files()

    async def test_an_interrupt_ends_a_command(self, runtime: Runtime) -> None:
        answers: list[Observation] = []

        async def run() -> None:
            answers.append(await runtime.run(CmdRunAction("echo begun; sleep 60", blocking=True), timeout=60))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                while not await runtime.interrupt():  # noqa: ASYNC110 - no event says that it has begun
                    await anyio.sleep(0.05)
        assert len(answers) == 1
        assert expect(CmdOutputObservation, await runtime.run("echo next")).content == "next\n"

    async def test_output_is_heard_while_the_action_runs(self, runtime: Runtime) -> None:
        if not self.has_live_output:
            return
        heard: list[tuple[str, str]] = []
        answers: list[Observation] = []
        begun = anyio.Event()

        def hear(stream: str, text: str) -> None:
            heard.append((stream, text))
            begun.set()

        async def run() -> None:
            command = CmdRunAction("echo begun; sleep 2; echo went wrong >&2; echo ended", blocking=True)
            answers.append(await runtime.run(command, timeout=PATIENCE, on_output=hear))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await begun.wait()
                assert answers == []
        assert heard[0] == ("stdout", "begun\n")
        assert "".join(text for stream, text in heard if stream == "stdout") == "begun\nended\n"
        assert "".join(text for stream, text in heard if stream == "stderr") == "went wrong\n"
        assert expect(CmdOutputObservation, answers[0]).content == "begun\nwent wrong\nended\n"
        await runtime.run("echo unheard")
        assert "unheard" not in str(heard)

    async def test_who_hears_badly_holds_nothing_up(self, runtime: Runtime) -> None:
        async def never(stream: str, text: str) -> None:
            await anyio.sleep_forever()

        def fail(stream: str, text: str) -> None:
            raise LookupError("the receiver is broken")

        for hear in (never, fail):
            with anyio.fail_after(PATIENCE):
                done = expect(CmdOutputObservation, await runtime.run("echo one; echo two", on_output=hear))
            assert (done.content, done.exit_code) == ("one\ntwo\n", 0)

    async def test_what_is_sent_twice_is_done_once(self, runtime: Runtime) -> None:
        action = CmdRunAction("echo line >> once.txt")
        first = await runtime.execute(action, key="k")
        assert await runtime.execute(action, key="k") == first
        assert expect(FileReadObservation, await runtime.read("once.txt")).content == "line\n"

    async def test_only_what_can_be_claimed_is_executed(self, runtime: Runtime) -> None:
        asked: list[int] = []

        async def claim() -> bool:
            asked.append(len(asked))
            return len(asked) == 1

        action = CmdRunAction("echo line >> claimed.txt")
        expect(CmdOutputObservation, await runtime.execute(action, claim=claim))
        expect(NullObservation, await runtime.execute(action, claim=claim))
        assert expect(FileReadObservation, await runtime.read("claimed.txt")).content == "line\n"
        expect(AgentThinkObservation, await runtime.execute(AgentThinkAction("hm"), claim=claim))
        withheld = CmdRunAction("ls", confirmation_state=AWAITING_CONFIRMATION)
        expect(NullObservation, await runtime.execute(withheld, claim=claim))
        assert asked == [0, 1]

    async def test_remote_agents_are_asked_whatever_the_backend_is(self, runtime: Runtime) -> None:
        listed = expect(A2AListRemoteAgentsObservation, await runtime.execute(A2AListRemoteAgentsAction()))
        names = [agent["name"] for agent in listed.agents]
        unknown = expect(ErrorObservation, await runtime.execute(A2ASendTaskAction("nobody at all", "hi")))
        assert "There is no remote agent `nobody at all`" in unknown.content
        assert all(name in unknown.content for name in names) if names else "[a2a] servers" in listed.content

    async def test_files_are_written_read_and_removed(self, runtime: Runtime) -> None:
        expect(FileWriteObservation, await runtime.write(FileWriteAction("d/a.txt", "one\ntwo\nthree\n")))
        assert expect(FileReadObservation, await runtime.read("d/a.txt")).content == "one\ntwo\nthree\n"
        assert expect(FileReadObservation, await runtime.read(FileReadAction("d/a.txt", 1, 2))).content == "two\n"
        await runtime.write(FileWriteAction("d/a.txt", "2", 1, 2))
        assert expect(CmdOutputObservation, await runtime.run("cat d/a.txt")).content == "one\n2\nthree\n"
        expect(MkdirObservation, await runtime.mkdir("d/e/f"))
        assert await runtime.list_files("d") == ["e/", "a.txt"]
        expect(RmObservation, await runtime.rm("d/a.txt"))
        expect(ErrorObservation, await runtime.rmdir("d"))
        await runtime.rmdir(RmdirAction("d", recursive=True))
        assert await runtime.list_files("d") == []

    async def test_files_and_folders_are_moved(self, runtime: Runtime) -> None:
        await runtime.write(FileWriteAction("from/a.txt", "a"))
        await runtime.write(FileWriteAction("b.txt", "b"))
        moved = expect(MoveObservation, await runtime.move(MoveAction("from", "to/there")))
        assert moved.destination.endswith("/to/there")
        taken = expect(ErrorObservation, await runtime.move(MoveAction("b.txt", "to/there/a.txt")))
        assert "exists already" in taken.content
        expect(MoveObservation, await runtime.move(MoveAction("b.txt", "to/there/a.txt", overwrite=True)))
        assert expect(FileReadObservation, await runtime.read("to/there/a.txt")).content == "b"
        gone = expect(ErrorObservation, await runtime.move(MoveAction("b.txt", "c.txt")))
        assert "not found" in gone.content

    async def test_files_are_seen_and_placed_in_bytes(self, runtime: Runtime, tmp_path: Path) -> None:
        there = expect(CmdOutputObservation, await runtime.run("mkdir -p seen/in && cd seen && pwd")).content.strip()
        source = anyio.Path(tmp_path / "bytes")
        await source.write_bytes(bytes(range(256)))
        await runtime.files.put(tmp_path / "bytes", f"{there}/new/b.bin")
        await runtime.run("ln -s new/b.bin link && chmod 600 new/b.bin")
        listed = {each.name: each.kind for each in await runtime.files.list(there)}
        assert listed == {"in": "dir", "new": "dir", "link": "link"}
        found = await runtime.files.find(f"{there}/link")
        assert (found.kind, found.size) == ("file", 256)
        assert (await runtime.files.find(there)).kind == "dir"
        opened = await runtime.files.open(f"{there}/new/b.bin")
        with opened.content as content:
            assert (opened.size, await to_thread.run_sync(content.read)) == (256, bytes(range(256)))
        with pytest.raises(FileNotFoundError):
            await runtime.files.find(f"{there}/missing")
        with pytest.raises(FileNotFoundError):
            await runtime.files.list(f"{there}/missing")
        with pytest.raises(FileNotFoundError):
            await runtime.files.open(f"{there}/missing")
        for path in (f"{there}/in", f"{there}/new"):
            with pytest.raises(IsADirectoryError):
                await runtime.files.open(path)
        with pytest.raises(NotADirectoryError):
            await runtime.files.list(f"{there}/new/b.bin")
        with pytest.raises((IsADirectoryError, RuntimeFailed)):
            await runtime.files.put(tmp_path / "bytes", f"{there}/in")
        assert (await runtime.files.find(f"{there}/in")).kind == "dir"

    @pytest.mark.parametrize("path", ["missing.txt", "/etc/shadow", "../../etc/shadow", "."])
    async def test_a_file_that_cannot_be_read_is_an_error_that_names_it(self, runtime: Runtime, path: str) -> None:
        error = expect(ErrorObservation, await runtime.read(path))
        assert path.strip("./") in error.content

    async def test_a_picture_is_read_as_a_data_url(self, runtime: Runtime) -> None:
        await runtime.run("printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\0\\0\\0\\0\\0' > p.png")
        assert expect(FileReadObservation, await runtime.read("p.png")).content.startswith(
            "data:image/png;base64,iVBORw0K"
        )
        await runtime.run("cp p.png p.txt")
        expect(ErrorObservation, await runtime.read("p.txt"))

    async def test_edits_change_what_they_say_and_can_be_taken_back(self, runtime: Runtime) -> None:
        made = await runtime.edit(FileEditAction("e.txt", "create", file_text="a\nb\n"))
        assert expect(FileEditObservation, made).prev_exist is False
        changed = expect(
            FileEditObservation, await runtime.edit(FileEditAction("e.txt", "str_replace", old_str="b", new_str="c"))
        )
        assert (changed.old_content, changed.new_content) == ("a\nb\n", "a\nc\n")
        assert "-b\n+c\n" in (changed.diff or "")
        await runtime.edit(FileEditAction("e.txt", "insert", insert_line=1, new_str="between"))
        assert expect(FileReadObservation, await runtime.read("e.txt")).content == "a\nbetween\nc\n"
        await runtime.edit(FileEditAction("e.txt", "undo_edit"))
        view = expect(FileReadObservation, await runtime.edit(FileEditAction("e.txt", "view")))
        assert "     2\tc" in view.content

    async def test_edits_of_a_file_are_remembered_whatever_its_name(self, runtime: Runtime) -> None:
        await runtime.edit(FileEditAction("undone.txt", "create", file_text="a\n"))
        await runtime.edit(FileEditAction("undone.txt", "str_replace", old_str="a", new_str="b"))
        await runtime.edit(FileEditAction("undone.txt", "undo_edit"))
        assert expect(FileReadObservation, await runtime.read("undone.txt")).content == "a\n"

    @pytest.mark.parametrize(("old", "said"), [("zzz", "did not appear verbatim"), ("x", "in lines [1, 2]")])
    async def test_an_edit_that_is_not_clear_changes_nothing(self, runtime: Runtime, old: str, said: str) -> None:
        await runtime.write(FileWriteAction("e.txt", "x\nx\n"))
        refused = await runtime.edit(FileEditAction("e.txt", "str_replace", old_str=old, new_str="y"))
        assert "No replacement was performed" in refused.content
        assert said in refused.content
        assert expect(FileReadObservation, await runtime.read("e.txt")).content == "x\nx\n"

    async def test_files_are_copied_in_and_out(self, runtime: Runtime, tmp_path: Path) -> None:
        source = anyio.Path(tmp_path / "in" / "sub")
        await source.mkdir(parents=True)
        await (source / "b.bin").write_bytes(bytes(range(256)))
        await runtime.copy_to(tmp_path / "in", "got", recursive=True)
        assert expect(CmdOutputObservation, await runtime.run("wc -c < got/in/sub/b.bin")).content.strip() == "256"
        archive = anyio.Path(await runtime.copy_from("got"))
        assert (await archive.read_bytes()).startswith(b"PK")
        await archive.unlink()

    async def test_environment_variables_reach_the_shell_and_python(self, runtime: Runtime) -> None:
        await runtime.add_env_vars({"GREETING": "hello 'you' \"there\" $HOME"})
        shell = expect(CmdOutputObservation, await runtime.run('echo "$GREETING"'))
        assert shell.content == "hello 'you' \"there\" $HOME\n"
        if self.has_python:
            cell = await runtime.run_ipython("import os; print(os.environ['GREETING'])")
            assert "hello 'you' \"there\" $HOME" in cell.content

    async def test_python_keeps_its_variables_and_reports_its_errors(self, runtime: Runtime) -> None:
        if not self.has_python:
            expect(ErrorObservation, await runtime.run_ipython("1"))
            return
        await runtime.run_ipython("x = 41")
        assert expect(IPythonRunCellObservation, await runtime.run_ipython("print('got', x + 1)")).content.startswith(
            "got 42\n"
        )
        assert "ZeroDivisionError" in (await runtime.run_ipython("1/0")).content
        stopped = await runtime.run_ipython("while True: pass", timeout=1)
        assert "time limit" in stopped.content
        assert "41" in (await runtime.run_ipython("x")).content

    async def test_long_output_is_shown_in_part_and_kept_whole(self, runtime: Runtime) -> None:
        done = expect(CmdOutputObservation, await runtime.run("for i in $(seq 20000); do echo line $i of it; done"))
        assert "Previous command outputs are truncated" in done.metadata.prefix
        assert len(done.content) < 40_000
        assert done.content.endswith("line 20000 of it\n")
        where = done.metadata.prefix.partition("is in ")[2].partition(":")[0]
        assert expect(CmdOutputObservation, await runtime.run(f"wc -l < {where}")).content.strip() == "20000"
        if self.has_python:
            cell = await runtime.run_ipython("print('x' * 100_000)")
            assert "characters are left out here. All of it is in /" in cell.content

    async def test_a_cell_reports_the_folder_of_python(self, runtime: Runtime) -> None:
        if self.has_python:
            there = await runtime.run_ipython("import os; os.chdir('/tmp')")
            assert there.content.startswith("[Code executed successfully with no output]\n[Jupyter current working dir")
            assert "[Jupyter current working directory: /tmp]\n[Jupyter Python interpreter: " in there.content
            said = await runtime.run_ipython(r"print('hello\n')")
            assert said.content.startswith("hello\n[Jupyter current working directory: /tmp]\n")

    async def test_python_goes_where_the_shell_goes(self, runtime: Runtime) -> None:
        if not self.has_python:
            return
        await runtime.run("mkdir -p /tmp/there && cd /tmp/there")
        there = await runtime.run_ipython("import os; print(os.getcwd()); os.chdir('/')")
        assert there.content.startswith("/tmp/there\n")
        assert (await runtime.run_ipython("print(os.getcwd())")).content.startswith("/\n")
        await runtime.run("cd /tmp")
        assert "in 1" in (await runtime.run_ipython("print('in', len([os.getcwd()]))\n1/0")).content
        assert (await runtime.run_ipython("print(os.getcwd())")).content.startswith("/tmp\n")

    async def test_other_languages_run_or_say_that_they_do_not(self, runtime: Runtime) -> None:
        for language in self.languages:
            done = expect(
                RunCodeObservation, await runtime.run_code(RunCodeAction(language, "1 + 1"), timeout=PATIENCE)
            )
            assert (done.value, done.exit_code) == ("2", 0)
        assert "klingon" in expect(ErrorObservation, await runtime.run_code(RunCodeAction("klingon", "1"))).content

    async def test_actions_that_need_no_runtime_are_answered(self, runtime: Runtime) -> None:
        expect(AgentThinkObservation, await runtime.execute(AgentThinkAction("hm")))
        expect(NullObservation, await runtime.execute(MessageAction("hi")))
        expect(UserRejectObservation, await runtime.run(CmdRunAction("touch no", confirmation_state="rejected")))
        expect(NullObservation, await runtime.run(CmdRunAction("touch no", confirmation_state="awaiting_confirmation")))
        assert "no" not in await runtime.list_files()

    async def test_without_a_browser_a_page_is_an_error_that_says_so(self, runtime: Runtime) -> None:
        answer = await runtime.execute(BrowseURLAction("http://127.0.0.1:1/"))
        assert "browser" in expect(ErrorObservation, answer).content

    async def test_closing_answers_what_runs_and_what_comes_after(self, runtime: Runtime) -> None:
        answers: list[Observation] = []

        async def run() -> None:
            answers.append(await runtime.run(CmdRunAction("sleep 60", blocking=True), timeout=60))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await anyio.wait_all_tasks_blocked()
                await runtime.close()
                await runtime.close()
        assert len(answers) == 1
        assert "not connected" in expect(ErrorObservation, await runtime.run("echo hi")).content
