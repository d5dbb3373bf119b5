"""kill -9 at every step of a start and of an iteration, with real processes.

`python -m tests.session.test_killed_sessions 200` kills that many times.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from select import select

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from cloche.config import AppConfig
from cloche.events import Event, EventStream, SQLiteStore, Status, decode_event, is_action, is_observation
from cloche.session import SessionManager, SessionView
from cloche.session.dispatcher import LOST
from cloche.session.hosting.open_actions import gets_answer
from cloche.session.starting.run_note import is_interrupted
from tests.sandbox.test_cleanup import processes, wait_until
from tests.session.killed_session import SETUP, STEPS
from tests.session.test_session_starts import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OF_DELEGATE = 4
"""A step that another agent takes."""
LONGEST = 60.0
"""Seconds that a session may take on a busy machine."""


class Story:
    """One session that is killed again and again, until it is let live."""

    def __init__(self, folder: Path, *, kept: bool) -> None:
        self.folder = folder
        self._kept = ["kept"] if kept else []
        self.told: list[Event] = []
        self.ended = ""
        for name in ("out", "workspace", "t"):
            (folder / name).mkdir()
        make_repository(folder / "project", SETUP)

    def live(self, lines: int | None = None, seconds: float = LONGEST) -> int:
        """Let it live, until it has said so many lines or for so long; returns how many it has said."""
        env = {**os.environ, "TMPDIR": str(self.folder / "t"), "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "tests.session.killed_session", str(self.folder), *self._kept]
        end = time.monotonic() + seconds
        text, more = b"", b"x"
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, start_new_session=True) as process:
            assert process.stdout is not None
            told = process.stdout.fileno()
            while more and text.count(b"\n") != lines and select([told], [], [], max(end - time.monotonic(), 0))[0]:
                more = os.read(told, 1 if lines is not None else 65536)
                text += more
            process.send_signal(signal.SIGKILL)
            process.wait()
            text += process.stdout.read() or b""
        for line in text.decode().split("\n")[:-1]:
            kind, _, rest = line.partition(" ")
            if kind == "event" and (event := decode_event(rest.encode())) not in self.told:
                self.told.append(event)
            self.ended = rest if kind == "end" else self.ended
        return text.count(b"\n")

    def check(self) -> list[Event]:
        """What must hold after any kill; returns the events."""
        events = anyio.run(self._read)
        by_id = {event.id: event for event in events}
        assert list(by_id) == list(range(len(events)))
        assert [event for event in self.told if by_id.get(event.id) != event] == []
        noted = self._read_lines("log")
        assert len(noted) == len(set(noted)), noted
        ready = [each for each in events if isinstance(each.body, Status) and "is in /workspace" in each.body.content]
        if self._kept:
            assert len(ready) <= 1
        answers = [event.cause for event in events if is_observation(event.body) and event.cause is not None]
        assert len(answers) == len(set(answers))
        assert wait_until(lambda: processes(str(self.folder)) == []), processes(str(self.folder))
        assert wait_until(lambda: list((self.folder / "t").iterdir()) == []), list((self.folder / "t").iterdir())
        return events

    def check_end(self) -> None:
        """What must hold when it was let live."""
        events = self.check()
        assert self.ended.strip() == "finished"
        answered = {event.cause for event in events if is_observation(event.body)}
        asked = [event for event in events if is_action(event.body) and event.body.runnable]
        assert [event for event in asked if event.id not in answered] == []
        lost = [event for event in events if LOST in getattr(event.body, "content", "")]
        done = {int(line) for line in self._read_lines("log")}
        # A step is missing only if a kill came between its decision and its end.
        assert len(set(range(STEPS)) - done - {OF_DELEGATE}) <= len(lost) + self.kills

    kills = 0

    def _read_lines(self, name: str) -> list[str]:
        file = self.folder / "out" / name
        return file.read_text().split() if file.exists() else []

    async def _read(self) -> list[Event]:
        async with SQLiteStore(self.folder / "store" / "events.db") as store:
            return [event async for event in EventStream("s", store).get_events()]


@contextmanager
def story(*, kept: bool) -> Generator[Story]:
    with tempfile.TemporaryDirectory(prefix="kill-") as folder:
        yield Story(Path(folder), kept=kept)


def kill_often(told: Story, times: int, chance: random.Random, lines: int, seconds: float) -> None:
    """Kill a session several times, when it has said so many lines or after some time; then let it live."""
    for _ in range(times):
        told.kills += 1
        if chance.random() < 0.5:
            told.live(chance.randrange(1, lines))
        else:
            told.live(seconds=chance.random() * seconds)
        told.check()
    told.live()
    told.check_end()


@pytest.mark.parametrize("kept", [True, False])
def test_a_session_that_is_killed_at_any_step_goes_on_and_does_nothing_twice(kept: bool) -> None:
    with story(kept=kept) as told:
        kill_often(told, 6, random.Random(kept), 60, 2.0)


async def list_views(folder: Path) -> tuple[list[SessionView], list[Event]]:
    """What a server that opens the store tells of the session, and its events."""
    config = AppConfig()
    core = replace(config.core, file_store_path=str(folder))
    async with SessionManager(replace(config, core=core, server=replace(config.server, pool_size=0))) as manager:
        session = await manager.find("s")
        return await manager.list_sessions(), [event async for event in session.stream.get_events()]


async def is_marked(folder: Path) -> bool:
    async with SQLiteStore(folder / "events.db") as store:
        (info,) = await store.sessions({"parent": None})
        return await to_thread.run_sync(is_interrupted, info, folder)


def test_a_killed_session_is_marked_and_a_server_answers_what_it_left_open() -> None:
    with story(kept=False) as told:
        told.live(30)
        store = told.folder / "store"
        assert anyio.run(is_marked, store)
        views, events = anyio.run(list_views, store)
        assert [(view.id, view.state) for view in views if view.id == "s"] == [("s", "stored")]
        answered = {event.cause for event in events if is_observation(event.body)}
        assert [event for event in events if gets_answer(event) and event.id not in answered] == []
        assert not anyio.run(is_marked, store)
        told.live()
        assert told.ended.strip() == "finished"
        assert not anyio.run(is_marked, store)


def main(times: int) -> None:
    """Kill so many times."""
    done = 0
    with story(kept=False) as told:
        began = time.monotonic()
        lines = told.live()
        seconds = time.monotonic() - began
        told.check_end()
    while done < times:
        with story(kept=done % 2 == 0) as told:
            seed = random.randrange(1 << 30)
            count = random.Random(seed).randint(1, 5)
            try:
                kill_often(told, count, random.Random(seed), lines, seconds)
            except AssertionError:
                sys.stdout.write(f"failed: seed {seed}, {told.folder}\n")
                raise
            done += count
            sys.stdout.write(f"{done} kills, {len(told.told)} events were told of\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
