"""--allow-net and --secret."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest

from cloche.cli.secret_option import read_secret
from tests.cli.conftest import Cloche

TOKEN = "t0ken-0123456789"


class Site(BaseHTTPRequestHandler):
    """Says which key it was given."""

    keys: list[str | None]

    def do_GET(self) -> None:
        self.keys.append(self.headers["Authorization"])
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"hello\n")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def place() -> Iterator[str]:
    Site.keys = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("prepared")
def test_what_is_listed_is_reached_and_nothing_else(cloche: Cloche, place: str) -> None:
    done = cloche("bash", "--allow-net", place, "-c", f"curl -s http://{place}/; curl -sS http://example.com/")
    assert (done.returncode, done.stdout) == (7, "hello\n")
    assert "--allow-net example.com:80" in done.stderr


@pytest.mark.usefixtures("prepared")
def test_a_secret_comes_from_a_variable(cloche: Cloche, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    secret = f"{place}=Authorization: Bearer $MY_TOKEN"
    done = cloche("bash", "--allow-net", place, "--secret", secret, "-c", f"curl -s http://{place}/; env")
    assert done.returncode == 0, done.stderr
    assert Site.keys == [f"Bearer {TOKEN}"]
    assert TOKEN not in done.stdout


def test_wrong_options_are_named(cloche: Cloche) -> None:
    done = cloche("run", "--allow-net", "https://example.com", "-c", "1")
    assert done.returncode == 2
    assert "'--allow-net': 'https://example.com' cannot be read: it is a URL; give \"host:port\"" in done.stderr
    done = cloche("run", "--secret", f"api.test=Authorization: Bearer {TOKEN}", "-c", "1")
    assert done.returncode == 2
    assert "does not belong on the command line" in done.stderr
    assert TOKEN not in done.stderr


def test_secrets_are_read_from_variables_and_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A", "1")
    monkeypatch.setenv("B", "=2")
    assert read_secret("api.test=X-Key: $A${B}") == ("api.test", {"X-Key": "1=2"})
    file = tmp_path / "headers"
    file.write_text("Authorization: Bearer x:y\nX-Other: z\n\n")
    assert read_secret(f"api.test:444=@{file}") == ("api.test:444", {"Authorization": "Bearer x:y", "X-Other": "z"})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("api.test", "in single quotes"),
        ("=X: $A", "in single quotes"),
        ("api.test=X: secret", "does not belong on the command line"),
        ("api.test=X: $NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE is not set"),
        ("api.test=$A", "not a header"),
        ("api.test=@/nowhere/at/all", "cannot be read"),
    ],
)
def test_a_secret_that_cannot_be_read_is_a_usage_error(text: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "1")
    with pytest.raises(click.BadParameter, match=what):
        read_secret(text)
