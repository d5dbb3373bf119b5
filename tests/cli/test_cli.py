"""The command line as a whole: help, versions, completion, what is imported."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cloche.cli import COMMANDS, cli
from cloche.sandbox.languages import languages
from tests.cli.conftest import Cloche

HEAVY = ("anyio", "asyncio", "msgspec", "rich", "deno", "cloche.sandbox", "importlib.metadata")


def imported(*args: str) -> set[str]:
    code = f"import sys\nfrom cloche.cli import main\nsys.argv = {['cloche', *args]!r}\n"
    code += "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=False)
    return set(done.stderr.split())


def test_help_names_every_command_and_the_exit_codes(cloche: Cloche) -> None:
    done = cloche("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert command in done.stdout
    for code in ("0", "1", "2", "69", "124", "130", "137"):
        assert f" {code}  " in done.stdout


@pytest.mark.parametrize("args", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    names = imported(*args)
    allowed = {"importlib.metadata"} if args == ["--version"] else set[str]()
    assert [name for name in HEAVY if name in names and name not in allowed] == []


def test_running_code_imports_no_progress_bar(prepared: None) -> None:
    names = imported("run", "-c", "1")
    assert [name for name in names if name.split(".")[0] in ("rich", "fastapi", "mcp", "http")] == []


@pytest.mark.parametrize("words", [["config"], ["sessions"], ["exec", "a.json"]], ids=lambda words: words[0])
def test_sessions_import_no_server_and_no_mcp(
    words: list[str], prepared: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text('{"action": "run", "args": {"command": "echo"}}')
    monkeypatch.setenv("CLOCHE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    names = imported(*words)
    assert [name for name in names if name.split(".")[0] in ("mcp", "starlette", "uvicorn", "pydantic", "rich")] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cloche: Cloche, command: str) -> None:
    done = cloche(command, "-h")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: cloche {command}")


@pytest.mark.parametrize(
    ("command", "timeout", "installs"),
    [("run", "30", "no"), ("bash", "30; none in a shell", "no"), ("repl", "none", "yes")],
)
def test_help_shows_the_defaults_that_hold(cloche: Cloche, command: str, timeout: str, installs: str) -> None:
    told = " ".join(cloche(command, "-h").stdout.split())
    assert f"Stop the code after this many seconds; 0 for no limit. [default: ({timeout})]" in told
    assert f"Install missing imports. [default: ({installs})]" in told


@pytest.mark.parametrize("words", [["run"], ["cache", "verify"], ["sessions", "rm"], ["mcp"]], ids=" ".join)
def test_logs_can_be_asked_for_after_every_command(cloche: Cloche, words: list[str]) -> None:
    assert cloche(*words, "-v", "-h").returncode == 0
    assert "-v, --verbose" in cloche(*words, "-h").stdout
    assert cloche("-v", *words, "-h").returncode == 0


def test_every_help_has_an_example() -> None:
    root = click.Context(cli, info_name="cloche")
    found = [(name, cli.get_command(root, name)) for name in COMMANDS]
    nested = [
        (f"{name} {each.name}", each)
        for name, command in found
        if isinstance(command, click.Group)
        for each in command.commands.values()
    ]
    bare = [name for name, command in (*found, *nested) if f"cloche {name}" not in ((command and command.help) or "")]
    assert bare == []


def test_the_version_is_shown(cloche: Cloche) -> None:
    done = cloche("--version")
    assert done.stdout.startswith("cloche 0.")


def test_a_wrong_command_gets_a_hint(cloche: Cloche) -> None:
    done = cloche("rnu")
    assert done.returncode == 2
    assert "Did you mean 'run'?" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_script(cloche: Cloche, shell: str) -> None:
    done = cloche("completion", shell)
    assert done.returncode == 0
    assert "_CLOCHE_COMPLETE" in done.stdout


def test_completion_knows_commands_and_languages(cloche: Cloche) -> None:
    commands = cloche(_CLOCHE_COMPLETE="bash_complete", COMP_WORDS="cloche ", COMP_CWORD="1").stdout
    assert {line.removeprefix("plain,") for line in commands.splitlines()} == set(COMMANDS)
    names = cloche(_CLOCHE_COMPLETE="bash_complete", COMP_WORDS="cloche run -l p", COMP_CWORD="3").stdout
    assert names == "plain,python\nplain,php\nplain,perl\n"


def test_languages_are_listed(cloche: Cloche) -> None:
    names = [line.split()[0] for line in cloche("languages").stdout.splitlines()[1:]]
    assert names[:3] == ["python", "bash", "javascript"]
    assert len(names) == 11
    assert "33.0 MB" in cloche("languages").stdout
    rows = json.loads(cloche("languages", "--json").stdout)
    assert [row["name"] for row in rows] == names
    assert rows[0]["version"] == languages()["python"].version
