"""`cloche run`, `bash`, `repl`, `exec` and `agent` at a server, with the same exit codes."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from cloche.llm import ToolCall
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
from tests.cli.conftest import Cloche
from tests.remote.served import TOKEN, Served, serving

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(scope="module")
def server(prepared: object, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server in a process of its own."""
    with serving(tmp_path_factory.mktemp("server")) as served:
        yield served


@pytest.fixture
def env(server: Served) -> dict[str, Any]:
    """What names the server in the environment."""
    return {"CLOCHE_REMOTE__URL": server.url, "CLOCHE_REMOTE__TOKEN": TOKEN}


@pytest.fixture
def there(env: dict[str, Any]) -> dict[str, Any]:
    """The same, and that everything runs there."""
    return {**env, "CLOCHE_CORE__RUNTIME": "remote"}


@pytest.mark.parametrize(
    ("args", "code", "out", "err"),
    [
        (("run", "-c", "print('hi'); 6 * 7"), 0, "hi\n42\n", ""),
        (("run", "-c", "1/0"), 1, "", "ZeroDivisionError"),
        (("run", "-c", "import sys; sys.exit(5)"), 5, "", ""),
        (("run", "-t", "0.5", "-c", "while True: pass"), 124, "", "stopped after 0.5 s (--timeout)"),
        (("run", "-c", "x = bytearray(1 << 30)"), 137, "", "MemoryError"),
        (("run", "-l", "ruby", "-c", "puts ARGV.inspect", "a b"), 0, '["a b"]\n', ""),
        (("bash", "-c", "echo $1; exit 7", "one"), 7, "one\n", ""),
        (("run", "-e", "NAME=Ada", "-c", "import os; print(os.environ['NAME'])"), 0, "Ada\n", ""),
        (("run", "-w", ".", "-c", "1"), 2, "", "workspace= is not possible at a server"),
        (("run", "-m", ".", "-c", "1"), 2, "", "mounts= is not possible at a server"),
        (("run", "--confinement", "none", "-c", "1"), 2, "", "confinement= is not possible at a server"),
        (("run", "--memory", "4096", "-c", "1"), 2, "", "memory_mb=4096 is more than this server gives"),
        (("run", "--runtime", "pyodide", "-w", ".", "-c", "print('here')"), 0, "here\n", ""),
    ],
)
def test_commands_do_the_same_at_a_server(
    cloche: Cloche, there: dict[str, Any], tmp_path: Path, args: tuple[str, ...], code: int, out: str, err: str
) -> None:
    done = cloche(*args, cwd=tmp_path, **there)
    assert (done.returncode, done.stdout) == (code, out), done.stderr
    assert err in done.stderr
    assert err or not done.stderr


def test_input_json_and_patches_are_as_here(cloche: Cloche, env: dict[str, Any], tmp_path: Path) -> None:
    remote = ("--runtime", "remote")
    asked = cloche("run", *remote, "-c", "print(input('who? '))", stdin="Ada\n", **env)
    assert asked.stdout == "who? Ada\n"
    assert cloche("bash", *remote, "-c", "wc -w", stdin="a b c", **env).stdout.strip() == "3"
    found = json.loads(cloche("run", *remote, "--json", "-c", "print(1)\n2", **env).stdout)
    assert (found["ok"], found["stdout"], found["value"]) == (True, "1\n", "2")
    (tmp_path / "made.py").write_text("import sys; open('f', 'w').write(sys.argv[1] + '\\n')")
    done = cloche("run", *remote, "--diff", "p.patch", "made.py", "new", cwd=tmp_path, **env)
    assert done.returncode == 0, done.stderr
    assert "+new" in (tmp_path / "p.patch").read_text()
    assert cloche("repl", *remote, stdin="x = 20\nx + 1\n", **env).stdout == "21\n"


