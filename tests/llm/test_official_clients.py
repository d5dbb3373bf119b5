"""The official clients of OpenAI and Anthropic understand the scripted server."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cloche.llm import ToolCall, Usage
from cloche.llm.scripted_server import ScriptedServer, ServerTurn
from tests.framework_python import INSTALL_TIMEOUT

SCRIPT = Path(__file__).with_name("official_clients.py")

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(INSTALL_TIMEOUT)]


def test_the_official_clients_read_what_the_script_says(framework_python: Path) -> None:
    call = ToolCall("call_1", "bash", '{"command": "ls -la"}')
    answer = ServerTurn(text="I look around.", tool_calls=(call,), usage=Usage(12, 5, 4))
    busy = ServerTurn(status=429, error="slow down", headers={"retry-after": "3"})
    with ScriptedServer([answer, answer, busy] * 2, key="k") as server:
        argv = [str(framework_python), str(SCRIPT), server.origin]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")

    def said(reason: str) -> list[Any]:
        return ["I look around.", [["call_1", "bash", {"command": "ls -la"}]], reason, [12, 5, 4]]

    failed: list[Any] = ["RateLimitError", 429, True, "3"]
    assert json.loads(done.stdout) == {
        "openai": [said("tool_calls"), said("tool_calls"), failed, "scripted"],
        "anthropic": [said("tool_use"), said("tool_use"), failed, "scripted"],
    }
