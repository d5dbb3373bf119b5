"""A way to a server on which things go wrong: an HTTP proxy on loopback that treats calls as a script says."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

MOST = 100_000_000


class Step(NamedTuple):
    """What happens to one call."""

    reaches: bool
    """Whether the server gets it."""
    kept: int = 0
    """Bytes of its answer that come back; then the connection is cut."""
    instead: bytes | None = None
    """What comes back in place of its answer."""
    hangs: bool = False
    """Whether nothing at all comes back, and the connection stays."""


def answer(
    status: str, body: bytes = b"", kind: str = "application/json", more: str = "", size: int | None = None
) -> bytes:
    """An HTTP answer; with a `size` that is more than there is, it breaks off."""
    length = len(body) if size is None else size
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{more}\r\n".encode() + body


class Way:
    """The proxy: its address, and what it is to do to the next calls."""

    def __init__(self, url: str, marker: bytes) -> None:
        self.port = int(url.split(":")[2].split("/")[0])
        self.url = ""
        self.marker = marker
        """What is in a request that is a call; all others pass."""
        self.steps: list[Step] = []
        self.seen: list[bytes] = []

    async def handle(self, near: SocketStream) -> None:
        async with near:
            request = await read_request(near)
            step = self.steps.pop(0) if self.steps and self.marker in request else None
            if self.marker in request:
                self.seen.append(request)
            with suppress(anyio.BrokenResourceError, anyio.EndOfStream, OSError):
                await self.pass_on(near, request, step)

    async def pass_on(self, near: SocketStream, request: bytes, step: Step | None) -> None:
        if step is None or step.reaches:
            got = 0
            async with await anyio.connect_tcp("127.0.0.1", self.port) as far:
                await far.send(request)
                async for data in far:
                    if step is None:
                        await near.send(data)
                    elif got < step.kept:
                        await near.send(data[: step.kept - got])
                    got += len(data)
        if step is not None and step.hangs:
            await anyio.sleep_forever()
        if step is not None and step.instead is not None:
            await near.send(step.instead)


async def read_request(stream: SocketStream) -> bytes:
    """A whole request, which is made to be the last one of its connection."""
    buffered = BufferedByteReceiveStream(stream)
    try:
        head = await buffered.receive_until(b"\r\n\r\n", 65_536)
    except (anyio.IncompleteRead, anyio.EndOfStream, anyio.BrokenResourceError):
        return b""
    lines = head.split(b"\r\n")
    size = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0)
    body = await buffered.receive_exactly(size) if size else b""
    kept = [line for line in lines if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([*kept, b"connection: close"]) + b"\r\n\r\n" + body


@asynccontextmanager
async def unreliable(url: str, path: str = "/mcp", marker: bytes = b"execute_action") -> AsyncGenerator[Way]:
    """A proxy in front of a server, by default one of MCP."""
    way = Way(url, marker)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, way.handle)
        way.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}{path}"
        yield way
        tasks.cancel_scope.cancel()
