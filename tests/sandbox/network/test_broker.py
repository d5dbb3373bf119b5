"""Requests through the broker to real servers."""

import asyncio
import logging
from collections.abc import AsyncGenerator

import anyio
import anyio.lowlevel
import pytest

from cloche.sandbox.network.refusals import BadRequest, ConnectFailed, NameNotFound, NotAllowed, TooLarge
from tests.sandbox.network.conftest import OpenGuest
from tests.sandbox.network.fake_guest import Asked
from tests.sandbox.network.servers import Received, always, answer, serve

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


async def echo(request: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(request.body, X_Method=request.method))


async def test_an_answer_comes_with_status_headers_and_body(open_guest: OpenGuest) -> None:
    async with serve(always(answer(b"hello", "201 Made", Set_Cookie="a=1", X_Two="é"))) as server:
        guest = open_guest(server.place)
        asked = await guest.fetch(server.url("/p?q=1"), headers=[["X-Mine", "yes"]])
        assert asked.received == b"hello"
        assert (asked.data["status"], asked.data["reason"], asked.data["redirected"]) == (201, "Made", False)
        assert asked.data["url"] == server.url("/p?q=1")
        assert ("X-Two", "é") in asked.data["headers"]
        request = server.requests[0]
        assert (request.method, request.target, request.header("x-mine")) == ("GET", "/p?q=1", "yes")
        assert request.header("host") == server.place


async def test_what_is_not_listed_is_refused_and_noted(open_guest: OpenGuest) -> None:
    guest = open_guest("127.0.0.1:1")
    with pytest.raises(NotAllowed, match=r"add 'example\.com:443'"):
        await guest.fetch("https://example.com/x?key=SECRET")
    assert (guest.last.refused, guest.last.url) == ("NotAllowed", "https://example.com/x?key=...")
    with pytest.raises(BadRequest):
        await guest.fetch("http://user:SECRET@example.com/?a=SECRET")
    assert guest.last.url == "http://...@example.com/"


async def test_a_guest_cannot_forge_lines_of_the_log(open_guest: OpenGuest) -> None:
    guest = open_guest("127.0.0.1:1")
    with pytest.raises(BadRequest):
        await guest.fetch("http://a/\n\x1b[2Jfake", method="GET\nfake")
    assert (guest.last.method, guest.last.url) == ("GET?fake", "http://a/??[2Jfake")


async def test_connections_are_used_again(open_guest: OpenGuest) -> None:
    async with serve(echo) as server:
        guest = open_guest(server.place)
        for number in range(20):
            asked = await guest.fetch(server.url(), str(number).encode(), method="POST")
            assert asked.received == str(number).encode()
        assert (server.connections, len(server.requests)) == (1, 20)


async def test_a_connection_the_server_closed_meanwhile_is_replaced(open_guest: OpenGuest) -> None:
    async def once(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"x"))
        await writer.drain()
        writer.close()

    async with serve(once) as server:
        guest = open_guest(server.place)
        for method in ("GET", "POST", "GET"):
            assert (await guest.fetch(server.url(), method=method)).received == b"x"
        assert server.connections == 3


