"""The engine in a real browser: a site on loopback, and Chromium without a window."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import anyio
import pytest

from cloche.sandbox.cache.assets import ENGINE
from cloche.sandbox.embedding.site import HEADERS, TYPES, BrowserSite, SiteFile, build_site
from cloche.sandbox.process.engine_paths import find_deno

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[3] / "examples" / "browser"
PATIENCE = 150.0
"""Seconds that a page may take to report."""


class _Handler(BaseHTTPRequestHandler):
    """The site, the pages of these tests, and what they report."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site: BrowserSite, testing: Path, reports: "Queue[Any]", *args: Any) -> None:
        self._site = site
        self._testing = testing
        self._reports = reports
        super().__init__(*args)

    def do_GET(self) -> None:
        address = self.path.partition("?")[0]
        found = self._own(address) or self._site.find(address.removeprefix("/engine/"))
        if found is None:
            return self.send_error(404, explain=address)
        return self._send(found.read(), TYPES.get(found.path.suffix, "application/octet-stream"))

    def do_POST(self) -> None:
        self._reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._send(b"{}", "application/json")

    def _own(self, address: str) -> SiteFile | None:
        folder, _, name = address.lstrip("/").rpartition("/")
        roots = {"": HERE, "example": EXAMPLE, "bare": EXAMPLE, "testing": self._testing}
        root = roots.get(folder) or (ENGINE / folder if name == "cases.json" else None)
        return SiteFile(found) if root and (found := root / (name or "index.html")).is_file() else None

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        # A page below /bare comes as from a server that knows nothing of isolation.
        own = {} if self.path.startswith("/bare/") else HEADERS
        for name, value in {**own, "Content-Type": kind, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Browser:
    """Opens pages of the site and waits for what they report."""

    def __init__(self, address: str, reports: "Queue[Any]", profile: Path) -> None:
        self._address = address
        self._reports = reports
        self._profile = profile

    def open(self, path: str) -> Any:
        """The report of a page."""
        with self._running(self._arguments(path)) as process:
            for _ in range(int(PATIENCE)):
                try:
                    return self._reports.get(timeout=1)
                except Empty:
                    assert process.poll() is None, "the browser ended"
        raise AssertionError(f"{path} did not report within {PATIENCE:.0f} s")

    def read(self, path: str) -> str:
        """What a page has in it when it is loaded."""
        with self._running(["--dump-dom", *self._arguments(path)]) as process:
            return process.communicate(timeout=PATIENCE)[0].decode()

    def _arguments(self, path: str) -> list[str]:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        flags += ["--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"]
        return [*flags, f"--user-data-dir={self._profile}", f"{self._address}/{path}"]

    @contextmanager
    def _running(self, arguments: list[str]) -> Generator["subprocess.Popen[bytes]"]:
        program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
        assert program, "install chromium: apt-get install chromium"
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen([program, *arguments], stdout=pipe, stderr=quiet, start_new_session=True)
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=10)


@pytest.fixture(scope="session")
def site() -> BrowserSite:
    """Everything that a page needs."""
    return anyio.run(build_site, os.environ.get("CLOCHE_TEST_LANGUAGES", "").split())


@pytest.fixture(scope="session")
def testing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What goes through the tables of cases, as JavaScript."""
    folder = tmp_path_factory.mktemp("testing")
    options = ["--quiet", "--no-check", "--no-config", "--no-lock", f"--outdir={folder}"]
    command = [find_deno(), "transpile", *options, "testing/cases.ts"]
    subprocess.run(command, cwd=ENGINE, env={**os.environ, "DENO_DIR": str(folder / "deno")}, check=True)
    return folder / "testing"


@pytest.fixture
def browser(site: BrowserSite, testing: Path, tmp_path: Path) -> Generator[Browser]:
    """A fresh profile, and a server that ends with the test."""
    reports: Queue[Any] = Queue()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site, testing, reports))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Browser(f"http://127.0.0.1:{server.server_port}", reports, tmp_path / "profile")
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
