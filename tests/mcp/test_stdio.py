"""The server over stdin and stdout."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client

from cloche.sandbox.cache import snapshots
from tests.cli.test_network_options import TOKEN, Site, place
from tests.mcp.peers import MODES, PROGRAM, environment, stdio_server

__all__ = ["place"]
pytestmark = pytest.mark.timeout(120)


def line(**message: object) -> str:
    return json.dumps({"jsonrpc": "2.0", **message}) + "\n"


@contextmanager
def served(asked: str) -> Generator["subprocess.Popen[str]"]:
    """A server that was sent these lines, its input still open."""
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", PROGRAM, "mcp"]
    with subprocess.Popen(argv, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(asked)
            process.stdin.flush()
            yield process
        finally:
            process.kill()


HELLO = line(
    id=1,
    method="initialize",
    params={"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
) + line(method="notifications/initialized")


@pytest.mark.slow
def test_it_answers_line_by_line_and_ends_with_its_input(prepared: object) -> None:
    asked = HELLO + "this is not JSON\n" + line(id=2, method="tools/call", params={"name": "run_python"})
    asked += line(id=3, method="nonsense/method") + line(id=4, method=5) + "[1]\n"
    answers: dict[object, dict[str, object]] = {}
    codes: list[int] = []
    with served(asked) as process:
        assert process.stdout is not None
        while not {1, 2, 3, 4} <= answers.keys() or len(codes) < 2:
            answer = json.loads(process.stdout.readline())
            if answer.get("id") is None:
                codes.append(answer["error"]["code"])
            else:
                answers[answer["id"]] = answer
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert "Traceback" not in said, said
    assert answers[1]["result"]["protocolVersion"] == "2025-03-26"  # type: ignore[index]
    assert "`code` is missing" in json.dumps(answers[2])
    assert "error" in answers[3]
    assert "`method` (a text)" in json.dumps(answers[4])
    assert codes == [-32700, -32600]


@pytest.mark.slow
async def test_two_clients_have_two_sandboxes(prepared: object) -> None:
    async with Client(stdio_server(), mode=MODES[0]) as one, Client(stdio_server(), mode=MODES[1]) as two:
        with anyio.fail_after(60):
            await one.call_tool("run_python", {"code": "x = 1"})
            other = await two.call_tool("run_python", {"code": "x"})
            assert "NameError" in str(other.content)


@pytest.mark.slow
async def test_the_list_of_tools_takes_little_of_a_models_attention(prepared: object) -> None:
    async with Client(stdio_server()) as client:
        with anyio.fail_after(60):
            tools = (await client.list_tools()).tools
    listed = [{"name": tool.name, "description": tool.description, "parameters": tool.input_schema} for tool in tools]
    # About four characters to a token.
    assert len(json.dumps(listed)) < 6000


@pytest.mark.parametrize("option", ["", "--failures-as-errors"])
@pytest.mark.slow
async def test_code_that_fails_is_an_error_of_its_tool_only_if_that_is_asked_for(prepared: object, option: str) -> None:
    options = [option] if option else []
    async with Client(stdio_server(*options)) as client:
        with anyio.fail_after(60):
            failed = await client.call_tool("run_bash", {"command": "grep needle /dev/null"})
            raised = await client.call_tool("run_python", {"code": "1/0"})
            refused = await client.call_tool("run_python", {})
    assert [failed.is_error, raised.is_error, refused.is_error] == [bool(option), bool(option), True]
    assert "[exit code 1]" in str(failed.content)


@pytest.mark.parametrize("way", ["variable", "configuration"])
@pytest.mark.slow
async def test_a_secret_is_added_to_requests_and_not_shown(prepared: object, place: str, way: str) -> None:
    secret, env = (), {"CLOCHE_SANDBOX__SECRETS": f'{{ "{place}" = "Authorization: Bearer {TOKEN}" }}'}
    if way == "variable":
        secret, env = ("--secret", f"{place}=Authorization: Bearer $MY_TOKEN"), {"MY_TOKEN": TOKEN}
    async with Client(stdio_server("--allow-net", place, *secret, **env)) as client:
        with anyio.fail_after(60):
            said = await client.call_tool("run_bash", {"command": f"curl -s http://{place}/; env"})
    assert Site.keys == [f"Bearer {TOKEN}"]
    assert "hello" in str(said.content)
    assert TOKEN not in str(said.content)


def test_a_sandbox_can_be_started_before_the_library_is_imported() -> None:
    code = "import sys, cloche.mcp.serving\nprint([name for name in sys.argv[1:] if name in sys.modules])"
    heavy = ["mcp", "mcp_types", "pydantic", "starlette", "uvicorn", "httpx2"]
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_its_input_is_open(prepared: object, number: signal.Signals) -> None:
    with served(HELLO) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(10) == -number


@pytest.mark.slow
def test_a_client_that_leaves_does_not_wait_for_the_first_build(own_cache: Path) -> None:
    shutil.rmtree(snapshots.snapshot_dir())
    with served(HELLO) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        _, said = process.communicate(timeout=30)
        assert (process.returncode, said) == (0, "")
    assert snapshots.find_prepared() is None
    assert not list((own_cache / "snapshots").glob(".tmp-*"))
