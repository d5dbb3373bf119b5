"""The network broker: large bodies and many small requests, from a server on this machine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import SocketStream

import cloche
from benchmarks.measure import Row, Scale, Target

SIZE_MB = 100
PIECE = bytes(1 << 20)
LARGE = """
import time, urllib.request
begin, size = time.perf_counter(), 0
with urllib.request.urlopen("http://{at}/large") as answer:
    while piece := answer.read(1 << 20): size += len(piece)
passed = time.perf_counter() - begin
"""
SMALL = """
import time, urllib.request
begin, size = time.perf_counter(), 0
for _ in range({count}):
    with urllib.request.urlopen("http://{at}/small") as answer: size += len(answer.read())
passed = time.perf_counter() - begin
"""


async def rows(scale: Scale) -> list[Row]:
    async with _server() as at, cloche.Sandbox(confinement="require", allow_net=[at], timeout=None) as box:
        large = [await _timed(box, LARGE.format(at=at), SIZE_MB << 20) for _ in range(scale.bulk)]
        code = SMALL.format(at=at, count=scale.requests)
        small = [await _timed(box, code, scale.requests * 5) for _ in range(scale.bulk)]
    rates = [(SIZE_MB << 20) / 10**6 / seconds for seconds in large]
    return [
        Row(
            name=f"broker: {SIZE_MB} MB by `urllib`",
            unit="MB/s",
            ours=rates,
            target=Target("median", 100, at_least=True),
            note="from a server on loopback",
        ),
        Row(
            name=f"broker: {scale.requests:,} small requests",
            unit="/s",
            ours=[scale.requests / seconds for seconds in small],
            target=Target("median", 300, at_least=True),
            note="one after another, by `urllib`",
        ),
    ]


async def _timed(box: cloche.Sandbox, code: str, expected: int) -> float:
    await box.run(code, check=True)
    result = await box.run("(passed, size)", check=True)
    passed, size = str(result.value).strip("()").split(",")
    if int(size) != expected:
        raise RuntimeError(f"{size} of {expected} bytes arrived")
    return float(passed)


@asynccontextmanager
async def _server() -> AsyncGenerator[str]:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, _serve)
        host, port = listener.extra(anyio.abc.SocketAttribute.local_address)[:2]
        yield f"{host}:{port}"
        tasks.cancel_scope.cancel()


async def _serve(stream: SocketStream) -> None:
    """Answers requests without bodies, one after another on the same connection."""
    rest = b""
    async with stream:
        while True:
            while b"\r\n\r\n" not in rest:
                try:
                    rest += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    return
            request, _, rest = rest.partition(b"\r\n\r\n")
            try:
                await _answer(stream, request)
            except anyio.BrokenResourceError:
                return


async def _answer(stream: SocketStream, request: bytes) -> None:
    large = request.startswith(b"GET /large")
    length = SIZE_MB << 20 if large else 5
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % length)
    if not large:
        await stream.send(b"small")
        return
    for _ in range(SIZE_MB):
        await stream.send(PIECE)
