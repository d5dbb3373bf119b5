"""`cloche agent`, with a scripted server in place of a model's."""

import json
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from cloche.llm import ToolCall
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
from tests.cli.conftest import Cloche
from tests.cli.fake_terminal import Terminal
from tests.session.test_session_starts import make_repository

pytestmark = pytest.mark.timeout(60)

FINISH = ToolCall("9", "finish", '{"message": "It is done."}')


def bash(command: str, text: str = "") -> ServerTurn:
    return ServerTurn(text=text, tool_calls=(ToolCall("1", "bash", json.dumps({"command": command})),))


@contextmanager
def configured(folder: Path, turns: Sequence[ServerTurn | ToolCall | str], more: str = "") -> Generator[str]:
    with ScriptedServer(turns) as server:
        file = folder / "c.toml"
        file.write_text(
            f'[core]\nfile_store_path = "{folder}/store"\n[llm]\nmodel = "scripted"\nbase_url = "{server.base_url}"\n'
            f"[sandbox]\nplugins = []\n{more}"
        )
        yield str(file)


def test_a_task_is_shown_step_by_step_and_ends_with_a_patch(cloche: Cloche, tmp_path: Path) -> None:
    with configured(tmp_path, [bash("echo new > f; echo said", "I write it."), FINISH]) as config:
        done = cloche("agent", "-t", "write f", "--config", config, "--diff", "d.patch", cwd=tmp_path)
    assert (done.returncode, "write f" in done.stdout) == (0, True)
    lines = [line.strip() for line in done.stdout.splitlines()]
    shown = ["I write it.", "Running command: echo new > f; echo said", "said", "It is done."]
    assert [line for line in lines if line in shown] == shown
    assert "+new" in (tmp_path / "d.patch").read_text()
    assert "cloche agent --resume" in done.stderr


def test_events_are_lines_of_json_and_a_session_is_resumed(cloche: Cloche, tmp_path: Path) -> None:
    with configured(tmp_path, [FINISH, FINISH]) as config:
        done = cloche("agent", "-t", "-", "--session", "mine", "--json", "--config", config, stdin="the task")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == 0
        assert [each["args"]["content"] for each in events if each.get("action") == "message"] == ["the task"]
        again = cloche("agent", "--resume", "mine", "--json", "--config", config)
    assert again.returncode == 0
    assert json.loads(again.stdout.splitlines()[0])["id"] > events[-1]["id"]


def test_what_the_policy_forbids_is_refused_and_told(cloche: Cloche, tmp_path: Path) -> None:
    more = '[security]\nsecurity_analyzer = "rules"\n'
    with configured(tmp_path, [bash("rm -rf /"), bash("git push --force"), FINISH], more) as config:
        done = cloche("agent", "-t", "x", "--config", config)
    assert done.returncode == 0
    assert "because a rule forbids it" in done.stdout
    assert "the user did not confirm it" in done.stdout


def test_an_agent_that_does_not_finish_is_an_error_with_its_reason(cloche: Cloche, tmp_path: Path) -> None:
    with configured(tmp_path, [bash(f"echo {number}") for number in range(5)]) as config:
        done = cloche("agent", "-t", "x", "--max-iterations", "2", "--config", config)
    assert done.returncode == 1
    assert "limit of 2 steps" in done.stderr


def test_sigint_stops_what_runs(program: list[str], tmp_path: Path) -> None:
    with configured(tmp_path, [bash("echo begun; sleep 60"), FINISH]) as config:
        command = [*program, "agent", "-t", "x", "--config", config]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.strip() == "begun":
                    break
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130


def test_at_a_terminal_the_user_confirms_pauses_and_goes_on(program: list[str], tmp_path: Path) -> None:
    turns = [bash("echo one"), bash("echo two; sleep 2"), FINISH]
    with configured(tmp_path, turns) as config:
        terminal = Terminal([*program, "agent", "-t", "x", "--confirm", "--config", config], cwd=tmp_path)
        try:
            terminal.wait(lambda: terminal.lines[-1:] == ["May it do this? [y/N]"])
            terminal.type("y\r")
            terminal.wait(lambda: "one" in terminal.lines and terminal.lines[-1] == "May it do this? [y/N]")
            terminal.type("y\r")
            terminal.wait(lambda: "two" in terminal.lines)
            terminal.type("\x03")
            terminal.wait(lambda: terminal.lines[-1].startswith("What next?"))
            terminal.type("\r")
            terminal.wait(lambda: any("It is done." in line for line in terminal.lines))
            assert terminal.child.wait(20) == 0
        finally:
            terminal.close()


