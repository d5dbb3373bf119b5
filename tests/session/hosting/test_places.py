"""How many sessions run: the limits, and who makes room."""

from pathlib import Path

import anyio
import pytest

from cloche.config import AppConfig
from cloche.config.sections import ServerConfig
from cloche.errors import SessionLimit
from cloche.events import Status
from cloche.limits import POOL_LEAST
from cloche.session import NewSession
from cloche.session.hosting import places
from cloche.session.hosting.places import Places, default_places
from tests.session.hosting.conftest import Listener, list_events, managing, run, say, until

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


class Running:
    """A session that says how idle it is."""

    def __init__(self, sid: str, owner: str, idle: float | None, places: Places) -> None:
        self.sid = sid
        self.owner = owner
        self.seconds = idle
        self.stopped = False
        self._places = places

    def measure_idle(self) -> float | None:
        return self.seconds

    async def stop(self) -> None:
        self.stopped = True
        await anyio.lowlevel.checkpoint()
        self._places.give_back(self.sid)


async def take(places: Places, sid: str, owner: str = "ann", idle: float | None = None) -> Running:
    session = Running(sid, owner, idle, places)
    await places.take(session)
    return session


async def test_who_was_idle_longest_makes_room() -> None:
    few = Places(3, 9)
    one, two, three = [await take(few, name, idle=idle) for name, idle in (("a", 5.0), ("b", 7.0), ("c", None))]
    await take(few, "d")
    assert [each.stopped for each in (one, two, three)] == [False, True, False]
    assert len(few) == 3


async def test_a_user_makes_room_for_their_own_sessions_only() -> None:
    few = Places(9, 2)
    other = await take(few, "x", "bob", idle=99.0)
    busy, idle = await take(few, "a"), await take(few, "b", idle=1.0)
    await take(few, "c")
    assert [each.stopped for each in (other, busy, idle)] == [False, False, True]
    few.check("bob")
    with pytest.raises(SessionLimit, match=r"2 sessions of one user run already.*max_sessions_per_user"):
        few.check("ann")
    with pytest.raises(SessionLimit, match="one user"):
        await take(few, "d")


async def test_without_anybody_to_close_there_is_no_place() -> None:
    few = Places(1, 9)
    only = await take(few, "a")
    with pytest.raises(SessionLimit, match=r"1 sessions of this server run already.*\[server\] max_running"):
        await take(few, "b", "bob")
    only.seconds = 0.5
    few.check("bob")
    few.give_back("nobody")
    await take(few, "b", "bob")
    assert only.stopped


async def test_those_who_come_at_once_get_one_place_each() -> None:
    few = Places(3, 9)
    for number in range(3):
        await take(few, f"old{number}", idle=float(number))
    failed: list[str] = []

    async def enter(name: str) -> None:
        try:
            await take(few, name)
        except SessionLimit:
            failed.append(name)

    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(enter, f"new{number}")
    assert len(few) == 3
    assert len(failed) == 2


def test_the_memory_says_how_many_run_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_places(AppConfig(server=ServerConfig(max_running=3))) == 3
    monkeypatch.setattr(places, "CGROUP", tmp_path / "memory.max")
    alone = default_places(AppConfig())
    assert alone >= POOL_LEAST
    (tmp_path / "memory.max").write_text("max\n")
    assert default_places(AppConfig()) == alone
    (tmp_path / "memory.max").write_text(f"{8 * 2**30}\n")
    assert default_places(AppConfig()) == min(alone, 32)
    (tmp_path / "memory.max").write_text(f"{2**20}\n")
    assert default_places(AppConfig()) == POOL_LEAST


async def test_the_longest_idle_session_gives_its_place_to_a_new_one(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"max_running": 2}) as manager:
        first = await manager.create("ann", NewSession())
        await say(first, run("echo first > f"))
        second = await manager.create("bob", NewSession())
        await second.start()
        second.attach(Listener())
        third = await manager.create("ann", NewSession())
        assert await say(third, run("echo third")) == "third"
        assert (first.state, manager.count_running()) == ("stored", 2)
        # It takes the place of the one that is idle; the other one is watched.
        assert await say(first, run("cat f")) == "first"
        assert third.state == "stored"
        sent = await first.act(run("sleep 60", timeout=100), wait=False)
        await until(lambda: first.is_busy)
        with pytest.raises(SessionLimit):
            await manager.create("carl", NewSession())
        with pytest.raises(SessionLimit):
            await third.act(run("ls"))
        assert len(await manager.list_sessions()) == 3
        assert not [event for event in await list_events(third) if event.message == "Running command: ls"]
        assert await first.interrupt()
        assert sent.id is not None


async def test_a_start_in_the_background_that_finds_no_place_says_so(tmp_path: Path) -> None:
    async with managing(tmp_path, server={"max_running": 1}) as manager:
        first = await manager.create("ann", NewSession())
        await first.start()
        heard = Listener()
        first.attach(heard)
        store = first.stream.store
        await store.create("waiting", {"owner": "ann"})
        waiting = await manager.find("waiting")
        waiting.attach(heard)
        waiting.start_soon()
        await heard.until(lambda: any("as many as may" in text for text in heard.statuses))

        async def is_stored() -> bool:
            return any(isinstance(event.body, Status) for event in await list_events(waiting))

        await until(is_stored)
        assert waiting.state == "stored"
