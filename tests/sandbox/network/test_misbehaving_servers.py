"""Servers, name services and moments that mean no good."""

import asyncio
from collections.abc import Sequence

import anyio
import pytest

from cloche.sandbox.network.refusals import ConnectionLost, PrivateAddress, RequestRefused, Timeout, TooLarge
from tests.sandbox.network.conftest import OpenGuest
from tests.sandbox.network.fake_guest import Asked
from tests.sandbox.network.servers import Received, always, answer, serve

QUICK = {"slow_window": 0.3, "slowest": 1000}


class Names:
    """A name service that answers differently each time."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        return self._answers.pop(0)


async def test_a_name_is_asked_once_and_its_second_answer_never_counts(open_guest: OpenGuest) -> None:
    names = Names(["127.0.0.1"], ["169.254.169.254"])
    async with serve(always(answer(b"x", Connection="close"))) as server:
        guest = open_guest(f"a.test:{server.port}", server.place, resolver=names)
        asked = await guest.fetch(server.url(host="a.test"))
        assert (asked.received, names.asked) == (b"x", ["a.test"])
        assert server.requests[0].header("host") == f"a.test:{server.port}"
        with pytest.raises(PrivateAddress, match=r"a\.test leads to 169\.254\.169\.254"):
            await guest.fetch(server.url(host="a.test"))
        assert len(server.requests) == 1


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:7f00:1"], ["fe80::1%lo"]])
async def test_one_private_address_among_the_answers_is_enough_to_refuse(
    open_guest: OpenGuest, found: Sequence[str]
) -> None:
    async with serve(always(answer(b"x"))) as server:
        guest = open_guest(f"a.test:{server.port}", resolver=Names(found))
        with pytest.raises(PrivateAddress):
            await guest.fetch(server.url(host="a.test"))
        assert server.connections == 0


async def test_localhost_does_not_ask_the_name_service(open_guest: OpenGuest) -> None:
    async with serve(always(answer(b"x"))) as server:
        guest = open_guest(f"localhost:{server.port}", resolver=Names())
        assert (await guest.fetch(server.url(host="localhost"))).received == b"x"


async def test_a_name_service_that_hangs_is_given_up(open_guest: OpenGuest) -> None:
    async def hang(name: str) -> Sequence[str]:
        await anyio.sleep_forever()
        return []

    with pytest.raises(Timeout, match=r"a\.test could not be connected to within 0\.2 s"):
        await open_guest("a.test", resolver=hang, connect=0.2).fetch("http://a.test/")


async def drip(writer: asyncio.StreamWriter, data: bytes, every: float) -> None:
    for byte in data:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(every)


async def test_a_server_that_drips_its_body_is_given_up(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        await drip(writer, b"x" * 1000, 0.05)

    async with serve(handler) as server:
        guest = open_guest(server.place, **QUICK)
        with pytest.raises(Timeout, match=r"too slow: .* where at least 1000 a second"):
            await guest.fetch(server.url())
        assert guest.last.refused == "Timeout"
        with pytest.raises(Timeout, match=r"not finished within 0\.4 s"):
            await open_guest(server.place, total=0.4).fetch(server.url())


async def test_a_server_that_drips_its_head_is_given_up(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        await drip(writer, b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000, 0.05)

    async with serve(handler) as server:
        with pytest.raises(Timeout, match=r"did not answer within 0\.3 s"):
            await open_guest(server.place, answer=0.3).fetch(server.url())


async def test_a_server_that_says_nothing_is_given_up(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.target == "/body":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        await asyncio.sleep(60)

    async with serve(handler) as server:
        guest = open_guest(server.place, answer=0.2, stall=0.2)
        with pytest.raises(Timeout, match=r"did not answer within 0\.2 s"):
            await guest.fetch(server.url("/head"))
        with pytest.raises(Timeout, match=r"sent nothing more within 0\.2 s"):
            await guest.fetch(server.url("/body"))
        assert guest.last.received == 3


async def test_a_server_that_takes_nothing_is_given_up(open_guest: OpenGuest) -> None:
    stay = asyncio.Event()

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await stay.wait()
        writer.close()

    server = await asyncio.start_server(deaf, "127.0.0.1", 0, limit=1)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(Timeout, match="did not take the request"):
            await open_guest(place, stall=0.3).fetch(f"http://{place}/", *[b"x" * (1 << 20)] * 30, method="POST")
        stay.set()


async def test_an_event_stream_may_be_silent(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        await drip(writer, b"data: 1\n\n", 0.06)
        writer.close()

    async with serve(handler) as server:
        assert (await open_guest(server.place, stall=0.05, **QUICK).fetch(server.url())).received == b"data: 1\n\n"


async def test_a_guest_that_reads_slowly_is_not_the_servers_fault(open_guest: OpenGuest) -> None:
    class Slow(Asked):
        async def send(self, data: bytes) -> None:
            await anyio.sleep(0.2)
            await super().send(data)

    async with serve(always(answer(b"x" * 600_000))) as server:
        asked = Slow(url=server.url())
        guest = open_guest(server.place, slow_window=0.1, slowest=100_000_000)
        with anyio.fail_after(10):
            await guest.broker.fetch(asked)
        assert len(asked.received) == 600_000


async def test_answers_over_the_limit_are_refused(open_guest: OpenGuest) -> None:
    chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"

    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.target == "/announced":
            writer.write(answer(b"x" * 20_000))
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 20 + b"0\r\n\r\n")

    async with serve(handler) as server:
        guest = open_guest(server.place, answer_bytes=10_000)
        with pytest.raises(TooLarge, match="has 20000 bytes, more than the 10000"):
            await guest.fetch(server.url("/announced"))
        with pytest.raises(TooLarge, match="over the 10000 bytes"):
            await guest.fetch(server.url("/chunked"))


async def test_requests_over_the_limit_are_refused(open_guest: OpenGuest) -> None:
    async with serve(always(answer())) as server:
        guest = open_guest(server.place, request_bytes=500_000)
        with pytest.raises(TooLarge, match="over the 500000 bytes"):
            await guest.fetch(server.url(), *[b"x" * 200_000] * 3, method="POST")
        with pytest.raises(TooLarge, match="has 500001 bytes"):
            await guest.fetch(server.url(), b"x", method="POST", headers=[["Content-Length", "500001"]])
        assert server.requests == []


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", ConnectionLost),
        (b"SSH-2.0-OpenSSH_9.9\r\n", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc", ConnectionLost),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", ConnectionLost),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 100, ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nX" + b" " * 60_000 + b"\r\n\r\n", ConnectionLost),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000, TooLarge),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, TooLarge),
    ],
)
async def test_what_is_not_an_answer_is_refused(
    open_guest: OpenGuest, data: bytes, refusal: type[RequestRefused]
) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        writer.close()

    async with serve(handler) as server:
        guest = open_guest(server.place)
        with pytest.raises(refusal):
            await guest.fetch(server.url())
        assert guest.last.refused == refusal.__name__


async def test_what_came_before_the_connection_broke_is_given(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        await writer.drain()
        writer.transport.abort()

    async with serve(handler) as server:
        asked = Asked(url=server.url())
        with pytest.raises(ConnectionLost), anyio.fail_after(5):
            await open_guest(server.place).broker.fetch(asked)
        assert (asked.data["status"], asked.received) == (200, b"abc")


async def test_a_server_sees_that_the_guest_was_stopped(open_guest: OpenGuest) -> None:
    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        await writer.drain()

    async with serve(handler) as server:
        guest = open_guest(server.place)
        asked = Asked(url=server.url())
        async with anyio.create_task_group() as group:
            group.start_soon(guest.broker.fetch, asked)
            with anyio.fail_after(5):
                await asked.some.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(5):
            await server.left.wait()
        assert (guest.last.refused, guest.last.received) == ("Cancelled", 3)


async def test_waiting_connections_end_with_the_broker(open_guest: OpenGuest) -> None:
    async with serve(always(answer(b"x"))) as server:
        guest = open_guest(server.place)
        await guest.fetch(server.url())
        assert not server.left.is_set()
        await guest.broker.close()
        with anyio.fail_after(5):
            await server.left.wait()