@contextmanager
def at_terminal(
    program: list[str], folder: Path, turns: Sequence[ServerTurn | ToolCall], more: str = ""
) -> Generator[Terminal]:
    with configured(folder, turns, more) as config:
        terminal = Terminal([*program, "agent", "-t", "x", "--config", config], cwd=folder)
        try:
            yield terminal
        finally:
            terminal.close()


def test_an_answer_is_to_the_question_that_is_asked(program: list[str], tmp_path: Path) -> None:
    more = '[security]\nsecurity_analyzer = "rules"\nconfirmation_timeout = 2\n'
    turns = [bash("sudo echo first"), bash("sleep 2; echo between"), bash("sudo echo second"), FINISH]
    with at_terminal(program, tmp_path, turns, more) as terminal:
        terminal.expect("May it do this?")
        terminal.expect("nobody answered in time")
        # To the first question, which is over.
        terminal.type("y\r")
        terminal.expect("nobody answered in time.\n")
        terminal.wait(lambda: terminal.text.count("May it do this?") == 2)
        terminal.wait(lambda: terminal.text.count("nobody answered in time") == 2)
        assert terminal.end() == 0
        assert "second" not in terminal.lines


def test_ctrl_c_at_a_question_pauses_and_the_second_one_stops(program: list[str], tmp_path: Path) -> None:
    more = '[security]\nsecurity_analyzer = "rules"\n'
    with at_terminal(program, tmp_path, [bash("sudo echo it"), FINISH], more) as terminal:
        terminal.expect("May it do this?")
        terminal.type("\x03")
        terminal.expect("What next?")
        terminal.expect("the user did not confirm it")
        terminal.type("\x03")
        assert terminal.end() == 130


def test_an_agent_in_a_loop_goes_on_from_before_it(program: list[str], tmp_path: Path) -> None:
    with at_terminal(program, tmp_path, [*[bash("echo same")] * 4, FINISH]) as terminal:
        terminal.expect("b goes back to before the loop")
        terminal.type("b\r")
        terminal.expect("It is done.")
        assert terminal.end() == 0


def test_the_user_sees_what_a_delegate_wants_to_do(program: list[str], tmp_path: Path) -> None:
    more = '[security]\nsecurity_analyzer = "rules"\n'
    delegate = ToolCall("2", "delegate", '{"agent": "CodeActAgent", "task": "a part"}')
    turns = [delegate, bash("echo live; sudo echo below"), FINISH, FINISH]
    with at_terminal(program, tmp_path, turns, more) as terminal:
        terminal.expect("May it do this?")
        assert "Running command: echo live; sudo echo below" in terminal.text
        terminal.type("y\r")
        assert terminal.end() == 0
        assert terminal.lines.count("below") == 1


def test_ctrl_c_ends_the_start(program: list[str], tmp_path: Path) -> None:
    place = make_repository(tmp_path / "project", "sleep 60")
    with configured(tmp_path, [FINISH]) as config:
        command = [*program, "agent", "--debug", "-t", "x", "--repository", str(place), "--config", config]
        terminal = Terminal(command, cwd=tmp_path)
        try:
            terminal.wait(lambda: terminal.text.count("starting the session: setup script") == 2)
            terminal.type("\x03")
            assert terminal.end() == 130
        finally:
            terminal.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json"], "--json needs a task"),
        ([], "there is no task: add -t TEXT"),
        (["--resume", "nobody"], "there is no session nobody"),
        (["--resume", "a", "--session", "b"], "give one of them"),
        (["-t", "x", "--agent", "nobody"], "the agent 'nobody' is not known: known are CodeActAgent"),
    ],
)
def test_wrong_calls_are_usage_errors(cloche: Cloche, tmp_path: Path, arguments: list[str], message: str) -> None:
    with configured(tmp_path, []) as config:
        done = cloche("agent", *arguments, "--config", config)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert "The session is kept" not in done.stderr


def test_without_a_model_the_agent_says_how_to_name_one(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(f'[core]\nfile_store_path = "{tmp_path}/store"\n[sandbox]\nplugins = []\n')
    done = cloche("agent", "-t", "x", "--config", str(tmp_path / "c.toml"))
    assert done.returncode == 1
    assert 'add `[llm] model = "..."` to config.toml' in done.stderr
