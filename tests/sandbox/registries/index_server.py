"""A small server of files on loopback, with bad days on demand."""

import hashlib
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import msgspec


class Page(msgspec.Struct):
    """What is at one address."""

    body: bytes = b""
    code: int = 200
    location: str = ""
    length: int | None = None
    """What it says its length is, when that is a lie."""
    packed: bool = False
    """Whether it says that its body is packed."""
    hangs: bool = False
    """Whether it sends half of it and then nothing."""


class Site:
    """Serves what it was given, and notes who asked for what."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[str] = []
        self.headers: dict[str, dict[str, str]] = {}
        self.down = False
        self.released = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def put(self, path: str, body: bytes | str) -> bytes:
        """Serve these bytes."""
        data = body.encode() if isinstance(body, str) else body
        self.pages[path] = Page(data)
        return data

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append(handler.path)
        self.headers[handler.path] = dict(handler.headers.items())
        page = self.pages.get(handler.path)
        if self.down:
            page = Page(b"down", 503)
        if page is None:
            page = Page(b"not here", 404)
        etag = hashlib.sha256(page.body).hexdigest()[:16]
        if handler.headers.get("If-None-Match") == etag and page.code == 200:
            handler.send_response(304)
            handler.end_headers()
            return
        self._send(handler, page, {"ETag": etag})

    def _send(self, handler: BaseHTTPRequestHandler, page: Page, headers: Mapping[str, str]) -> None:
        handler.send_response(page.code)
        for name, value in headers.items():
            handler.send_header(name, value)
        if page.packed:
            handler.send_header("Content-Encoding", "gzip")
        if page.location:
            handler.send_header("Location", page.location)
        handler.send_header("Content-Length", str(len(page.body) if page.length is None else page.length))
        handler.end_headers()
        if not page.hangs:
            handler.wfile.write(page.body)
            return
        handler.wfile.write(page.body[: len(page.body) // 2])
        handler.wfile.flush()
        self.released.wait(30)
