"""The file of events: what survives, who may write, and what is said when it cannot be used."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche.errors import StoreClosed, StoreDamaged, StoreError, StoreLocked, StoreTooNew
from cloche.events import Event, EventStream, MessageAction, NullAction, SQLiteStore, encode_event
from cloche.events.event import new_event
from cloche.events.stores import Span, sqlite_errors, sqlite_readers, sqlite_schema
from cloche.events.stores.feeds import FeedHub
from cloche.events.stores.sqlite_schema import VERSION
from cloche.events.stores.sqlite_writer import WriterThread

pytestmark = pytest.mark.anyio

ZERO = "integer division or modulo by zero"
WRITER = Path(__file__).parent / "writing.py"


@contextmanager
def writer(path: Path, how: str, count: int, sid: str = "one") -> Generator[subprocess.Popen[str]]:
    argv = [sys.executable, str(WRITER), str(path), sid, how, str(count)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def stored(path: Path, sid: str = "one") -> list[Event]:
    async with SQLiteStore(path) as store:
        return [event async for event in EventStream(sid, store).get_events()]


async def test_what_was_stored_is_there_after_closing(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("one", store).add_events([NullAction()] * 3)
    assert [event.id for event in await stored(path)] == [0, 1, 2]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


async def test_many_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    for turn in range(10):
        path = tmp_path / f"{turn}.db"

        async def use(path: Path) -> None:
            async with SQLiteStore(path) as store:
                await EventStream("one", store).add_event(NullAction())

        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(use, path)
        assert len(await stored(path)) == 6


async def test_a_store_that_two_tasks_open_has_one_writer(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "twice.db")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.open)
        tasks.start_soon(store.open)
    await EventStream("one", store).add_event(NullAction())
    await store.close()
    assert not [each for each in threading.enumerate() if each.name == "events twice.db"]


async def test_one_transaction_holds_what_many_write_at_once(sqlite: SQLiteStore, tmp_path: Path) -> None:
    streams = [EventStream(f"s{number}", sqlite) for number in range(20)]
    async with anyio.create_task_group() as tasks:
        for stream in streams:
            for _ in range(50):
                tasks.start_soon(stream.add_event, NullAction())
    for stream in streams:
        assert [event.id async for event in stream.get_events()] == list(range(50))


def kill_at_once(path: Path, after: int) -> list[int]:
    """The ids that a writer has said before it was killed, in the midst of more."""
    with writer(path, "one_by_one", 0) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(after)]
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read()
        # A number that was cut off by the kill was not said.
        return said + [int(line) for line in rest.split("\n")[:-1]]


@pytest.mark.parametrize("times", [pytest.param(3, id="3"), pytest.param(100, marks=pytest.mark.slow, id="100")])
@pytest.mark.timeout(300)
async def test_what_was_acknowledged_survives_sigkill(tmp_path: Path, times: int) -> None:
    path = tmp_path / "events.db"
    total = 0
    for turn in range(times):
        said = await to_thread.run_sync(kill_at_once, path, 1 + turn * 7 % 40)
        assert said == list(range(total, total + len(said)))
        async with SQLiteStore(path) as store:
            stream = EventStream("one", store)
            last = await stream.get_latest_event_id()
            assert last >= said[-1]
            new = [event.id async for event in stream.get_events(total)]
            assert new == list(range(total, last + 1))
            total = last + 1
    assert [event.id for event in await stored(path)] == list(range(total))


@pytest.mark.timeout(60)
async def test_two_processes_write_one_session_and_a_third_follows(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        stream = EventStream("one", store)
        await stream.add_event(NullAction())
        seen: list[int] = []
        total = 1 + 2 * sum(1 + number % 3 for number in range(100)) + 50

        async def follow() -> None:
            async for event in stream.follow():
                seen.append(event.id or 0)
                if len(seen) == total:
                    return

        with writer(path, "one_by_one", 100) as first, writer(path, "one_by_one", 100) as second:
            with anyio.fail_after(40):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(follow)
                    for _ in range(50):
                        await stream.add_event(NullAction())
            outputs = [await to_thread.run_sync(each.communicate) for each in (first, second)]
        assert (first.returncode, second.returncode) == (0, 0)
        said = [int(line) for text, _ in outputs for line in text.splitlines()]
        assert len(said) == len(set(said)) == total - 51
    assert seen == list(range(total))
    assert [event.id for event in await stored(path)] == list(range(total))


async def test_a_follower_ends_when_another_process_deletes_its_session(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as ours, SQLiteStore(path) as theirs:
        stream = EventStream("one", theirs)
        await stream.add_event(NullAction())
        with anyio.fail_after(10), ours.feed("one") as feed, ours.feed("new") as new:
            assert await feed.take() == await new.take() == []
            await stream.delete()
            await stream.add_events([NullAction()] * 5)
            assert await feed.take() is None
            await EventStream("new", theirs).add_event(NullAction())
            assert await new.take() == []


async def test_who_follows_does_not_read_when_another_session_is_written(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as ours, SQLiteStore(path) as theirs:
        calm, busy = EventStream("calm", ours), EventStream("busy", ours)
        with anyio.fail_after(10), calm.store.feed("calm") as quiet, busy.store.feed("busy") as told:
            assert await quiet.take() == await told.take() == []
            await EventStream("busy", theirs).add_event(NullAction())
            assert await told.take() == []
            with anyio.move_on_after(0) as waited:
                await quiet.take()
            assert waited.cancelled_caught


@pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX: limits of files")
async def test_a_full_disk_is_reported_and_the_session_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    with writer(path, "until_full", 300_000) as process:
        output, _ = await to_thread.run_sync(process.communicate)
    answer = json.loads(output)
    assert f"could not be written to {path}" in answer["said"]
    assert "Make room on the disk and try again" in answer["said"]
    assert f"could not be written to {path.parent / 'files'}" in answer["said"]
    assert answer["files"] == []
    assert answer["stored"] == answer["events"] > 5
    assert answer["after"] == [answer["stored"] + number for number in range(3)]
    assert [event.id for event in await stored(path)] == list(range(answer["stored"] + 3))


async def test_a_limit_of_the_database_is_reported_as_a_full_disk(sqlite: SQLiteStore) -> None:
    error = await to_thread.run_sync(_fill, sqlite.path.with_name("small.db"))
    assert "disk is full" in str(sqlite_errors.explain_error(error, Path("small.db")))


async def test_a_lock_that_stays_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_readers, "STORE_LOCK_WAIT", 0.1)
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        stream = EventStream("one", store)
        await stream.add_event(NullAction())
        other = await to_thread.run_sync(_lock, path)
        with pytest.raises(StoreLocked, match="another process has kept it locked"):
            await stream.add_event(NullAction())
        assert len([event async for event in stream.get_events()]) == 1
        await to_thread.run_sync(other.close)
        assert (await stream.add_event(NullAction())).id == 1


@pytest.mark.parametrize("junk", [b"not a database, just a text that is long enough to be one" * 20, b"\0" * 5000])
async def test_a_file_that_is_no_database_is_reported_and_left_alone(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "events.db"
    path.write_bytes(junk)
    with pytest.raises(StoreDamaged, match=r"damaged, or no database.*Move it away"):
        await SQLiteStore(path).open()
    assert path.read_bytes() == junk


async def test_a_damaged_database_is_reported_and_other_sessions_go_on(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("one", store).add_events([MessageAction("x" * 1000)] * 500)
    with path.open("r+b") as file:
        file.seek(4096 * 20)
        file.write(b"\xff" * 4096 * 60)
    async with SQLiteStore(path) as store:
        with pytest.raises(StoreDamaged, match=r"\.recover"):
            assert [event async for event in EventStream("one", store).get_events()]
        assert [each.sid for each in await store.sessions()] == ["one"]


async def test_an_event_that_is_no_json_any_more_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("one", store).add_events([NullAction()] * 3)
    _script(path, "UPDATE events SET data = x'7b22' WHERE instr(data, CAST('\"id\":1' AS BLOB))")
    async with SQLiteStore(path) as store:
        stream = EventStream("one", store)
        with pytest.raises(StoreDamaged, match=r"events.db is damaged: An event could not be read: it is not JSON"):
            assert [event async for event in stream.get_events()]
        assert (await stream.get_event(2)).id == 2


async def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("one", store).add_event(NullAction())
    _script(path, f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match=f"schema {VERSION + 1}, this one knows {VERSION}"):
        await SQLiteStore(path).open()
    assert path.read_bytes() == before


async def test_the_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    _script(path, "CREATE TABLE visits (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="a database of another program"):
        await SQLiteStore(path).open()
    assert path.read_bytes() == before


async def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="could not be made"):
        await SQLiteStore(tmp_path / "file" / "events.db").open()


OLD = "CREATE TABLE events (sid TEXT, id INTEGER, event TEXT, PRIMARY KEY (sid, id))"


async def test_a_file_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    _script(path, OLD)
    words = [new_event(MessageAction(f"word {number}"), "user") for number in range(1000)]
    with closing(sqlite3.connect(path)) as db, db:
        rows = [("one", number, encode_event(event).decode()) for number, event in enumerate(words)]
        db.executemany("INSERT INTO events VALUES (?, ?, ?)", [*rows, ("two", 0, '{"id":0,"action":"null","args":{}}')])
    async with SQLiteStore(path) as store:
        assert [(each.sid, each.title, each.events) for each in await store.sessions()] == [
            ("two", "", 1),
            ("one", "word 0", 1000),
        ]
        stream = EventStream("one", store)
        read = [event async for event in stream.get_events()]
        assert [event.body for event in read] == [event.body for event in words]
        assert [event.timestamp for event in read] == [event.timestamp for event in words]
        assert (await stream.add_event(NullAction())).id == 1000
    assert len(await stored(path)) == 1001


async def test_a_file_without_claims_is_given_them(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        await EventStream("one", store).add_event(NullAction())
    _script(path, "DROP TABLE claims")
    _script(path, "PRAGMA user_version = 1")
    async with SQLiteStore(path) as store:
        assert [await store.claim("one", 0) for _ in range(2)] == [True, False]


SECOND = """CREATE TABLE events (session INTEGER NOT NULL, id INTEGER NOT NULL, label TEXT NOT NULL, source TEXT,
    time REAL NOT NULL, hidden INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (session, id))"""


async def test_a_file_with_an_index_over_events_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with SQLiteStore(path) as store:
        one, two = EventStream("one", store), EventStream("two", store)
        for number in range(20):
            await (two if number % 3 else one).add_event(MessageAction(f"word {number}"), "user")
        assert await one.claim(3)
        before = [[event async for event in stream.get_events()] for stream in (one, two)]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE events RENAME TO later")
        db.execute(SECOND)
        columns = "place >> 32, place & 0xffffffff, label, source, time, hidden, data"
        db.execute(f"INSERT INTO events SELECT {columns} FROM later ORDER BY place DESC")
        db.execute("DROP TABLE later")
        db.execute("PRAGMA user_version = 2")
    assert [await stored(path, sid) for sid in ("one", "two")] == before
    async with SQLiteStore(path) as store:
        assert not await store.claim("one", 3)
        assert (await EventStream("one", store).add_event(NullAction())).id == 7
        assert {(each.sid, each.title, each.events) for each in await store.sessions()} == {
            ("one", "word 0", 8),
            ("two", "word 1", 13),
        }


async def test_a_claim_is_forgotten_with_its_session(tmp_path: Path) -> None:
    async with SQLiteStore(tmp_path / "events.db") as store:
        for _ in range(2):
            stream = EventStream("one", store)
            await stream.add_event(NullAction())
            assert [await stream.claim(0), await stream.claim(0)] == [True, False]
            await stream.delete()
    with closing(sqlite3.connect(tmp_path / "events.db")) as db:
        assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)


async def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    _script(path, OLD)
    _script(path, "INSERT INTO events VALUES ('one', 0, 'no event')")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="could not be brought up to date"):
        await SQLiteStore(path).open()
    assert path.read_bytes() == before
    assert len(sqlite_schema.STEPS) == VERSION


async def test_a_store_that_is_not_open_says_so(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "events.db")
    stream = EventStream("one", store)
    with pytest.raises(StoreClosed, match="async with SQLiteStore"):
        await stream.add_event(NullAction())
    with pytest.raises(StoreClosed, match="async with SQLiteStore"):
        await store.sessions()
    async with store:
        await stream.add_event(NullAction())
    await store.close()
    with pytest.raises(StoreClosed):
        await stream.get_latest_event_id()


async def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    async with anyio.create_task_group() as tasks, SQLiteStore(path) as store:
        for _ in range(30):
            tasks.start_soon(EventStream("one", store).add_event, NullAction())
        await anyio.wait_all_tasks_blocked()
    assert len(await stored(path)) == 30


async def test_a_store_that_is_left_by_a_cancellation_leaves_no_thread_and_no_log_behind(tmp_path: Path) -> None:
    path = tmp_path / "cancelled.db"
    with anyio.CancelScope() as scope:
        async with SQLiteStore(path) as store:
            await EventStream("one", store).add_event(NullAction())
            scope.cancel()
    assert f"events {path.name}" not in [thread.name for thread in threading.enumerate()]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


async def test_one_write_that_fails_does_not_spoil_those_that_wait_with_it(tmp_path: Path) -> None:
    db = await to_thread.run_sync(sqlite_readers.open_connection, tmp_path / "any.db")
    queue = WriterThread(db, tmp_path / "any.db", FeedHub())
    outcomes: list[str] = []

    async def write(number: int) -> None:
        def work(db: sqlite3.Connection) -> int:
            db.execute("CREATE TABLE IF NOT EXISTS t (x)")
            db.execute("INSERT INTO t VALUES (?)", (number,))
            return 6 // number

        try:
            outcomes.append(str(await queue.write(work)))
        except StoreError as error:
            outcomes.append(str(error))

    async with anyio.create_task_group() as tasks:
        for number in (3, 0, 2):
            tasks.start_soon(write, number)
        await anyio.wait_all_tasks_blocked()
        queue.start()
    assert outcomes == ["2", f"Events could not be written to {tmp_path / 'any.db'}: {ZeroDivisionError(ZERO)!r}.", "3"]
    count = await queue.write(lambda db: db.execute("SELECT count(*) FROM t").fetchone()[0])
    await queue.close()
    assert count == 2
    with pytest.raises(StoreClosed):
        await queue.write(lambda db: None)


async def test_pages_of_large_events_are_short(sqlite: SQLiteStore) -> None:
    stream = EventStream("one", sqlite)
    await stream.add_events([MessageAction("x" * 1_000_000)] * 10)
    assert len(await sqlite.read("one", Span())) < 10
    assert [event.id async for event in stream.get_events()] == list(range(10))


async def test_who_is_cancelled_leaves_no_gap(sqlite: SQLiteStore) -> None:
    stream = EventStream("one", sqlite)
    for _ in range(20):
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(stream.add_event, NullAction())
                await anyio.lowlevel.checkpoint()
                scope.cancel()
    last = (await stream.add_event(NullAction())).id or 0
    assert [event.id async for event in stream.get_events()] == list(range(last + 1))


def _script(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)


def _lock(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("BEGIN IMMEDIATE")
    return db


def _fill(path: Path) -> sqlite3.Error:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA max_page_count = 3")
        try:
            db.execute("CREATE TABLE t (x)")
            db.execute("INSERT INTO t VALUES (zeroblob(100000))")
        except sqlite3.Error as error:
            return error
    raise AssertionError("it was not full")
