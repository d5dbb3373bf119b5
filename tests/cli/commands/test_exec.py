"""`cloche exec`, `cloche sessions` and `cloche replay`: actions from the command line, kept and repeated."""

import json
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cloche.paths.user_dirs import data_dir
from cloche.session.starting.session_lock import SessionLock


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prepared: None) -> None:
    """A user without configuration and sessions."""
    monkeypatch.setenv("CLOCHE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLOCHE_SANDBOX__PLUGINS", "jupyter")
    monkeypatch.chdir(tmp_path)


def cloche(program: list[str], *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*program, *args], input=stdin, capture_output=True, text=True, timeout=60, check=False)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def action(kind: str, **args: object) -> str:
    return json.dumps({"action": kind, "args": args}) + "\n"


@contextmanager
def started(program: list[str], *args: str) -> Generator[subprocess.Popen[str]]:
    """The program with its input still open."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*program, *args], stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text)
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


pytestmark = [pytest.mark.usefixtures("environ"), pytest.mark.timeout(120)]


def test_one_event_in_one_event_out(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"action": "run", "args": {"command": "echo hi"}}, indent=2))
    done = cloche(program, "exec", "a.json")
    assert (done.returncode, done.stderr) == (0, "")
    (answer,) = lines(done.stdout)
    assert (answer["observation"], answer["content"], answer["extras"]["metadata"]["exit_code"]) == ("run", "hi\n", 0)


def test_every_line_is_answered_by_one_line_whatever_is_in_it(program: list[str]) -> None:
    given = [
        action("run_ipython", code="x = 41"),
        "{not json\n",
        "[]\n",
        action("run", command=1),
        action("from_the_future"),
        json.dumps({"observation": "null", "content": "", "extras": {}}) + "\n",
        action("run_ipython", code="x + 1"),
    ]
    done = cloche(program, "exec", "-", stdin="".join(given))
    answers = lines(done.stdout)
    kinds = [answer["observation"] for answer in answers]
    assert kinds == ["run_ipython", "error", "error", "error", "error", "error", "run_ipython"]
    assert answers[-1]["content"].startswith("42")
    assert answers[4]["content"].startswith("`from_the_future` is not a known action. Known: run, ")
    assert answers[5]["content"] == "This is no action: its kind is `null`, and only actions are executed."
    assert done.returncode == 1


@pytest.mark.slow
def test_a_session_is_kept_listed_printed_repeated_and_removed(program: list[str]) -> None:
    work = action("write", path="a.txt", content="one\n") + action("run", command="cat a.txt; date +%s%N")
    assert cloche(program, "exec", "-", "--session", "mine", stdin=work).returncode == 0
    (info,) = json.loads(cloche(program, "sessions", "--json").stdout)
    assert (info["sid"], info["events"]) == ("mine", 4)
    assert cloche(program, "sessions", "rename", "mine", "My work").returncode == 0
    assert "My work" in cloche(program, "sessions").stdout
    shown = cloche(program, "replay", "mine")
    assert "Running command: cat a.txt" in shown.stdout
    assert [event["id"] for event in lines(cloche(program, "replay", "mine", "--json", "--after", "1").stdout)] == [
        2,
        3,
    ]
    again = cloche(program, "replay", "mine", "--rerun")
    assert again.returncode == 1
    assert "2 actions executed again, 1 came out differently." in again.stderr
    assert [line.split()[:2] for line in again.stdout.splitlines() if line[:5].strip()] == [
        ["0", "same"],
        ["2", "DIFFERENT"],
    ]
    lock = SessionLock("mine", data_dir()).take()
    refused = cloche(program, "sessions", "rm", "mine")
    assert (refused.returncode, "is already running in the process" in refused.stderr) == (69, True)
    lock.release()
    assert cloche(program, "sessions", "rm", "mine").returncode == 0
    assert cloche(program, "replay", "mine").returncode == 1
    assert not list((data_dir() / "locks").iterdir())


def test_answers_come_while_more_may_follow(program: list[str]) -> None:
    with started(program, "exec", "-") as process:
        for number in range(2):
            send(process, action("run", command=f"echo {number}"))
            assert answer(process)["content"] == f"{number}\n"


@pytest.mark.parametrize("session", [[], ["--session", "mine"]])
def test_ctrl_c_stops_the_action_and_says_how_far_it_came(
    program: list[str], session: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_CORE__WORKSPACE_BASE", str(tmp_path))
    with started(program, "exec", "-", *session) as process:
        send(process, action("run", command="echo so far; touch begun; sleep 60", blocking=True))
        send(process, action("run", command="echo never"))
        wait_for(tmp_path / "begun")
        process.send_signal(signal.SIGINT)
        stopped = answer(process)
        assert (stopped["content"], stopped["extras"]["metadata"]["exit_code"]) == ("so far\n", 130)
        assert process.communicate(timeout=20) == ("", "")
        assert process.returncode == 130


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_between_two_actions_ends_at_once(program: list[str], number: signal.Signals, code: int) -> None:
    with started(program, "exec", "-") as process:
        send(process, action("run", command="echo ready"))
        answer(process)
        process.send_signal(number)
        assert process.wait(20) == code


def test_nobody_who_reads_is_an_exit_code_of_its_own(program: list[str]) -> None:
    with started(program, "exec", "-") as process:
        assert process.stdout is not None
        process.stdout.close()
        send(process, action("run", command="echo ready"))
        assert process.wait(20) == 141


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "The file is empty."),
        ('{"action": "run", "args": {"command": "ls"}}\n' * 2, "it is not JSON"),
        ('{"action": "rum", "args": {"command": "ls"}}', "Did you mean `rm`?"),
        (" " * (16 << 20) + "{}", "larger than 16 MB"),
        (action("edit", path="none.txt", command="str_replace", old_str="a", new_str="b"), "none.txt"),
        (action("edit", path="none.txt", command="view"), "none.txt"),
    ],
)
def test_an_action_that_cannot_be_done_is_one_error_and_an_exit_code(
    program: list[str], tmp_path: Path, given: str, said: str
) -> None:
    (tmp_path / "a.json").write_text(given)
    done = cloche(program, "exec", "a.json")
    (told,) = lines(done.stdout)
    assert said in told["content"]
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.slow
def test_a_line_that_is_too_long_is_one_error_and_the_next_is_read(program: list[str]) -> None:
    done = cloche(program, "exec", "-", stdin='{"a": "' + "x" * (33 << 20) + '"}\n' + action("run", command="echo hi"))
    long, after = lines(done.stdout)
    assert "larger than 16 MB" in long["content"]
    assert after["content"] == "hi\n"


@pytest.mark.slow
def test_a_removed_session_leaves_no_files(program: list[str], tmp_path: Path) -> None:
    actions = [action("run", command="seq 40000 > f"), action("read", path="f")]
    cloche(program, "exec", "-", "--session", "mine", stdin="\n".join(actions))
    assert "the whole content, 228894 bytes, is in " in cloche(program, "replay", "mine").stdout
    again = cloche(program, "replay", "mine", "--rerun")
    assert (again.returncode, again.stderr) == (0, "2 actions executed again, 0 came out differently.\n")
    assert list((tmp_path / "data/files").rglob("*.txt"))
    assert cloche(program, "sessions", "rm", "mine").returncode == 0
    assert not list((tmp_path / "data/files").rglob("*.txt"))


@pytest.mark.slow
def test_what_came_out_differently_is_shown_as_a_patch(program: list[str]) -> None:
    cloche(program, "exec", "-", "--session", "mine", stdin=action("run", command="echo a; date +%s%N; echo b"))
    shown = cloche(program, "replay", "mine", "--rerun").stdout.splitlines()
    assert shown[:3] == [
        "    0 DIFFERENT  Running command: echo a; date +%s%N; echo b",
        "      content, from line 2:",
        "         a",
    ]
    assert [line[8] for line in shown[3:]] == ["-", "+", " "]


@pytest.mark.parametrize(
    ("called", "said", "code"),
    [
        (action("call_tool_mcp", name="shout", arguments={"text": "hi"}), "HI", 0),
        (action("call_tool_mcp", name="fail", arguments={}), '"isError":true', 1),
        (action("call_tool_mcp", name="shot", arguments={}), "There is no tool `shot`. There are: ", 1),
    ],
)
@pytest.mark.slow
def test_tools_of_configured_servers_are_called(
    program: list[str], tmp_path: Path, called: str, said: str, code: int
) -> None:
    example = Path(__file__).parents[2] / "mcp/example.py"
    server = f'{{ name = "x", command = "{sys.executable}", args = ["{example}"] }}'
    (tmp_path / "c.toml").write_text(f"[mcp]\nstdio_servers = [{server}]\n")
    done = cloche(program, "exec", "-", "--config", "c.toml", stdin=called)
    (told,) = lines(done.stdout)
    assert said in told["content"]
    assert done.returncode == code


@pytest.mark.slow
def test_what_cannot_be_kept_is_not_executed_and_the_next_line_is_read(program: list[str], tmp_path: Path) -> None:
    cloche(program, "exec", "-", "--session", "mine", stdin=action("run", command="echo 1"))
    script = f"ulimit -f 40; exec {shlex.join(program)} exec - --session mine"
    given = action("run", command="seq 12000; echo " + "x" * 50_000) * 2
    done = cloche(["bash", "-c", script], stdin=given)
    answers = lines(done.stdout)
    assert [answer["observation"] for answer in answers] == ["error", "error"]
    assert all("could not be written" in answer["content"] for answer in answers)
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.slow
def test_what_was_executed_is_answered_though_it_cannot_be_kept(program: list[str], tmp_path: Path) -> None:
    cloche(program, "exec", "-", "--session", "mine", stdin=action("run", command="echo 1"))
    script = f"ulimit -f 40; exec {shlex.join(program)} exec - --session mine"
    given = action("run", command="seq 9000") + action("run", command="touch second")
    done = cloche(["bash", "-c", script], stdin=given)
    first, second = lines(done.stdout)
    assert first["content"].startswith("1\n2\n")
    assert (first["observation"], first["cause"], "id" in first) == ("run", 2, False)
    assert second["content"].startswith("It was not executed: ")
    assert "Executed, printed and not kept in mine: the observations of actions 2." in done.stderr
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform != "linux", reason="changes the limits of another process")
@pytest.mark.slow
def test_what_found_no_room_is_kept_as_soon_as_there_is_some(program: list[str]) -> None:
    cloche(program, "exec", "-", "--session", "mine", stdin=action("run", command="echo 1"))
    script = f"ulimit -S -f 40; exec {shlex.join(program)} exec - --session mine"
    with started(["bash", "-c", script]) as process:
        send(process, action("run", command="seq 9000"))
        assert "id" not in answer(process)
        _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
        deadline = time.monotonic() + 30
        # No other action comes, and the input is still open.
        while len(kept := lines(cloche(program, "replay", "mine", "--json").stdout)) < 4:
            assert time.monotonic() < deadline, "it was never kept"
        assert (kept[3]["observation"], kept[3]["cause"]) == ("run", 2)
        assert process.communicate(timeout=30)[0] == ""
        assert process.returncode == 0


@pytest.mark.slow
def test_a_server_that_cannot_be_started_is_reported_and_the_rest_works(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[mcp]\nstdio_servers = [{ name = "x", command = "/nowhere/program" }]\n')
    done = cloche(program, "exec", "-", "--config", "c.toml", stdin=action("run", command="echo hi"))
    assert (lines(done.stdout)[0]["content"], done.returncode) == ("hi\n", 0)
    assert done.stderr.startswith("cloche: the MCP server x is not connected: ")


@pytest.mark.slow
def test_a_store_that_cannot_be_used_is_reported_in_one_line(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/events.db").write_text("garbage" * 100)
    for words in (["sessions"], ["sessions", "rm", "x"], ["replay", "x"], ["exec", "-", "--session", "x"]):
        done = cloche(program, *words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (69, "", 1)
        assert done.stderr.startswith("cloche: ")
        assert "events.db is damaged" in done.stderr


@pytest.mark.slow
def test_what_is_wrong_is_reported(program: list[str]) -> None:
    missing = cloche(program, "exec", "nothing.json")
    assert (missing.returncode, "nothing.json" in missing.stderr) == (2, True)
    nobody = cloche(program, "sessions", "rm", "nobody")
    assert (nobody.returncode, nobody.stderr) == (1, "cloche: There is no session 'nobody'. None is kept.\n")
    assert cloche(program, "sessions").stderr.startswith("There are no sessions yet: ")
    badly = cloche(program, "exec", "-", "--session", "../up")
    assert (badly.returncode, "'../up' is no session id" in badly.stderr) == (2, True)
    cloche(program, "exec", "-", "--session", "mine", stdin=action("message", content="\x1b[31mHi\nthere"))
    assert cloche(program, "sessions").stdout.rstrip().endswith("1 event   Hi")
    near = cloche(program, "replay", "mien")
    told = "cloche: There is no session 'mien'. Did you mean 'mine'? Kept: mine.\n"
    assert (near.returncode, near.stdout, near.stderr) == (1, "", told)
