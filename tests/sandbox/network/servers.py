"""Real HTTP servers on loopback whose every byte a test decides."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import anyio


class Received(NamedTuple):
    """One request as the server saw it."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Server:
    """What came to it, and where it is."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme
        self.port = 0
        self.requests: list[Received] = []
        self.connections = 0
        self.begun = anyio.Event()
        self.left = anyio.Event()
        """A client has closed its connection."""

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


Handler = Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serve(handler: Handler, context: ssl.SSLContext | None = None) -> AsyncGenerator[Server]:
    """Run a server; the handler writes whole answers, and closes the writer to end the connection."""
    server = Server("http" if context is None else "https")

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    request = await _read(reader)
                    server.requests.append(request)
                    server.begun.set()
                    await handler(request, writer)
                    await writer.drain()
        finally:
            server.left.set()
            if not writer.is_closing():
                # Without the farewell of TLS, which would wait for the other side.
                writer.transport.abort()

    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.get_running_loop().create_task(attend(reader, writer)))

    listener = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await listener.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    request = Received(method, target, headers, b"")
    if request.header("transfer-encoding") == "chunked":
        return request._replace(body=await _chunks(reader))
    return request._replace(body=await reader.readexactly(int(request.header("content-length") or 0)))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """The bytes of an answer; underscores in names are dashes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def always(data: bytes) -> Handler:
    """Gives the same answer each time."""

    async def handler(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return handler
