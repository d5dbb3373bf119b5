"""What changed in files, over HTTP."""

import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio import run_process

from tests.server.conftest import RunningServer, StartServer, open_server, plain_config

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


@pytest.fixture(scope="module")
async def watching(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningServer]:
    """A server that records what each action changes."""
    config = plain_config(tmp_path_factory.mktemp("server"), pool_size=1, track_changes="actions")
    async with open_server(config) as running:
        yield running


async def begin(client: httpx2.AsyncClient) -> str:
    return f"/api/sessions/{(await client.post('/api/sessions', json={})).json()['id']}"


async def run(client: httpx2.AsyncClient, session: str, command: str) -> dict[str, Any]:
    answer = await client.post(f"{session}/actions", json={"action": "run", "args": {"command": command}})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def diff(client: httpx2.AsyncClient, path: str) -> dict[str, Any]:
    answer = await client.get(f"{path}/diff")
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(told: dict[str, Any]) -> dict[str, str]:
    return {each["path"]: each["status"] for each in told["files"]}


async def test_an_action_shows_what_it_has_changed_and_nothing_else(watching: RunningServer) -> None:
    async with watching.client() as client:
        session = await begin(client)
        first = await run(client, session, "printf 'a\\nb\\n' > kept.txt; echo x > gone.txt")
        assert first["cloche"]["changes"] == {"files": 2, "added": 3, "deleted": 0}
        await client.put(f"{session}/files/content", params={"path": "between.bin"}, content=b"\0")
        second = await run(client, session, "sed -i s/b/c/ kept.txt; rm gone.txt")
        assert second["cloche"]["changes"] == {"files": 2, "added": 1, "deleted": 2}
        for event in (second["id"], second["cause"]):
            told = await diff(client, f"{session}/events/{event}")
            assert (names(told), told["complete"]) == ({"gone.txt": "deleted", "kept.txt": "changed"}, True)
            assert "-b\n+c\n" in told["patch"]
        nothing = await run(client, session, "cat kept.txt")
        assert nothing["cloche"]["changes"] == {"files": 0, "added": 0, "deleted": 0}
        assert await diff(client, f"{session}/events/{nothing['id']}") == {"patch": "", "files": [], "complete": True}
        read = await client.post(f"{session}/actions", json={"action": "read", "args": {"path": "kept.txt"}})
        assert "cloche" not in read.json()
        assert (await client.get(f"{session}/events/{read.json()['id']}/diff")).json()["code"] == "not_recorded"
        assert (await client.get(f"{session}/events/99999/diff")).status_code == 404


async def test_what_was_recorded_is_there_after_a_stop_and_in_a_fork(watching: RunningServer) -> None:
    async with watching.client() as client:
        session = await begin(client)
        event = (await run(client, session, "echo 1 > one.txt"))["id"]
        before = await diff(client, f"{session}/events/{event}")
        await client.post(f"{session}/stop")
        assert await diff(client, f"{session}/events/{event}") == before
        fork = f"/api/sessions/{(await client.post(f'{session}/fork', json={})).json()['id']}"
        assert await diff(client, f"{fork}/events/{event}") == before
        await run(client, fork, "echo 2 > two.txt")
        assert names(await diff(client, fork)) == {"one.txt": "added", "two.txt": "added"}
        assert names(await diff(client, session)) == {"one.txt": "added"}
        kept = watching.config.core.store_folder / "files" / "sessions" / session.rpartition("/")[2]
        assert sorted(path.name for path in kept.iterdir()) == ["changes", "diffs"]
        await client.delete(session)
        assert not kept.exists()
        assert names(await diff(client, fork)) == {"one.txt": "added", "two.txt": "added"}


async def test_a_diff_that_is_kept_has_no_secrets(watching: RunningServer) -> None:
    async with watching.client() as client:
        session = await begin(client)
        await run(client, session, "true")
        hosted = await watching.app.manager.find(session.rpartition("/")[2])
        assert hosted.running is not None
        hosted.running.stream.update_secrets({"KEY": "very-secret-value"})
        event = (await run(client, session, "printf 'very-%s-value\\n' secret > key.txt"))["id"]
        told = await diff(client, f"{session}/events/{event}")
        assert (told["complete"], "very-secret-value" in told["patch"]) == (False, False)
        assert told["patch"].startswith("# secrets are masked")


async def test_a_session_shows_what_changed_since_its_beginning_also_after_a_restart(
    shared_client: httpx2.AsyncClient, tmp_path: Path
) -> None:
    session = await begin(shared_client)
    await run(shared_client, session, "mkdir d; echo one > d/a.txt; printf '\\0\\1' > b.bin")
    told = await diff(shared_client, session)
    assert names(told) == {"b.bin": "added", "d/a.txt": "added"}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    await run_process(["git", "-C", str(tmp_path), "apply"], input=told["patch"].encode())
    assert ((tmp_path / "d/a.txt").read_text(), (tmp_path / "b.bin").read_bytes()) == ("one\n", b"\0\1")
    await shared_client.post(f"{session}/stop")
    await run(shared_client, session, "echo two >> d/a.txt; rm b.bin")
    again = await diff(shared_client, session)
    assert (names(again), "+one\n+two\n" in again["patch"]) == ({"d/a.txt": "added"}, True)


async def test_an_edit_shows_its_own_change_where_actions_are_not_watched(
    shared_client: httpx2.AsyncClient, session: str
) -> None:
    await run(shared_client, session, "printf 'a\\nb\\n' > e.txt")
    edit = {"path": "/workspace/e.txt", "command": "str_replace", "old_str": "b", "new_str": "c"}
    done = await shared_client.post(f"{session}/actions", json={"action": "edit", "args": edit})
    told = await diff(shared_client, f"{session}/events/{done.json()['id']}")
    assert told["files"] == [{"path": "e.txt", "status": "changed", "added": 1, "deleted": 1, "left_out": None}]
    assert "-b\n+c\n" in told["patch"]
    plain = (await run(shared_client, session, "echo 1 > f.txt"))["id"]
    refused = await shared_client.get(f"{session}/events/{plain}/diff")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_recorded")


async def test_a_cloned_repository_is_the_beginning(start_server: StartServer, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for command in (
        ["git", "init", "-q", "-b", "main", str(source)],
        ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"],
    ):
        subprocess.run(command, check=True)
    (source / "was.txt").write_text("was\n")
    subprocess.run(["git", "-C", str(source), "add", "."], check=True)
    subprocess.run(
        ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "y"], check=True
    )
    async with start_server(pool_size=0) as server, server.client() as client:
        made = await client.post("/api/sessions", json={"repository": str(source)})
        session = f"/api/sessions/{made.json()['id']}"
        await run(client, session, "cd /workspace/source && echo new > new.txt && echo more >> was.txt")
        assert names(await diff(client, session)) == {"source/new.txt": "added", "source/was.txt": "changed"}


async def test_what_is_not_recorded_is_said_to_be_so(start_server: StartServer) -> None:
    async with start_server(pool_size=0, track_changes="off") as server, server.client() as client:
        session = await begin(client)
        event = (await run(client, session, "echo 1 > a"))["id"]
        for path in (session, f"{session}/events/{event}"):
            answer = await client.get(f"{path}/diff")
            assert (answer.status_code, answer.json()["code"]) == (409, "not_recorded")
            assert "track_changes" in answer.json()["fix"]
