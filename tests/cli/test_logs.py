"""What commands log, where it goes, and what is never in it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cloche.llm import ToolCall
from cloche.llm.scripted_server import ServerTurn
from tests.cli.commands.test_agent import FINISH, bash, configured
from tests.cli.conftest import Cloche

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("prepared")]

KEY = "sk-0123456789abcdef"
HEADER = "zyxwvutsrqponmlk"
CODE = "k3pt-out-of-logs"
SECRETS = f"""
allow_net = ["api.example"]
[sandbox.secrets]
"api.example" = "Authorization: Bearer {HEADER}"
"""


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_session_is_logged_as_lines_of_json_with_ids_and_without_secrets(cloche: Cloche, tmp_path: Path) -> None:
    turns = [bash(f"echo {CODE} {KEY} $TOKEN; false", CODE), FINISH]
    log = tmp_path / "f.jsonl"
    with configured(tmp_path, turns, SECRETS) as config:
        options = ["--config", config, "--session", "mine", "--debug", "--log-file", str(log)]
        env = {"CLOCHE_LLM__API_KEY": KEY, "CLOCHE_SANDBOX__ENV__TOKEN": CODE}
        done = cloche("agent", "-t", f"say {CODE}", *options, stdin=None, cwd=None, **env)
    assert (done.returncode, CODE in done.stdout) == (0, True)
    assert done.stderr.splitlines() == ["cloche: The session is kept as mine: cloche agent --resume mine"]
    lines = read_lines(log)
    assert {tuple(line) for line in lines} == {
        ("time", "level", "logger", "message", "session", "user", "action", "event", "pid")
    }
    assert not [secret for secret in (KEY, HEADER, CODE) if secret in log.read_text()]
    assert KEY not in done.stdout
    told = {line["message"].split(" after ")[0]: line for line in lines}
    action = told["the action run: run"]
    assert (action["session"], action["level"], action["action"]) == ("mine", "info", action["event"])
    assert action["action"] > 0
    assert told["the agent is finished"]["event"] > action["event"]
    assert {line["session"] for line in lines if line["logger"].startswith(("cloche.session", "cloche.runtime"))} == {
        "mine"
    }
    assert told["the session is closed"]["action"] is None


def test_a_secret_in_an_error_is_masked_in_the_log_too(cloche: Cloche, tmp_path: Path) -> None:
    refusal = ServerTurn(status=401, body=json.dumps({"error": {"message": f"wrong key: {KEY}"}}).encode())
    with configured(tmp_path, [refusal], SECRETS) as config:
        done = cloche("agent", "-v", "-t", "x", "--config", config, CLOCHE_LLM__API_KEY=KEY)
    assert done.returncode == 1
    assert "the agent is error: " in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert " [session=" in done.stderr


@pytest.mark.parametrize(
    ("options", "env", "levels"),
    [
        ([], {}, ["info"]),
        (["-v"], {}, ["info"]),
        (["--debug"], {}, ["debug", "info"]),
        ([], {"CLOCHE_LOG": "info"}, ["info"]),
        (["-v"], {"CLOCHE_LOG": "error"}, ["info"]),
        ([], {"CLOCHE_CORE__DEBUG": "true"}, ["debug", "info"]),
        ([], {"CLOCHE_CORE__DEBUG": "true", "CLOCHE_LOG": "error"}, []),
    ],
    ids=str,
)
def test_options_then_the_environment_then_the_configuration_set_the_level(
    cloche: Cloche, tmp_path: Path, options: list[str], env: dict[str, str], levels: list[str]
) -> None:
    action = '{"action": "run", "args": {"command": "echo hi"}}\n'
    file = tmp_path / "log"
    at = ["--log-file", str(file)]
    done = cloche("exec", "-", *options, *at, "--config", "/dev/null", stdin=action, cwd=None, **env)
    assert done.returncode == 0
    # A file has what an operator wants also if nothing else is said.
    assert sorted({line["level"] for line in read_lines(file)}) == levels
    assert done.stderr == ""


def test_json_may_go_to_stderr(cloche: Cloche) -> None:
    done = cloche("run", "--log-file", "-", "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert {json.loads(line)["level"] for line in done.stderr.splitlines()} == {"info"}


def test_what_cannot_be_logged_to_is_a_usage_error(cloche: Cloche, tmp_path: Path) -> None:
    done = cloche("run", "--log-file", str(tmp_path / "no/file"), "-c", "1")
    assert (done.returncode, "cannot be written: No such file" in done.stderr) == (2, True)
    done = cloche("run", "-c", "1", CLOCHE_LOG="loud")
    assert (done.returncode, "CLOCHE_LOG=loud: there is no such level" in done.stderr) == (2, True)


def test_a_log_that_is_full_costs_the_command_nothing(cloche: Cloche) -> None:
    done = cloche("run", "--debug", "--log-file", "/dev/full", "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert done.stderr == "cloche: the log /dev/full cannot be written: [Errno 28] No space left on device\n"


def test_the_server_of_mcp_logs_whose_sandbox_it_is(program: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    calls = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "run_bash", "arguments": {"command": f"echo {CODE}"}}},
    ]
    arguments = [*program, "mcp", "--log-file", str(log), "--config", "/dev/null"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for call in calls:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **call}) + "\n")
        server.stdin.flush()
        assert next(CODE in line for line in server.stdout if json.loads(line).get("id") == 2)
        server.stdin.close()
        assert server.wait(20) == 0
    assert CODE not in log.read_text()
    told = {line["message"].split(": ", 1)[-1].split(" after ")[0]: line["session"] for line in read_lines(log)}
    assert told["run in bash ok"] == "default"


def test_debug_mode_adds_stack_traces_to_the_observations_of_errors(cloche: Cloche, tmp_path: Path) -> None:
    turns = [ToolCall("1", "bash", '{"command": "echo 1"}'), FINISH]
    (tmp_path / "broken.py").write_text(
        "from cloche.runtime import Runtime\n"
        "class Broken(Runtime):\n"
        "    async def attach(self): ...\n"
        "    async def detach(self): ...\n"
        "    async def perform(self, action, *, timeout, key): return {}[action.kind]\n"
    )
    for options in ([], ["--debug", "--log-file", str(tmp_path / "log")]):
        with configured(tmp_path, turns) as config:
            given = ["--runtime", "broken.Broken", "--json", *options]
            done = cloche("agent", "-t", "x", "--config", config, *given, PYTHONPATH=str(tmp_path))
        events = [json.loads(line) for line in done.stdout.splitlines()]
        (error,) = (each["content"] for each in events if each.get("observation") == "error")
        assert error.startswith("The action `run` failed: KeyError: 'run'")
        assert ("Traceback (most recent call last)" in error, 'broken.py", line 5' in error) == (bool(options),) * 2
    told = [line for line in read_lines(tmp_path / "log") if line["message"] == "the action run failed"]
    assert ["KeyError: 'run'" in line["trace"] for line in told] == [True]
