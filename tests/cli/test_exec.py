"""`cloche exec`, `cloche sessions` and `cloche replay`: actions from the command line, kept and repeated."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


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
    assert done.returncode == 1


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
    assert cloche(program, "sessions", "rm", "mine").returncode == 0
    assert cloche(program, "replay", "mine").returncode == 1


def test_what_is_wrong_is_told(program: list[str]) -> None:
    missing = cloche(program, "exec", "nothing.json")
    assert (missing.returncode, "nothing.json" in missing.stderr) == (2, True)
    nobody = cloche(program, "sessions", "rm", "nobody")
    assert (nobody.returncode, "There is no session 'nobody'" in nobody.stderr) == (1, True)
    assert "There are no sessions yet." in cloche(program, "sessions").stderr