def test_the_configuration_says_where_code_runs(cloche: Cloche, server: Served, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        f'[core]\nruntime = "remote"\n[remote]\nurl = "{server.url}"\ntoken_env = "MY_TOKEN"\nkeep = true\n'
    )
    done = cloche("run", "-c", "print(6 * 7)", CLOCHE_CONFIG=str(file), MY_TOKEN=TOKEN)
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
    with httpx2.Client(base_url=server.url, headers={"authorization": f"Bearer {TOKEN}"}) as api:
        found = api.get("/api/sessions").json()["sessions"]
        (kept,) = (each for each in found if each["title"] == "python: print(6 * 7)")
        api.delete(f"/api/sessions/{kept['id']}")
    file.write_text('[core]\nruntime = "remote"\n')
    done = cloche("run", "-c", "1", CLOCHE_CONFIG=str(file))
    assert (done.returncode, "[remote] url is not set" in done.stderr) == (2, True)


def test_a_configuration_that_does_not_say_so_is_not_read(cloche: Cloche, prepared: object, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("this is not TOML")
    done = cloche("run", "-c", "print(1)", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_a_server_that_cannot_be_used_is_unavailable(cloche: Cloche, env: dict[str, Any]) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({**env, "CLOCHE_REMOTE__TOKEN": "wrong"}, "does not accept the token"),
        ({**env, "CLOCHE_REMOTE__URL": "http://127.0.0.1:9"}, "could not be reached"),
    ]
    for given, said in wrong:
        for command in (("run", "--runtime", "remote", "-c", "1"), ("exec", "--runtime", "remote", "-")):
            done = cloche(*command, stdin="", CLOCHE_SANDBOX__CONNECT_TIMEOUT="1", **given)
            assert (done.returncode, done.stdout) == (69, ""), command
            assert said in done.stderr
            assert "Traceback" not in done.stderr


def test_ctrl_c_stops_the_code_there(program: list[str], there: dict[str, Any]) -> None:
    command = [*program, "run", "-c", "print('on', flush=True)\nwhile True: pass"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env={**os.environ, **there}, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "on\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert err.endswith("KeyboardInterrupt\n")


def test_actions_are_executed_there_and_share_a_session(cloche: Cloche, env: dict[str, Any]) -> None:
    lines = [
        {"action": "run", "args": {"command": "cd /tmp; X=1"}},
        {"action": "run_ipython", "args": {"code": "6 * 7"}},
        {"action": "run", "args": {"command": "pwd; echo $X; exit 3"}},
    ]
    done = cloche("exec", "--runtime", "remote", "-", stdin="\n".join(map(json.dumps, lines)), **env)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1, done.stderr
    assert [each["observation"] for each in answers] == ["run", "run_ipython", "run"]
    assert answers[1]["content"].startswith("42")
    assert answers[2]["content"] == "/tmp\n1\n"


def test_an_agent_works_there(cloche: Cloche, env: dict[str, Any], tmp_path: Path) -> None:
    turns = [
        ServerTurn(tool_calls=(ToolCall("1", "bash", '{"command": "echo new > f; hostname"}'),)),
        ToolCall("2", "finish", '{"message": "It is done."}'),
    ]
    with ScriptedServer(turns) as model:
        config = tmp_path / "c.toml"
        config.write_text(
            f'[core]\nfile_store_path = "{tmp_path}/store"\n[llm]\nmodel = "scripted"\nbase_url = "{model.base_url}"\n'
            "[sandbox]\nplugins = []\n"
        )
        command = ("agent", "-t", "write f", "--runtime", "remote", "--config", str(config), "--diff", "d.patch")
        done = cloche(*command, cwd=tmp_path, **env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "It is done." in done.stdout
    assert "+new" in (tmp_path / "d.patch").read_text()
    refused = cloche(
        "agent", "-t", "x", "--runtime", "remote", "--workspace", str(tmp_path), "--config", os.devnull, **env
    )
    assert refused.returncode in (2, 69)
    assert "/workspace" in refused.stderr
