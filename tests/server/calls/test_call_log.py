"""The lines of a call: whoever reads gets all of them in order, and what is kept without a reader is bounded."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
import pytest
from msgspec import Raw

from cloche.remote.calls import Begun, Done, Line, Skipped, decode_line
from cloche.sandbox.results.result import Text
from cloche.server.calls import call_log
from cloche.server.calls.call_log import CallLog

PATIENCE = 10
END = Done(Raw(b"1"))


async def collect(lines: AsyncGenerator[bytes]) -> list[Line]:
    async with aclosing(lines):
        return [decode_line(data) async for data in lines if data != b"\n"]


def text(number: int) -> Text:
    return Text("stdout", f"line {number}\n")


async def test_a_reader_gets_all_lines_whenever_it_comes() -> None:
    log = CallLog()
    log.put(Begun("p"))
    early: list[Line] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:

            async def read() -> None:
                early.extend(await collect(log.read(0)))

            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            for number in range(5):
                log.put(text(number))
            log.put(END)
        assert [type(line) for line in early] == [Begun, *[Text] * 5, Done]
        late = await collect(log.read(0))
        assert late[:-1] == early[:-1]
        assert (await collect(log.read(4)))[0] == text(3)
        assert await collect(log.read(7)) == []
        assert await collect(log.read(700)) == []


async def test_nothing_comes_after_the_end() -> None:
    log = CallLog()
    log.put(END)
    log.put(text(1))
    assert len(await collect(log.read(0))) == 1


async def test_without_a_reader_the_oldest_lines_make_room_and_the_next_one_is_told() -> None:
    log = CallLog(limit=1000)
    for number in range(100):
        log.put(text(number))
    log.put(END)
    skipped, *rest = await collect(log.read(0))
    assert isinstance(skipped, Skipped)
    kept = [line.text for line in rest if isinstance(line, Text)]
    assert kept == [text(number).text for number in range(skipped.to, 100)]
    assert skipped.characters == sum(len(text(number).text) for number in range(skipped.to))
    assert sum(map(len, kept)) < 1000
    behind, *_ = await collect(log.read(skipped.to - 1))
    assert behind == Skipped(skipped.to, len(text(skipped.to - 1).text))


async def test_the_last_line_is_kept_however_long_it_is() -> None:
    log = CallLog(limit=10)
    log.put(Done(Raw(b'"' + b"x" * 5000 + b'"')))
    assert len(await collect(log.read(0))) == 1


async def test_a_slow_reader_is_waited_for_and_misses_nothing() -> None:
    log = CallLog(limit=1000)
    found: list[Line] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:

            async def read() -> None:
                async with aclosing(log.read(0)) as lines:
                    async for data in lines:
                        await anyio.lowlevel.checkpoint()
                        found.append(decode_line(data))

            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            for number in range(500):
                log.put(text(number))
                await log.make_room()
            log.put(END)
    assert [line.text for line in found if isinstance(line, Text)] == [text(number).text for number in range(500)]


async def test_a_reader_that_takes_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_log, "SERVER_STALL", 0.05)
    log = CallLog(limit=1000)
    log.put(Begun("p"))
    with anyio.fail_after(PATIENCE):
        async with aclosing(log.read(0)) as lines:
            await anext(lines)
            for number in range(500):
                log.put(text(number))
                await log.make_room()


async def test_silence_is_filled_with_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_log, "CALL_HEARTBEAT", 0.01)
    with anyio.fail_after(PATIENCE):
        async with aclosing(CallLog().read(0)) as lines:
            assert [await anext(lines), await anext(lines)] == [b"\n", b"\n"]


async def test_it_knows_since_when_nobody_reads() -> None:
    log = CallLog()
    log.put(Begun("p"))
    async with aclosing(log.read(0)) as lines:
        await anext(lines)
        assert log.left is None
    assert log.left is not None


async def test_a_log_may_go_on_where_that_of_an_earlier_process_ended() -> None:
    log = CallLog(limit=1000, start=7)
    for number in range(100):
        log.put(text(number))
        await log.make_room()
    log.put(END)
    skipped, *rest = await collect(log.read(7))
    assert isinstance(skipped, Skipped)
    assert len(rest) == 7 + 101 - skipped.to
    assert skipped.characters == sum(len(text(number).text) for number in range(skipped.to - 7))
    whole = CallLog(start=7)
    whole.put(END)
    assert len(await collect(whole.read(7))) == 1
