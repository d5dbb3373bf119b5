"""Which names of a server are taken for those of this machine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send

from cloche.mcp.app import create_app
from cloche.mcp.host_check import HostCheck, read_host
from cloche.mcp.serving import ListenAddress, open_socket

OURS = [
    "127.0.0.1",
    "127.0.0.1:8000",
    "127.0.0.1:1",
    "127.0.0.1:65535",
    "localhost",
    "LocalHost:80",
    "[::1]",
    "[::1]:8000",
    "[0:0:0:0:0:0:0:1]:80",
]
OTHERS = [
    "",
    " ",
    "evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.evil.example:80",
    "localhost.evil.example",
    "evil.example:127.0.0.1",
    "127.0.0.1@evil.example",
    "127.0.0.1:80@evil.example",
    "user:password@127.0.0.1",
    "@127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:0",
    "127.0.0.1:080",
    "127.0.0.1:65536",
    "127.0.0.1:123456",
    "127.0.0.1:-1",
    "127.0.0.1:+80",
    "127.0.0.1:80.evil.example",
    "127.0.0.1:80:80",
    "127.0.0.1:٨٠",
    "127.0.0.1, evil.example",
    "127.0.0.1 evil.example",
    "127.0.0.1/",
    "127.0.0.1#",
    "127.0.0.1?x",
    "127.0.0.1\\evil.example",
    "127.0.0.1\t",
    "127.0.0.1%00",
    "0.0.0.0",
    "127.1",
    "2130706433",
    "0x7f000001",
    "localhost.",
    "::1",
    "::1:80",
    "[::1",
    "::1]",
    "[::1]80",
    "[::1]:",
    "[::1].evil.example",
    "[::1%25lo]",
    "[::1%lo]",
    "[::ffff:127.0.0.1]",
    "[::2]",
    "[127.0.0.1]",
    "[localhost]",
    "[]",
]


async def status_of(headers: list[tuple[bytes, bytes]]) -> int:
    """How a request with these headers is answered; 200 if it got through."""
    answered: list[int] = []

    async def app(_: Scope, __: Receive, ___: Send) -> None:
        answered.append(200)

    async def send(message: Message) -> None:
        answered.append(message.get("status", 0))

    async def receive() -> Message:
        return {"type": "http.request"}

    await HostCheck(app, ("127.0.0.1", "localhost", "::1"))({"type": "http", "headers": headers}, receive, send)
    return answered[0]


@pytest.mark.parametrize("host", OURS)
async def test_a_name_of_this_machine_is_let_through(host: str) -> None:
    assert await status_of([(b"host", host.encode())]) == 200
    assert await status_of([(b"host", b"localhost"), (b"origin", b"http://" + host.encode())]) == 200


@pytest.mark.parametrize("host", OTHERS)
async def test_any_other_name_is_refused(host: str) -> None:
    sent = host.encode("utf-8")
    assert await status_of([(b"host", sent)]) == 421
    assert await status_of([(b"host", b"localhost"), (b"origin", b"http://" + sent)]) == 403


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "127.0.0.1",
        "https://127.0.0.1",
        "HTTP://127.0.0.1",
        "file://",
        "file://127.0.0.1",
        "http:127.0.0.1",
        "http:///127.0.0.1",
        "http://127.0.0.1/",
        "http://127.0.0.1 http://evil.example",
        "http://http://127.0.0.1",
        "chrome-extension://127.0.0.1",
    ],
)
async def test_an_origin_that_is_not_one_of_this_machine_is_refused(origin: str) -> None:
    assert await status_of([(b"host", b"localhost"), (b"origin", origin.encode())]) == 403


async def test_headers_that_are_missing_or_there_twice_are_refused() -> None:
    one, other = (b"host", b"localhost"), (b"origin", b"http://localhost")
    assert await status_of([]) == 421
    assert await status_of([one, one]) == 421
    assert await status_of([one, (b"host", b"evil.example")]) == 421
    assert await status_of([one, other, other]) == 403
    assert await status_of([one, other]) == 200


def test_the_name_of_an_address_is_its_short_form() -> None:
    assert read_host("[FE80:0::1]:80") == "fe80::1"


@asynccontextmanager
async def served(host: str) -> AsyncGenerator[int]:
    """The application on this address; gives its port."""
    app = create_app(find_user=None, host=host)
    with open_socket(ListenAddress(host, 0)) as listening:
        web = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(web.serve, [listening])
            yield listening.getsockname()[1]
            web.should_exit = True


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("Host: 127.0.0.1", b" 400 "),
        ("Host: 127.0.0.1\r\nOrigin: null", b" 403 "),
        ("Host: 127.0.0.1:1@evil.example", b" 421 "),
        ("Host: 127.0.0.1\r\nOrigin:", b" 403 "),
    ],
)
async def test_a_request_is_judged_before_anything_is_done(lines: str, status: bytes) -> None:
    with anyio.fail_after(20):
        async with served("127.0.0.1") as port, await anyio.connect_tcp("127.0.0.1", port) as stream:
            head = f"POST /mcp HTTP/1.1\r\n{lines}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            await stream.send(head.encode())
            assert status in (await stream.receive()).split(b"\r\n")[0]
