"""Sandboxes for a SandboxAgent of the OpenAI Agents SDK."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from agents import RunConfig, Runner, ToolCallOutputItem, set_tracing_disabled
from agents.sandbox import Manifest, SandboxAgent, SandboxRunConfig
from agents.sandbox.entries import Dir, File
from agents.sandbox.errors import (
    ExecTimeoutError,
    ExecTransportError,
    InvalidManifestPathError,
    WorkspaceArchiveWriteError,
    WorkspaceReadNotFoundError,
)
from agents.sandbox.manifest import Environment
from agents.sandbox.snapshot import LocalSnapshotSpec
from agents.testing import ScriptedModel, assistant_message, function_call

from cloche import ConfigError, Sandbox
from cloche.adapters.openai_agents_sandbox import ClocheSandboxClient
from tests.adapters.page import run_example

MANIFEST = Manifest(
    entries={"notes": Dir(children={"a.txt": File(content=b"one\ntwo\n")})},
    environment=Environment(value={"LEAF": "green"}),
)
PATCH: Any = {
    "type": "custom_tool_call",
    "call_id": "patch",
    "name": "apply_patch",
    "input": "*** Begin Patch\n*** Update File: notes/a.txt\n@@\n-one\n+uno\n two\n*** End Patch",
}


@pytest.fixture(scope="module", autouse=True)
def _no_traces() -> None:
    set_tracing_disabled(True)


async def run_agent(client: ClocheSandboxClient, *calls: Any) -> list[str]:
    """What the tools answer an agent whose model makes these calls, and is done."""
    model = ScriptedModel([*([each] for each in calls), [assistant_message("done")]])
    agent = SandboxAgent("coder", model=model, default_manifest=MANIFEST)
    result = await Runner.run(agent, "Go.", run_config=RunConfig(sandbox=SandboxRunConfig(client=client)))
    assert result.final_output == "done"
    return [str(item.output) for item in result.new_items if isinstance(item, ToolCallOutputItem)]


def test_an_agent_works_in_a_sandbox() -> None:
    async def main() -> list[str]:
        return await run_agent(
            ClocheSandboxClient(),
            function_call("exec_command", {"cmd": "cat notes/a.txt; pwd; echo $LEAF; exit 4"}, call_id="1"),
            PATCH,
            function_call("exec_command", {"cmd": "cat notes/a.txt", "workdir": "/workspace"}, call_id="2"),
            function_call("view_image", {"path": "none.png"}, call_id="3"),
        )

    first, _, patched, missing = asyncio.run(main())
    assert "exited with code 4" in first
    assert "one\ntwo\n/workspace\ngreen\n" in first
    assert "uno\ntwo\n" in patched
    assert "not found" in missing


def test_a_session_goes_on_from_its_snapshot(tmp_path: Path) -> None:
    async def main() -> None:
        client = ClocheSandboxClient(memory_mb=128)
        async with await client.create(manifest=MANIFEST, snapshot=LocalSnapshotSpec(base_path=tmp_path)) as session:
            await session.mkdir("deep/er", parents=True)
            await session.write(Path("deep/er/b.bin"), io.BytesIO(b"\0\xff"))
            assert [entry.path for entry in await session.ls("deep")] == ["/workspace/deep/er"]
            assert await session.running()
            state = client.serialize_session_state(session.state)
        assert not await session.running()
        again = await client.resume(client.deserialize_session_state(json.loads(json.dumps(state))))
        async with again:
            assert (await again.read(Path("deep/er/b.bin"))).read() == b"\0\xff"
            await again.rm("deep", recursive=True)
            with pytest.raises(WorkspaceReadNotFoundError):
                await again.read(Path("deep/er/b.bin"))

    asyncio.run(main())


def test_what_fails_is_an_error_of_the_sdk() -> None:
    async def main() -> None:
        client = ClocheSandboxClient()
        async with await client.create(manifest=MANIFEST) as session:
            with pytest.raises(ExecTimeoutError):
                await session.exec("sleep", "60", timeout=0.3)
            with pytest.raises(InvalidManifestPathError):
                await session.read(Path("/etc/passwd"))
            with pytest.raises(WorkspaceArchiveWriteError):
                await session.write(Path("notes"), io.BytesIO(b""))
            with pytest.raises(ExecTransportError, match="over the limit"):
                await session.exec("x" * 5_000_000)
            assert (await session.exec("echo on")).stdout == b"on\n"
            await client.delete(session)
            with pytest.raises(ExecTransportError, match="this adapter is closed"):
                await session.exec("echo on")

    asyncio.run(main())


def test_sessions_share_a_given_sandbox() -> None:
    async def main() -> None:
        async with Sandbox() as box:
            client = ClocheSandboxClient(box)
            for number in range(2):
                async with await client.create() as session:
                    await session.exec(f"echo {number} >> log")
            assert await box.read("log") == b"0\n1\n"
            with pytest.raises(ConfigError, match="memory_mb"):
                ClocheSandboxClient(box, memory_mb=128)

    asyncio.run(main())


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    call = function_call("exec_command", {"cmd": "ls"}, call_id="1")
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        run_example("openai_agents_sandbox", ScriptedModel([[call], [assistant_message("done")]]))
    assert capsys.readouterr().out == "done\n"
