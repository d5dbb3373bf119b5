"""Sessions as agents, with the official library for JavaScript as their client."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from cloche.llm import ScriptedLLM
from tests.runtime.a2a.javascript import FOLDER, NODE, install
from tests.server.agents.peers import BINDINGS, begin_session, call
from tests.server.conftest import OWNER, RunningServer, StartServer

CLIENT = Path(__file__).parent / "javascript_client.js"

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(400)]


async def run(server: RunningServer, sid: str, binding: str, *said: str) -> tuple[Sequence[Any], Any]:
    """What a client hears, and the task as it looks at the end."""
    await install(CLIENT)
    card = f"{server.url}/a2a/{sid}/.well-known/agent-card.json"
    with anyio.fail_after(60):
        done = await anyio.run_process(
            [NODE, CLIENT.name, card, OWNER, binding, *said], cwd=FOLDER, check=False, input=b""
        )
    assert done.returncode == 0, done.stderr.decode()
    *heard, last = map(json.loads, done.stdout.decode().splitlines())
    return heard, last["last"]


def list_states(heard: Sequence[Any]) -> list[str]:
    statuses = [each.get("task", each.get("statusUpdate", {})).get("status", {}) for each in heard]
    return [each["state"].removeprefix("TASK_STATE_").lower() for each in statuses if each]


@pytest.mark.parametrize("binding", BINDINGS)
async def test_a_conversation_is_streamed_and_continued(start_server: StartServer, binding: str) -> None:
    script = [call("bash", command="echo hi"), "Which file?", call("finish", message="It was f.")]
    async with start_server(model=ScriptedLLM(script)) as server:
        sid = await begin_session(server)
        heard, last = await run(server, sid, binding, "talk", "look", "f")
    states = list_states(heard)
    assert states == ["submitted", "working", "input_required", "working", "completed"]
    answers = [each["artifactUpdate"]["artifact"] for each in heard if "artifactUpdate" in each]
    assert answers[-1]["parts"][0]["text"] == "It was f."
    assert [artifact["artifactId"] for artifact in last["artifacts"]] == ["steps", "answer"]
    assert [each["parts"][0]["text"] for each in last["history"]] == ["look", "Which file?", "f"]


@pytest.mark.parametrize("binding", BINDINGS)
async def test_an_action_is_streamed_and_cancelled(server: RunningServer, binding: str) -> None:
    sid = await begin_session(server)
    heard, last = await run(server, sid, binding, "cancel", "echo first; sleep 600")
    assert list_states(heard) == ["working", "canceled"]
    assert heard[1]["artifactUpdate"]["artifact"]["parts"][0]["text"] == "first\n"
    assert last["status"]["state"] == "TASK_STATE_CANCELED"
