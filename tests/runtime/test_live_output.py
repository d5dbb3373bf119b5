"""Live output on its way to who asked for it."""

import logging

import anyio
import pytest

from cloche.limits import KB, LEFT_OUT, LIVE_OUTPUT
from cloche.runtime.live_output import LiveOutput, pass_on_output


async def test_pieces_come_in_their_order_and_small_ones_together() -> None:
    heard: list[tuple[str, str]] = []
    async with pass_on_output(lambda stream, text: heard.append((stream, text))) as live:
        for stream, text in (("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")):
            live.put(stream, text)
    assert heard == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


async def test_what_a_slow_receiver_does_not_take_is_left_out_with_a_note() -> None:
    heard: list[str] = []
    go_on = anyio.Event()

    async def hear(stream: str, text: str) -> None:
        heard.append(text)
        await go_on.wait()

    with anyio.fail_after(10):
        async with pass_on_output(hear) as live:
            live.put("stdout", "first")
            await anyio.wait_all_tasks_blocked()
            for _ in range(5 * LIVE_OUTPUT // KB):
                live.put("stdout", "x" * KB)
            go_on.set()
    assert heard[0] == "first"
    note = LEFT_OUT.format(4 * LIVE_OUTPUT)
    assert "".join(heard[1:]) == "x" * LIVE_OUTPUT + note


async def test_pieces_of_both_streams_come_in_their_order() -> None:
    heard: list[tuple[str, str]] = []
    live = LiveOutput(lambda stream, text: heard.append((stream, text)))
    for number in range(1000):
        live.put(("stdout", "stderr")[number % 2], str(number))
    live.end()
    await live.pass_on()
    assert [stream for stream, _ in heard] == ["stdout", "stderr"] * 500
    assert "".join(text for _, text in heard) == "".join(map(str, range(1000)))


async def test_a_receiver_that_fails_is_not_called_again(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[str] = []

    def hear(stream: str, text: str) -> None:
        calls.append(text)
        raise LookupError("broken")

    with caplog.at_level(logging.ERROR):
        async with pass_on_output(hear) as live:
            live.put("stdout", "a")
            await anyio.wait_all_tasks_blocked()
            live.put("stdout", "b")
    assert calls == ["a"]
    assert caplog.text.count("could not be passed on") == 1
