"""A site on loopback for guests: what it answers is decided by the path."""

import asyncio
import gzip
import json

import anyio

from tests.sandbox.network.servers import Received, answer

BLOCK = bytes(1 << 20)


class Pages:
    """Handles the requests of one server."""

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        self._gathered = anyio.Event()

    async def __call__(self, request: Received, writer: asyncio.StreamWriter) -> None:
        path, _, query = request.target.partition("?")
        page = getattr(self, f"on_{path.strip('/')}", None)
        if page is None:
            writer.write(answer(b"nothing here", "404 Not Found"))
        else:
            await page(request, writer, query)

    async def on_echo(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        head = {name.lower(): value for name, value in request.headers}
        text = request.body[:1000].decode("latin-1")
        told = {"method": request.method, "query": query, "headers": head, "size": len(request.body), "body": text}
        body = json.dumps(told).encode()
        reply = answer(body, Content_Type="application/json")
        writer.write(reply[: -len(body)] if request.method == "HEAD" else reply)

    async def on_move(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        writer.write(answer(status="302 Found", Location="/echo?moved"))

    async def on_gzip(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        writer.write(answer(gzip.compress(b'{"packed": true}'), Content_Encoding="gzip"))

    async def on_big(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        count = int(query)
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {count << 20}\r\n\r\n".encode())
        for _ in range(count):
            writer.write(BLOCK)
            await writer.drain()

    async def on_chunks(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")

    async def on_cut(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        await writer.drain()
        writer.close()

    async def on_never(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        await anyio.sleep_forever()

    async def on_together(self, request: Received, writer: asyncio.StreamWriter, query: str) -> None:
        """Answers only when ten are there."""
        self.waiting.add(query)
        if len(self.waiting) == 10:
            self._gathered.set()
        await self._gathered.wait()
        writer.write(answer(query.encode()))
