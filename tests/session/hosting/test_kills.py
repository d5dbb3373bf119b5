"""A server that is killed while its sessions work, again and again."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from anyio import to_thread

from cloche.events import CmdRunAction, is_observation
from cloche.session import HostedSession
from tests.sandbox.test_cleanup import processes, wait_until
from tests.session.hosting.conftest import list_events, managing, run, say

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="only on Linux"),
    pytest.mark.timeout(900),
]

SESSIONS = 4
TURNS = 10_000
"""The actions of one server at most: their numbers, which are their keys, go on from there in the next one."""


@contextmanager
def serving(data: Path, temp: Path, begin: int) -> Generator["subprocess.Popen[str]"]:
    argv = [sys.executable, "-m", "tests.session.hosting.serving", str(data), str(SESSIONS), str(begin)]
    env = {**os.environ, "TMPDIR": str(temp)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def kill_in_work(data: Path, temp: Path, begin: int, after: int) -> list[dict[str, object]]:
    """What a server has acknowledged until it was killed, after so many lines."""
    with serving(data, temp, begin) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(after)]
        os.kill(process.pid, signal.SIGKILL)
        # A line that was cut off by the kill was not said.
        said += process.stdout.read().split("\n")[:-1]
    return [json.loads(line) for line in said]


async def check(session: HostedSession, told: list[dict[str, object]]) -> None:
    """What was acknowledged is there, each action has one observation, and no key was used twice."""
    events = await list_events(session)
    assert [event.id for event in events] == list(range(len(events)))
    assert {each["id"] for each in told} <= {event.id for event in events}
    sent = [event for event in events if isinstance(event.body, CmdRunAction)]
    answered = Counter(event.cause for event in events if is_observation(event.body) and event.cause is not None)
    assert answered == Counter(event.id for event in sent)
    keys = Counter((event.cloche or {}).get("key") for event in sent)
    assert set(keys.values()) <= {1}
    assert {each["key"] for each in told} <= set(keys)


@pytest.mark.parametrize("kills", [pytest.param(2, id="2"), pytest.param(25, marks=pytest.mark.slow, id="25")])
async def test_what_was_acknowledged_is_there_and_everything_has_one_answer(prepared: object, kills: int) -> None:
    told: list[dict[str, object]] = []
    with TemporaryDirectory(prefix="servers-") as folder:
        data, temp = Path(folder, "data"), Path(folder, "temp")
        temp.mkdir()
        for kill in range(kills):
            after = 12 + kill * 17 % 60
            told += await to_thread.run_sync(kill_in_work, data, temp, kill * TURNS, after)
            assert await to_thread.run_sync(wait_until, lambda: not processes(str(temp)), 20)
            assert await to_thread.run_sync(wait_until, lambda: not list(temp.iterdir()), 20)
            async with managing(data) as manager:
                views = await manager.list_sessions()
                assert len(views) == SESSIONS
                for view in views:
                    await check(await manager.find(view.id), [each for each in told if each["sid"] == view.id])
                assert manager.count_running() == 0
        async with managing(data) as manager:
            for view in await manager.list_sessions():
                # What was done was done once, also what was sent twice.
                lines = (await say(await manager.find(view.id), run("cat f"))).split()
                assert len(lines) == len(set(lines))
        assert len(list((data / "workspaces").iterdir())) == SESSIONS
