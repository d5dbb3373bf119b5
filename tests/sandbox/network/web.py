"""A small site for the tests of curl and wget."""

import asyncio
import gzip
import json
from typing import Any, NamedTuple

from cloche import Sandbox
from tests.sandbox.network.servers import Received, Server, answer

BLOB = bytes(range(256)) * 4096 * 5
PLACES = {"/once": "/hello", "/loop": "/loop", "/away": "http://169.254.169.254/", "/post": "/echo"}


class Site:
    """Answers by path; `flaky` fails twice first."""

    def __init__(self) -> None:
        self.failures = 2
        self.stalled = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, request: Received, writer: asyncio.StreamWriter) -> None:
        path = request.target.partition("?")[0]
        if path in PLACES:
            status = "307 Again" if "again" in request.target else "302 Found"
            writer.write(answer(b"moved", status, Location=PLACES[path]))
        elif path == "/missing":
            writer.write(answer(b"not here\n", "404 Not Found"))
        elif path == "/slow":
            await self._stall(writer)
        elif path == "/flaky":
            self.failures -= 1
            writer.write(answer(b"", "503 Busy") if self.failures >= 0 else answer(b"at last\n"))
        elif path == "/short":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            writer.close()
        elif path == "/empty":
            writer.close()
        else:
            writer.write(self._content(path, request))

    def _content(self, path: str, request: Received) -> bytes:
        if path == "/blob":
            return self._part(request)
        if path == "/gzip":
            return answer(gzip.compress(b"unpacked\n"), Content_Encoding="gzip")
        if path == "/named":
            return answer(b"named\n", Content_Disposition='attachment; filename="../given.txt"')
        if path == "/echo":
            seen = {"method": request.method, "target": request.target, "body": request.body.decode("latin-1")}
            headers = {name.lower(): value for name, value in request.headers}
            return answer(json.dumps({**seen, "headers": headers}).encode(), Content_Type="application/json")
        body = b"hello\n"
        return answer(b"" if request.method == "HEAD" else body, X_Site="test")

    def _part(self, request: Received) -> bytes:
        asked = request.header("range")
        if asked is None:
            return answer(BLOB)
        start = int(asked.removeprefix("bytes=").split("-")[0])
        if start >= len(BLOB):
            return answer(b"", "416 Range Not Satisfiable")
        return answer(BLOB[start:], "206 Partial Content")

    async def _stall(self, writer: asyncio.StreamWriter) -> None:
        self.stalled.set()
        try:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegun")
            while True:
                await writer.drain()
                await asyncio.sleep(0.02)
                writer.write(b".")
        except OSError:
            self.left.set()
            raise


class Scene(NamedTuple):
    """A sandbox that may reach the site and nothing else; URL in a command is the site's."""

    box: Sandbox
    server: Server
    site: Site

    async def bash(self, command: str, **options: Any) -> tuple[int, str, str]:
        result = await self.box.bash(command.replace("URL", self.server.url("")), **options)
        return result.exit_code, result.stdout, result.stderr

    async def echo(self, command: str) -> dict[str, Any]:
        code, out, err = await self.bash(command)
        assert (code, err) == (0, "")
        return json.loads(out)
