"""What every store keeps of a session beside its events."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cloche.errors import EventError
from cloche.events import CmdOutputObservation, EventStream, MessageAction, NullAction, SQLiteStore, Store, new_event
from cloche.events.event import Event
from cloche.events.spill import spilled_of
from cloche.limits import EVENT_CONTENT_LIMIT

pytestmark = pytest.mark.anyio


def at(days: int) -> Event:
    time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days)
    return Event(body=NullAction(), source="user", timestamp=time.isoformat())


async def test_a_session_is_there_before_its_first_event(store: Store) -> None:
    assert await store.session("new") is None
    assert await store.create("new", {"owner": "ann", "wanted": {"env": {"A": "é"}}})
    assert not await store.create("new", {"owner": "bob"})
    info = await store.session("new")
    assert info is not None
    assert (info.sid, info.title, info.events) == ("new", "", 0)
    assert info.details == {"owner": "ann", "wanted": {"env": {"A": "é"}}}
    assert info.created == info.first_time == info.last_time > 1.7e9
    await EventStream("new", store).add_event(MessageAction("hello"), "user")
    later = await store.session("new")
    assert later is not None
    assert (later.title, later.events, later.details, later.created) == ("hello", 1, info.details, info.created)
    assert [each.sid for each in await store.sessions()] == ["new"]


async def test_keys_of_details_are_set_and_removed(store: Store) -> None:
    await store.create("one", {"a": 1, "b": {"c": 2}})
    await store.update_details("one", {"b": {"d": 3}, "e": [4]})
    await store.update_details("one", {"a": None})
    await store.update_details("nothing", {"a": 1})
    [info] = await store.sessions()
    assert info.details == {"b": {"d": 3}, "e": [4]}
    with pytest.raises(EventError, match="details"):
        await store.update_details("one", {"a": object()})


async def test_a_session_that_events_have_made_has_no_details(store: Store) -> None:
    await EventStream("old", store).add_event(at(0))
    await store.update_details("old", {"owner": "ann"})
    info = await store.session("old")
    assert info is not None
    assert info.details == {"owner": "ann"}
    assert info.first_time == datetime(2026, 1, 1, tzinfo=UTC).timestamp()


async def test_sessions_are_found_by_details_and_text_page_by_page(store: Store) -> None:
    for number in range(6):
        await store.create(f"s{number}", {"owner": "ann"} if number % 2 else {"part": "s1"})
        await EventStream(f"s{number}", store).add_events([at(number)] * (number + 1))
    await store.rename("s3", "Über alles")
    assert [each.sid for each in await store.sessions()] == ["s5", "s4", "s3", "s2", "s1", "s0"]
    owned = await store.sessions({"owner": "ann"}, limit=2, offset=1)
    assert [(each.sid, each.events) for each in owned] == [("s3", 4), ("s1", 2)]
    assert [each.sid for each in await store.sessions({"owner": None}, limit=1)] == ["s4"]
    assert [each.sid for each in await store.sessions({"owner": "ann", "part": "s1"})] == []
    assert [each.sid for each in await store.sessions(search="ÜBER")] == ["s3"]
    assert [each.sid for each in await store.sessions(search="S4")] == ["s4"]
    assert [each.sid for each in await store.sessions({"no such": None}, offset=5)] == ["s0"]


async def test_a_copy_has_the_events_up_to_one_with_their_ids_and_claims(store: Store) -> None:
    stream = EventStream("one", store)
    await stream.add_events([MessageAction("first"), NullAction(), NullAction(), NullAction()], "user")
    await stream.claim(1)
    await stream.claim(3)
    await stream.copy("two", 2, {"from": "one"})
    copy = EventStream("two", store)
    assert [event async for event in copy.get_events()] == [event async for event in stream.get_events(0, 2)]
    assert [await copy.claim(id) for id in range(4)] == [True, False, True, True]
    info = await store.session("two")
    assert info is not None
    assert (info.title, info.details) == ("first", {"from": "one"})
    assert (await copy.add_event(NullAction())).id == 3
    assert await stream.get_latest_event_id() == 3
    with pytest.raises(EventError, match="there is a session two already"):
        await stream.copy("two", 2, {})


async def test_a_copy_has_long_contents_of_its_own(store: Store) -> None:
    stream, long = EventStream("one", store), "x" * EVENT_CONTENT_LIMIT + "end"
    await stream.add_event(new_event(CmdOutputObservation(long, "cat")))
    await stream.add_event(new_event(CmdOutputObservation(f"later {long}", "cat")))
    await stream.copy("two", 0, {})
    await stream.delete()
    copy = EventStream("two", store)
    event = await copy.get_event(0)
    assert await copy.read_spilled(event) == long
    spilled = spilled_of(event)
    assert spilled is not None
    assert spilled.path.startswith("sessions/two/")
    assert isinstance(event.body, CmdOutputObservation)
    assert spilled.path in event.body.content
    assert "sessions/one" not in event.body.content
    assert await store.files.list("sessions/two/contents") == [spilled.path]


async def test_a_content_that_is_gone_stays_gone_in_a_copy(store: Store) -> None:
    stream = EventStream("one", store)
    await stream.add_event(new_event(CmdOutputObservation("x" * EVENT_CONTENT_LIMIT + "end", "cat")))
    spilled = spilled_of(await stream.get_event(0))
    assert spilled is not None
    await stream.files.write(spilled.path, "changed")
    await stream.copy("two", 0, {})
    copy = EventStream("two", store)
    with pytest.raises(FileNotFoundError):
        await copy.read_spilled(await copy.get_event(0))


async def test_a_deleted_session_takes_its_details_along(store: Store) -> None:
    await store.create("one", {"owner": "ann"})
    await store.delete("one")
    assert await store.session("one") is None
    assert await store.create("one", {})
    [info] = await store.sessions()
    assert info.details == {}


async def test_a_file_of_version_3_gets_details(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("old", store).add_event(at(0))
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "ALTER TABLE sessions DROP COLUMN details; ALTER TABLE sessions DROP COLUMN created;PRAGMA user_version = 3"
        )
    async with SQLiteStore(path) as store:
        [info] = await store.sessions()
        assert (info.sid, info.events, info.details) == ("old", 1, {})
        assert info.created == info.first_time == datetime(2026, 1, 1, tzinfo=UTC).timestamp()
        await store.update_details("old", {"owner": "ann"})
        await EventStream("new", store).add_event(NullAction())
        assert {each.sid: each.details for each in await store.sessions()} == {"old": {"owner": "ann"}, "new": {}}


async def test_details_that_are_no_json_are_none(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await store.create("one", {"owner": "ann"})
    with closing(sqlite3.connect(path)) as db:
        db.executescript("UPDATE sessions SET details = '[broken'")
    async with SQLiteStore(path) as store:
        [info] = await store.sessions({"owner": None})
        assert info.details == {}
