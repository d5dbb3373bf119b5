"""A real smart-HTTP server of git on loopback: `git http-backend` behind a small CGI handler."""

import base64
import os
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class GitServer(ThreadingHTTPServer):
    """Serves the bare repositories below a folder."""

    daemon_threads = True

    def __init__(self, root: Path, login: str | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root = root
        self.login = login
        self.moved: dict[str, str] = {}
        """Paths that are answered with a redirect."""
        self.seen: list[str] = []
        self.gate: Callable[[str], object] = lambda _: None
        """Called with each path before it is answered."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    @property
    def _git(self) -> GitServer:
        assert isinstance(self.server, GitServer)
        return self.server

    def handle(self) -> None:
        # Whoever was interrupted does not wait for the answer.
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        self._git.seen.append(f"{self.command} {self.path}")

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._git.gate(self.path)
        for start, to in self._git.moved.items():
            if path.startswith(start):
                return self._plain(301, [("Location", to + self.path.removeprefix(start))])
        login = self._git.login
        if login and self.headers.get("Authorization") != f"Basic {base64.b64encode(login.encode()).decode()}":
            return self._plain(401, [("WWW-Authenticate", 'Basic realm="git"')])
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=self._environment(path, query), capture_output=True, check=True
        )
        return self._pass_on(done.stdout)

    def _environment(self, path: str, query: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self._git.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "someone",
            "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.receivepack",
            "GIT_CONFIG_VALUE_0": "true",
        }

    def _pass_on(self, output: bytes) -> None:
        head, _, body = output.partition(b"\r\n\r\n")
        pairs = [
            (name, value.strip()) for name, _, value in (line.partition(":") for line in head.decode().splitlines())
        ]
        status = next((int(value.split()[0]) for name, value in pairs if name == "Status"), 200)
        self._plain(status, [pair for pair in pairs if pair[0] != "Status"], body)

    def _plain(self, status: int, headers: list[tuple[str, str]], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve(root: Path, login: str | None = None) -> Generator[GitServer]:
    """A server that ends with the block."""
    server = GitServer(root, login)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()
