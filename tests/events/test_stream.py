"""The stream of a session: order, readers, followers, subscribers."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.errors import EventError
from cloche.events import (
    CmdOutputObservation,
    CmdRunAction,
    Event,
    EventFilter,
    EventStream,
    FileStore,
    Lagged,
    MCPAction,
    MemoryStore,
    MessageAction,
    NullAction,
    NullObservation,
    SQLiteStore,
    Status,
    Store,
    Unknown,
    event_for_stock,
    event_from_dict,
    event_to_dict,
    new_event,
)
from cloche.limits import EVENT_DEPTH, EVENT_PAGE, FEED_LIMIT

pytestmark = pytest.mark.anyio

LIMIT = 10


async def ids(events: AsyncGenerator[Event]) -> list[int | None]:
    return [event.id async for event in events]


async def collect(events: AsyncGenerator[Event], count: int) -> list[Event]:
    """The first events of a stream that does not end."""
    found: list[Event] = []
    with anyio.fail_after(LIMIT):
        async with aclosing(events):
            async for event in events:
                found.append(event)
                if len(found) == count:
                    break
    return found


async def test_ids_are_consecutive_from_zero(stream: EventStream) -> None:
    assert await stream.get_latest_event_id() == -1
    added = [await stream.add_event(NullAction()) for _ in range(3)]
    added += await stream.add_events([NullAction(), NullObservation()])
    assert [event.id for event in added] == [0, 1, 2, 3, 4]
    assert [event async for event in stream.get_events()] == added
    assert await stream.get_latest_event_id() == 4


async def test_an_event_is_read_as_it_was_added(stream: EventStream) -> None:
    event = new_event(CmdRunAction("ls"), "user", timeout=3)
    added = await stream.add_event(event)
    assert added.id == 0
    assert await stream.get_event(0) == added
    with pytest.raises(KeyError, match="one has no event 1"):
        await stream.get_event(1)


async def test_an_event_that_has_an_id_is_refused(stream: EventStream) -> None:
    added = await stream.add_event(NullAction())
    with pytest.raises(EventError, match="already has the id 0"):
        await stream.add_event(added)
    assert await stream.get_latest_event_id() == 0


async def test_an_event_gets_a_source_and_a_time(stream: EventStream) -> None:
    assert (await stream.add_event(NullAction())).source == "environment"
    assert (await stream.add_event(NullAction(), "agent")).source == "agent"
    read = event_from_dict({"action": "null"})
    added = await stream.add_event(read, "user")
    assert added.source == "user"
    assert added.timestamp.endswith("+00:00")
    old = event_from_dict({"action": "null", "timestamp": "2024-01-02T03:04:05", "source": "agent"})
    assert (await stream.add_event(old)).timestamp == "2024-01-02T03:04:05"
    assert (await stream.get_event(3)).source == "agent"


async def test_an_event_of_an_unknown_kind_is_kept(stream: EventStream) -> None:
    wire = {"id": -1, "action": "fly", "args": {"to": "moon"}}
    await stream.add_event(event_from_dict(wire))
    event = await stream.get_event(0)
    assert isinstance(event.body, Unknown)
    assert event_to_dict(event) == {**wire, "id": 0, "timestamp": event.timestamp, "source": "environment"}
    pretender = event_from_dict({"action": "fly", "source": "agent", "content": [1], "timestamp": 7})
    added = await stream.add_event(pretender, "user")
    assert added.source == "user"
    assert event_to_dict(await stream.get_event(1)) == event_to_dict(added)


async def test_a_status_is_kept_and_not_for_stock_clients(stream: EventStream) -> None:
    added = await stream.add_event(Status("STATUS$READY", "ready", "info"), "environment")
    event = await stream.get_event(0)
    assert event == added
    assert event.body == Status("STATUS$READY", "ready", "info")
    assert not {"action", "observation"} & (event_for_stock(event) or {}).keys()


async def test_an_event_that_cannot_be_understood_stops_no_reader(stream: EventStream) -> None:
    wrong: Any = CmdRunAction(7)  # pyright: ignore[reportArgumentType]: what a newer version may write
    await stream.add_events([NullAction(), wrong, NullAction()])
    assert await ids(stream.get_events()) == [0, 1, 2]
    assert event_to_dict(await stream.get_event(1))["args"]["command"] == 7
    assert [event.id for event in await collect(stream.follow(), 3)] == [0, 1, 2]


async def test_an_event_that_is_too_deep_is_refused(stream: EventStream) -> None:
    wide: dict[str, Any] = {"many": [{} for _ in range(2 * EVENT_DEPTH)]}
    await stream.add_event(MCPAction("x", wide))
    for depth in (EVENT_DEPTH, 900, 50_000):
        deep: dict[str, Any] = {}
        for _ in range(depth):
            deep = {"a": deep}
        for secrets in (dict[str, str](), {"KEY": "s3cr3t"}):
            stream.set_secrets(secrets)
            with pytest.raises(EventError, match=f"more than {EVENT_DEPTH} lists and objects"):
                await stream.add_event(Unknown("fly", {"action": "fly", "args": deep}))
    assert (await stream.add_event(NullAction())).id == 1


async def test_an_event_that_is_no_json_is_refused(stream: EventStream) -> None:
    with pytest.raises(EventError, match="`message` could not be written"):
        await stream.add_event(MessageAction("\ud800"))
    with pytest.raises(EventError, match=r"20\.0 MB; at most 16 MB"):
        await stream.add_event(MessageAction("x" * (10 << 20)))
    assert (await stream.add_event(NullAction())).id == 0


@pytest.mark.parametrize("sid", ["", "../a", ".a", "a/b", "a" * 129, "a\n"])
def test_a_session_id_that_is_no_name_is_refused(sid: str) -> None:
    with pytest.raises(ValueError, match="no session id"):
        EventStream(sid, MemoryStore())


async def test_sessions_do_not_see_each_other(store: Store) -> None:
    one, two = EventStream("one", store), EventStream("two", store)
    await one.add_event(NullAction())
    assert (await two.add_event(NullObservation())).id == 0
    assert [event.kind async for event in two.get_events()] == ["null"]
    assert len([event async for event in one.get_events()]) == 1


async def test_a_range_is_read_forwards_and_backwards(stream: EventStream) -> None:
    await stream.add_events([NullAction()] * (2 * EVENT_PAGE + 5))
    total = 2 * EVENT_PAGE + 5
    assert await ids(stream.get_events()) == list(range(total))
    assert await ids(stream.get_events(reverse=True)) == list(reversed(range(total)))
    assert await ids(stream.get_events(3, 5)) == [3, 4, 5]
    assert await ids(stream.get_events(3, 5, reverse=True)) == [5, 4, 3]
    assert await ids(stream.get_events(limit=2)) == [0, 1]
    assert await ids(stream.get_events(reverse=True, limit=EVENT_PAGE + 1)) == list(
        range(total - 1, EVENT_PAGE + 3, -1)
    )
    assert await ids(stream.get_events(total)) == []
    assert await ids(stream.get_events(end=-1)) == []
    assert await ids(stream.get_events(limit=0)) == await ids(stream.get_events(limit=-1)) == []
    assert await ids(stream.get_events(9, 3)) == await ids(stream.get_events(9, 3, reverse=True)) == []
    assert await ids(stream.get_events(-3, 1)) == [0, 1]
    assert await ids(stream.get_events(10**30)) == await ids(stream.get_events(end=-(10**30))) == []
    assert await ids(stream.get_events(-(10**30), 10**30, limit=10**30)) == list(range(total))


FILTERS: list[tuple[EventFilter, list[int]]] = [
    (EventFilter(), [0, 1, 2, 3, 4]),
    (EventFilter(include_types=["run"]), [0, 1]),
    (EventFilter(include_types=[CmdRunAction, Status]), [0, 3]),
    (EventFilter(include_types=[]), []),
    (EventFilter(exclude_types=[CmdOutputObservation]), [0, 2, 3, 4]),
    (EventFilter(exclude_types=["status", "message"]), [0, 1, 4]),
    (EventFilter(source="user"), [2]),
    (EventFilter(exclude_hidden=True), [0, 2, 3, 4]),
    (EventFilter(query="ÜBER"), [2]),
    (EventFilter(query='say "hi"\n'), [0]),
    (EventFilter(query="timestamp"), []),
    (EventFilter(query="user"), []),
    (EventFilter(query="moon"), [4]),
    (EventFilter(start_date="2030-01-01", end_date="2030-01-02T00:00:00+00:00"), [4]),
    (EventFilter(end_date=datetime(2000, 1, 1, tzinfo=UTC)), []),
]


@pytest.mark.parametrize(("wanted", "found"), FILTERS)
async def test_a_filter_finds_what_is_wanted(stream: EventStream, wanted: EventFilter, found: list[int]) -> None:
    await stream.add_event(CmdRunAction('say "hi"\nnow'), "agent")
    await stream.add_event(CmdOutputObservation("out", hidden=True))
    await stream.add_event(MessageAction("Über den Wolken"), "user")
    await stream.add_event(Status("STATUS$READY", "ready"))
    await stream.add_event(
        event_from_dict({"action": "fly", "args": {"to": [{"a": "Moon"}]}, "timestamp": "2030-01-01T12:00:00+00:00"})
    )
    assert await ids(stream.get_events(filter=wanted)) == found
    assert await ids(stream.get_events(filter=wanted, reverse=True)) == found[::-1]
    assert await ids(stream.get_events(filter=wanted, limit=1)) == found[:1]


def test_a_filter_that_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="'yesterday' is no time"):
        EventFilter(start_date="yesterday")
    with pytest.raises(ValueError, match="are a list"):
        EventFilter(include_types="run")


@given(st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=2, max_size=6))
@settings(max_examples=25, deadline=None)
def test_concurrent_appends_give_consecutive_ids_and_keep_each_writers_order(sizes: list[list[int]]) -> None:
    async def write(stream: EventStream, writer: int, sizes: list[int]) -> None:
        count = 0
        for size in sizes:
            bodies = [MessageAction(f"{writer} {count + number}") for number in range(size)]
            count += size
            added = await stream.add_events(bodies)
            numbers = [event.id or 0 for event in added]
            assert numbers == list(range(numbers[0], numbers[0] + size))

    async def check(store: Store) -> None:
        stream = EventStream("one", store)
        async with anyio.create_task_group() as writers:
            for writer, each in enumerate(sizes):
                writers.start_soon(write, stream, writer, each)
        events = [event async for event in stream.get_events()]
        assert [event.id for event in events] == list(range(sum(map(sum, sizes))))
        for writer, each in enumerate(sizes):
            mine = [event.message for event in events if (event.message or "").startswith(f"{writer} ")]
            assert mine == [f"{writer} {number}" for number in range(sum(each))]

    _with_each_store(check)


async def test_a_follower_gets_all_events_once_while_writers_write(stream: EventStream) -> None:
    await stream.add_events([NullAction()] * 700)
    found: dict[int, list[Event]] = {}

    async def follow(after: int) -> None:
        found[after] = await collect(stream.follow(after), 700 + 5 * 200 - 1 - after)

    async def write() -> None:
        for _ in range(200):
            await stream.add_event(NullObservation())

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            for after in (-1, 5, 699):
                tasks.start_soon(follow, after)
            for _ in range(5):
                tasks.start_soon(write)
    for after, events in found.items():
        assert [event.id for event in events] == list(range(after + 1, 1700))


async def test_a_follower_that_lags_far_reads_what_it_missed(stream: EventStream) -> None:
    events = stream.follow()
    with anyio.fail_after(LIMIT):
        async with aclosing(events):
            await stream.add_event(NullAction())
            assert (await anext(events)).id == 0
            for _ in range(3):
                await stream.add_events([NullAction()] * FEED_LIMIT)
            await stream.add_event(NullAction())
            assert [(await anext(events)).id for _ in range(3 * FEED_LIMIT + 1)] == list(range(1, 3 * FEED_LIMIT + 2))
            await stream.add_event(NullAction())
            assert (await anext(events)).id == 3 * FEED_LIMIT + 2


async def test_a_follower_can_filter(stream: EventStream) -> None:
    wanted = EventFilter(include_types=[MessageAction])
    async with anyio.create_task_group() as tasks:

        async def follow() -> None:
            found = await collect(stream.follow(filter=wanted), 2)
            assert [event.id for event in found] == [1, 3]

        tasks.start_soon(follow)
        for body in (NullAction(), MessageAction("a"), NullAction(), MessageAction("b")):
            await stream.add_event(body)


async def test_followers_end_with_their_session_and_with_the_store(store: Store) -> None:
    one, two = EventStream("one", store), EventStream("two", store)
    await one.add_event(NullAction())
    ended: list[str] = []

    async def follow(stream: EventStream) -> None:
        async for _ in stream.follow():
            pass
        ended.append(stream.sid)

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow, one)
            tasks.start_soon(follow, two)
            await anyio.wait_all_tasks_blocked()
            await one.delete()
            await anyio.wait_all_tasks_blocked()
            assert ended == ["one"]
            await store.close()
    assert ended == ["one", "two"]
    assert await ids(one.follow()) == []


async def test_a_store_that_is_opened_again_can_be_followed(store: Store) -> None:
    stream = EventStream("one", store)
    await stream.add_event(NullAction())
    await store.close()
    async with store, anyio.create_task_group() as tasks:

        async def follow() -> None:
            assert [event.id for event in await collect(stream.follow(), 2)] == [0, 1]

        tasks.start_soon(follow)
        await anyio.wait_all_tasks_blocked()
        await stream.add_event(NullAction())


async def test_a_function_gets_each_event_from_now_on(store: Store) -> None:
    seen: list[int | None] = []
    slow: list[int | None] = []
    done = anyio.Event()
    all_seen = anyio.Event()

    def quickly(event: Event) -> None:
        seen.append(event.id)
        if len(seen) == 5:
            all_seen.set()

    async def slowly(event: Event) -> None:
        await checkpoint()
        slow.append(event.id)
        if len(slow) == 6:
            done.set()

    async with EventStream("one", store) as stream:
        await stream.add_event(NullAction())
        await stream.subscribe("quick", quickly)
        await stream.subscribe("slow", slowly, after_id=-1)
        with pytest.raises(ValueError, match="already a subscriber 'quick'"):
            await stream.subscribe("quick", print)
        for _ in range(5):
            await stream.add_event(NullAction())
        with anyio.fail_after(LIMIT):
            await done.wait()
            await all_seen.wait()
        stream.unsubscribe("quick")
        stream.unsubscribe("nobody")
        await stream.add_event(NullAction())
        await anyio.wait_all_tasks_blocked()
    assert seen == [1, 2, 3, 4, 5]
    assert slow[:6] == [0, 1, 2, 3, 4, 5]


async def test_a_subscriber_that_fails_is_not_the_end(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    done = anyio.Event()

    def fail(event: Event) -> None:
        if event.id == 1:
            done.set()
        raise KeyError(event.id)

    async with EventStream("one", store) as stream:
        await stream.subscribe("bad", fail)
        await stream.add_events([NullAction(), NullAction()])
        with anyio.fail_after(LIMIT):
            await done.wait()
    assert "the subscriber bad failed on event 0" in caplog.text


async def test_a_slow_subscriber_is_dropped_with_a_notice_and_reads_again(store: Store) -> None:
    send, receive = anyio.create_memory_object_stream[Event | Lagged](10)
    async with EventStream("one", store) as stream, receive:
        await stream.subscribe("page", send)
        with anyio.fail_after(LIMIT):
            for _ in range(30):
                await stream.add_event(NullAction())
            # Whoever reads earlier makes room, and is not that slow.
            while receive.statistics().open_send_streams:  # noqa: ASYNC110 - no event
                await anyio.sleep(0.01)
            got = [item async for item in receive]
        assert [item.id for item in got if isinstance(item, Event)] == list(range(9))
        assert got[-1] == Lagged(8)
        rest = await collect(stream.follow(8), 21)
        assert [event.id for event in rest] == list(range(9, 30))
        first, rest = anyio.create_memory_object_stream[Event | Lagged](2)
        with rest:
            await stream.subscribe("from the beginning", first, after_id=-7)
            with anyio.fail_after(LIMIT):
                items = [item async for item in rest]
            assert items[-1] == Lagged(len(items) - 2)
        again, _receive = anyio.create_memory_object_stream[Event | Lagged](10)
        with again, _receive:
            await stream.subscribe("page", again)


async def test_two_that_fill_one_memory_stream_do_not_end_each_others_session(store: Store) -> None:
    send, receive = anyio.create_memory_object_stream[Event | Lagged](3)
    with receive:
        async with EventStream("one", store) as one, EventStream("two", store) as two:
            await one.subscribe("page", send.clone())
            await two.subscribe("page", send)
            for stream in (one, two):
                await stream.add_events([NullAction()] * 9)
                await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(LIMIT):
                # Which of the two lags, and where, depends on which was read first.
                assert any(isinstance(item, Lagged) for item in [item async for item in receive])


async def test_a_subscriber_that_left_is_forgotten() -> None:
    send, receive = anyio.create_memory_object_stream[Event | Lagged](10)
    async with EventStream("one", MemoryStore()) as stream:
        await stream.subscribe("page", send)
        receive.close()
        await stream.add_event(NullAction())
        await anyio.wait_all_tasks_blocked()
        await stream.subscribe("page", print)


async def test_an_error_of_who_uses_a_stream_comes_out_as_it_is(store: Store) -> None:
    async def fail() -> None:
        async with EventStream("one", store) as stream:
            await stream.subscribe("page", print)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await fail()
    with anyio.fail_after(LIMIT), anyio.move_on_after(0.01) as scope:
        async with EventStream("one", store) as stream:
            await stream.subscribe("page", print)
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    await checkpoint()


async def test_a_subscriber_may_remove_itself_and_add_events(store: Store) -> None:
    seen: list[int | None] = []
    called = anyio.Event()
    async with EventStream("one", store) as stream:

        def once(event: Event) -> None:
            seen.append(event.id)
            stream.unsubscribe("once")
            called.set()

        async def echo(event: Event) -> None:
            if event.id == 0:
                await stream.add_event(NullObservation())

        await stream.subscribe("once", once)
        await stream.subscribe("echo", echo)
        await stream.add_event(NullAction())
        assert [event.kind for event in await collect(stream.follow(), 2)] == ["null", "null"]
        with anyio.fail_after(LIMIT):
            await called.wait()
    assert seen == [0]


async def test_an_event_is_claimed_once_and_none_of_a_session_that_is_not_there(stream: EventStream) -> None:
    assert not await stream.claim(0)
    await stream.add_event(NullAction())
    assert [await stream.claim(0), await stream.claim(0)] == [True, False]


async def test_subscribing_needs_an_open_stream_and_room_for_the_notice(stream: EventStream) -> None:
    with pytest.raises(RuntimeError, match="async with EventStream"):
        await stream.subscribe("x", print)
    send, receive = anyio.create_memory_object_stream[Event | Lagged](1)
    async with stream:
        with send, receive, pytest.raises(ValueError, match="room for two"):
            await stream.subscribe("x", send)


async def test_sessions_are_listed_with_times_counts_and_titles(store: Store) -> None:
    assert await store.sessions() == []
    one, two = EventStream("one", store), EventStream("two", store)
    await one.add_event(Status("STATUS$READY"))
    await one.add_event(MessageAction("I am the agent"), "agent")
    await one.add_event(MessageAction("\n Fix the bug \nplease"), "user")
    await one.add_event(MessageAction("Something else"), "user")
    await two.add_event(MessageAction("x" * 200), "user")
    later, first = await store.sessions()
    assert (first.sid, first.title, first.events) == ("one", "Fix the bug", 4)
    assert first.first_time <= first.last_time <= later.first_time
    assert len(later.title) == 80
    await store.rename("one", "Bug 7")
    await one.add_event(MessageAction("More"), "user")
    assert [each.title for each in await store.sessions() if each.sid == "one"] == ["Bug 7"]
    await store.rename("none", "Nothing")
    assert len(await store.sessions()) == 2


async def test_a_session_can_be_deleted_and_begun_again(store: Store) -> None:
    one, two = EventStream("one", store), EventStream("two", store)
    await one.add_events([NullAction()] * 7000)
    await one.add_event(CmdOutputObservation("x" * 100_000))
    await two.add_event(NullAction())
    await one.delete()
    assert [each.sid for each in await store.sessions()] == ["two"]
    assert await ids(one.get_events()) == []
    assert await store.files.list() in ([], ["sessions/"])
    assert await store.files.list("sessions") == []
    assert (await one.add_event(NullAction())).id == 0
    await EventStream("never", store).delete()


def _with_each_store(check: Callable[[Store], Any]) -> None:
    async def run(store: Store) -> None:
        async with store:
            await check(store)

    with TemporaryDirectory() as folder:
        for store in (MemoryStore(), SQLiteStore(Path(folder, "events.db"))):
            anyio.run(run, store)


def test_files_alone_are_no_store_and_it_says_what_is(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"EventStream\(sid, SQLiteStore\(\), files=FileStore\(\)\)"):
        EventStream("a", FileStore(tmp_path))  # pyright: ignore[reportArgumentType] - as in OpenHands
