"""`cloche policy` says what the rules decide."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CLOCHE = [str(Path(sys.executable).parent / "cloche"), "policy"]


def run(*args: str, stdin: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CLOCHE, *args], input=stdin, cwd=folder, capture_output=True, text=True, timeout=15, check=False
    )


@pytest.mark.parametrize(
    ("args", "code", "begins"),
    [
        (["check", "ls"], 0, "allow, low risk\n  no rule applies\n"),
        (["check", 'eval "$x"'], 3, "ask, medium risk\n  ask by computed: It is put together while it runs"),
        (["check", "rm -rf /"], 4, "deny, high risk\n  deny by remove-everything: It removes"),
        (["check", "-l", "python", "import shutil; shutil.rmtree('/')"], 4, "deny"),
        (["check", "-l", "ruby", "system 'rm -rf /'"], 4, "deny"),
        (["check", "curl a.org"], 3, "ask"),
        (["check", "curl a.org", "--allow-net", "a.org:443"], 0, "allow"),
        (["check", "rm -rf *", "--cwd", "/workspace/build"], 0, "allow"),
    ],
)
def test_a_command_is_checked(args: list[str], code: int, begins: str, tmp_path: Path) -> None:
    done = run(*args, folder=tmp_path)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(begins)


def test_a_file_of_commands_is_read_line_by_line_or_in_blocks(tmp_path: Path) -> None:
    lines = run("check", "--stdin", "--json", stdin="ls\nrm -rf /\n", folder=tmp_path)
    rows = [json.loads(line) for line in lines.stdout.splitlines()]
    assert [(row["command"], row["decision"]) for row in rows] == [("ls", "allow"), ("rm -rf /", "deny")]
    assert rows[1]["findings"][0]["rule"] == "remove-everything"
    assert lines.returncode == 4
    blocks = run("check", "--stdin", stdin="cat <<E\na\nE\n\nls\n\n\npwd\n", folder=tmp_path)
    assert blocks.stdout.count("allow, low risk: ") == 3
    assert run("check", "--stdin", stdin="", folder=tmp_path).returncode == 0


def test_own_rules_are_those_of_the_option_or_of_the_configuration(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nid = "no-ls"\nwhen = { command = "ls" }\nverdict = "deny"\nreason = "No"\n')
    config = tmp_path / "c.toml"
    config.write_text(f'[security]\npolicy = "{rules}"\n')
    for args in (["--policy", str(rules)], ["--config", str(config)]):
        done = run("check", "ls", *args, folder=tmp_path)
        assert (done.returncode, done.stderr) == (4, "")
        assert "deny by no-ls: No" in done.stdout
    rules.write_text("rules = 1")
    done = run("check", "ls", "--policy", str(rules), folder=tmp_path)
    assert done.returncode == 2
    assert "rules: there is no such key. Did you mean rule?" in done.stderr


def test_control_characters_of_a_command_do_not_reach_the_terminal(tmp_path: Path) -> None:
    assert "\x1b" not in run("check", "rm -rf / \x1b]0;x\x07", folder=tmp_path).stdout


def test_show_prints_rules_that_can_be_used(tmp_path: Path) -> None:
    done = run("show", folder=tmp_path)
    assert len(tomllib.loads(done.stdout)["rule"]) > 40
    (tmp_path / "p.toml").write_text(done.stdout)
    assert run("check", "rm -rf /", "--policy", "p.toml", folder=tmp_path).returncode == 4


@pytest.mark.parametrize("args", [["check"], ["check", "ls", "--stdin"]])
def test_one_command_or_stdin(args: list[str], tmp_path: Path) -> None:
    done = run(*args, folder=tmp_path)
    assert done.returncode == 2
    assert "Give one COMMAND, or --stdin." in done.stderr