async def test_a_connection_that_dies_with_the_next_request_is_replaced(open_guest: OpenGuest) -> None:
    async def second_dies(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.target == "/second" and server.connections == 1:
            writer.close()
        else:
            writer.write(answer(b"x"))

    async with serve(second_dies) as server:
        guest = open_guest(server.place)
        await guest.fetch(server.url("/first"))
        assert (await guest.fetch(server.url("/second"))).received == b"x"
        assert server.connections == 2


async def test_bodies_come_in_every_framing(open_guest: OpenGuest) -> None:
    answers = {
        "/length": answer(b"body"),
        "/chunked": CHUNKED + b"2;x\r\nbo\r\n2\r\ndy\r\n0\r\nX: x\r\n\r\n",
        "/interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + answer(b"body"),
        "/close": b"HTTP/1.0 200 OK\r\n\r\nbody",
        "/none": b"HTTP/1.1 204 No Content\r\n\r\n",
        "/same": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
    }

    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(answers[request.target])
        if request.target == "/close":
            writer.close()

    async with serve(handler) as server:
        guest = open_guest(server.place)
        for path in answers:
            asked = await guest.fetch(server.url(path))
            assert asked.received == (b"" if path in ("/none", "/same") else b"body"), path
            assert "transfer-encoding" not in asked.headers
        assert server.connections == 2, "only the one that ends with the body is not kept"


async def test_the_answer_to_head_has_no_body(open_guest: OpenGuest) -> None:
    async with serve(always(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n")) as server:
        guest = open_guest(server.place)
        for _ in range(2):
            asked = await guest.fetch(server.url(), method="head")
            assert (asked.received, asked.headers["content-length"]) == (b"", "9999999999999")
        assert server.connections == 1


@pytest.mark.parametrize("size", [0, 1, 1000, 300_000, 3_000_000])
async def test_request_bodies_arrive_whole(open_guest: OpenGuest, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    pieces = [body[at : min(at + 65536, size)] for at in range(0, size, 65536)]
    async with serve(echo) as server:
        guest = open_guest(server.place)
        asked = await guest.fetch(server.url(), *pieces, method="PUT")
        assert asked.received == body[:size]
        framing = server.requests[0].header("content-length"), server.requests[0].header("transfer-encoding")
        assert framing == ((str(size), None) if size < 262_144 else (None, "chunked"))
        asked = await guest.fetch(server.url(), *pieces, method="PUT", headers=[["Content-Length", str(size)]])
        assert (asked.received, server.requests[1].header("content-length")) == (body[:size], str(size))
        assert guest.last.sent >= size
        assert guest.last.received == size


async def test_a_body_that_is_not_as_long_as_it_says_is_refused(open_guest: OpenGuest) -> None:
    async with serve(echo) as server:
        guest = open_guest(server.place)
        for said in ("3", "5", "4, 4", "-1", "x"):
            with pytest.raises(BadRequest, match="Content-Length"):
                await guest.fetch(server.url(), b"four", method="POST", headers=[["Content-Length", said]])
        two = [["Content-Length", "4"], ["content-length", "5"]]
        with pytest.raises(BadRequest, match="Content-Length"):
            await guest.fetch(server.url(), b"four", method="POST", headers=two)


async def test_an_answer_may_begin_before_the_request_has_ended(open_guest: OpenGuest) -> None:
    gate = anyio.Event()

    class Slow(Asked):
        async def body(self) -> AsyncGenerator[bytes]:
            yield b"x" * 300_000
            await self.answered.wait()
            gate.set()
            yield b"y" * 300_000

    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n")
        writer.write(await reader.readexactly(600_000))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(early, "127.0.0.1", 0)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        asked = Slow(url=f"http://{place}/", method="POST", headers=[["Content-Length", "600000"]])
        with anyio.fail_after(10):
            await open_guest(place).broker.fetch(asked)
    assert gate.is_set()
    assert asked.received == b"x" * 300_000 + b"y" * 300_000


async def test_an_answer_that_comes_instead_of_the_request_is_given(open_guest: OpenGuest) -> None:
    async def enough(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(b"too much", "413 Too Large"))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(enough, "127.0.0.1", 0)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

        class Endless(Asked):
            async def body(self) -> AsyncGenerator[bytes]:
                yield b"x" * 300_000
                await anyio.sleep_forever()

        asked = Endless(url=f"http://{place}/", method="POST")
        with anyio.fail_after(10):
            await open_guest(place).broker.fetch(asked)
    assert (asked.data["status"], asked.received) == (413, b"too much")


async def test_headers_of_the_host_cannot_be_set(open_guest: OpenGuest) -> None:
    async with serve(echo) as server:
        guest = open_guest(server.place)
        names = ["Host", "Connection", "Proxy-Authorization", "Proxy-Anything", "Transfer-Encoding", "Upgrade", "TE"]
        await guest.fetch(server.url(), b"x", method="POST", headers=[[name, "evil"] for name in [*names, "Expect"]])
        request = server.requests[0]
        assert [value for _, value in request.headers] == [server.place, "1"]


@pytest.mark.parametrize(
    "question",
    [
        {"headers": [["X", "a\r\nEvil: 1"]]},
        {"headers": [["X", "a\nb"]]},
        {"headers": [["X", "a\0b"]]},
        {"headers": [["X\r\nEvil", "a"]]},
        {"headers": [["X: y", "a"]]},
        {"headers": [["", "a"]]},
        {"headers": [["Xé", "a"]]},
        {"headers": [["X", "\ud800"]]},
        {"url": "http://127.0.0.1/\ud800"},
        {"headers": [["X"]]},
        {"headers": "X: a"},
        {"method": "GET / HTTP/1.1\r\nEvil: 1\r\n"},
        {"method": "CONNECT"},
        {"method": "trace"},
        {"method": ""},
        {"method": 3},
        {"redirect": "maybe"},
        {"url": None},
    ],
)
async def test_a_request_that_is_not_one_is_refused(open_guest: OpenGuest, question: dict[str, object]) -> None:
    async with serve(echo) as server:
        guest = open_guest(server.place)
        with pytest.raises(BadRequest):
            await guest.fetch(**{"url": server.url(), **question})  # pyright: ignore[reportArgumentType] - as a guest may
        assert server.requests == []
        assert guest.last.refused == "BadRequest"


async def test_too_many_headers_are_refused(open_guest: OpenGuest) -> None:
    guest = open_guest("127.0.0.1:9")
    for headers in ([["X", "a"]] * 201, [["X", "a" * 70_000]]):
        with pytest.raises(TooLarge, match="at most 200 headers"):
            await guest.fetch("http://127.0.0.1:9/", headers=headers)


async def test_only_so_many_requests_run_at_once_and_in_their_order(open_guest: OpenGuest) -> None:
    gate = anyio.Event()
    running: list[str] = []

    async def wait(request: Received, writer: asyncio.StreamWriter) -> None:
        running.append(request.target)
        await gate.wait()
        writer.write(answer(b"x"))

    async with serve(wait) as server:
        guest = open_guest(server.place, at_once=3)
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(guest.fetch, server.url(f"/{number}"))
                await anyio.lowlevel.checkpoint()
            with anyio.fail_after(5):
                while len(running) < 3:  # noqa: ASYNC110 - the server has no event for it
                    await anyio.sleep(0.01)
            await anyio.wait_all_tasks_blocked()
            assert sorted(running) == ["/0", "/1", "/2"]
            gate.set()
        assert len(running) == 10
        assert [record.status for record in guest.records.all] == [200] * 10


async def test_nobody_there_and_no_such_name_are_distinguished(open_guest: OpenGuest) -> None:
    async with serve(echo) as server:
        place, url = server.place, server.url()

    async def nowhere(name: str) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(ConnectFailed, match=r"nobody answers at 127\.0\.0\.1 port \d+: .*refused"):
        await open_guest(place).fetch(url)
    with pytest.raises(NameNotFound, match=r"the host a\.test is not known"):
        await open_guest("a.test", resolver=nowhere).fetch("http://a.test/")


async def test_requests_are_logged_for_operators(open_guest: OpenGuest, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "cloche")
    async with serve(always(answer(b"hello"))) as server:
        await open_guest(server.place).fetch(server.url("/p?token=SECRET"))
    assert f"GET http://{server.place}/p?token=...: 200" in caplog.text
    assert "5 bytes in" in caplog.text
    assert "SECRET" not in caplog.text
