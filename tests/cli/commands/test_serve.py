"""`cloche serve` and `cloche token` as users start them."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

import cloche
from tests.cli.conftest import PROGRAM, Cloche

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("prepared")]

TOKEN = "a-token-of-ours"


class Served:
    """A server in a process of its own, and what it has said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []
        self.ready = threading.Event()
        self._news = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.said.append(line)
                self._news.notify_all()
            if line.startswith("Ctrl-C"):
                self.ready.set()
        self.ready.set()

    @property
    def address(self) -> str:
        """What was printed."""
        assert self.ready.wait(40), self.said
        found = re.search(r"http://\S+", "".join(self.said))
        assert found, self.said
        return found[0]

    def wait_for(self, words: str, count: int) -> None:
        """Wait until this was said so often."""
        with self._news:
            assert self._news.wait_for(lambda: sum(words in line for line in self.said) >= count, 40), self.said

    def end(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(with_signal)
        code = self.process.wait(30)
        self.reader.join(10)
        return code


@contextmanager
def serving(data: Path, *options: str, **env: str) -> Generator[Served]:
    command = [*PROGRAM, "serve", "--port", "0", "--no-browser", "--config", os.devnull, *options]
    known = {name: value for name, value in os.environ.items() if name != "CLOCHE_TOKEN"}
    environment = {**known, "CLOCHE_DATA": str(data), **env}
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as it:
        try:
            yield Served(it)
        finally:
            it.kill()


def client(address: str, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=30)


def run(api: httpx2.Client, sid: str, command: str, **more: Any) -> dict[str, Any]:
    action = {"action": "run", "args": {"command": command}}
    return api.post(f"/api/sessions/{sid}/actions", json=action, **more).json()


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_prints_an_address_that_logs_in_and_ends_when_it_is_told(
    tmp_path: Path, stop: signal.Signals, code: int
) -> None:
    with serving(tmp_path) as served:
        login = httpx2.get(served.address)
        assert login.status_code == 303
        assert "cloche-" in login.headers["set-cookie"]
        url, _, token = served.address.partition("/?token=")
        with client(url, token) as api:
            sid = api.post("/api/sessions", json={"title": "kept"}).json()["id"]
            assert run(api, sid, "echo hi > f; cat f")["content"] == "hi\n"
        assert served.end(stop) == code
        assert "Traceback" not in "".join(served.said)
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as again, client(again.address, TOKEN) as api:
        assert TOKEN not in "".join(again.said)
        [session] = api.get("/api/sessions").json()["sessions"]
        assert (session["id"], session["title"], session["state"]) == (sid, "kept", "stored")
        assert run(api, sid, "cat f")["content"] == "hi\n"


def test_a_running_action_has_its_observation_when_the_server_is_stopped(tmp_path: Path) -> None:
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as served, client(served.address, TOKEN) as api:
        sid = api.post("/api/sessions", json={}).json()["id"]
        stored = run(api, sid, "sleep 100", params={"wait": False})
        assert served.end() == 0
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as served, client(served.address, TOKEN) as api:
        events = api.get(f"/api/sessions/{sid}/events", params={"limit": 500}).json()["events"]
        assert len([event for event in events if event.get("cause") == stored["id"]]) == 1


def test_a_second_server_on_the_same_folder_says_so_and_ends(tmp_path: Path) -> None:
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as first:
        assert first.address
        with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as second:
            code = second.process.wait(40)
            second.reader.join(10)
        assert code != 0
        said = "".join(second.said)
        assert str(tmp_path) in said
        assert str(first.process.pid) in said
        assert "Traceback" not in said
        with client(first.address, TOKEN) as api:
            assert api.get("/api/sessions").status_code == 200


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as first:
        port = first.address.rpartition(":")[2]
        with serving(tmp_path / "other", "--port", port, CLOCHE_TOKEN=TOKEN) as second:
            assert second.process.wait(40) == 2
            second.reader.join(10)
        assert f"--port 127.0.0.1:{port} cannot be listened on" in "".join(second.said)


def test_others_are_let_in_only_where_there_is_a_token(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as served:
        assert served.process.wait(40) == 2
        served.reader.join(10)
        assert "give a token" in "".join(served.said)


def test_tokens_are_created_listed_and_revoked_while_the_server_runs(tmp_path: Path, cloche: Cloche) -> None:
    with serving(tmp_path, CLOCHE_TOKEN=TOKEN) as served:
        data = str(tmp_path)
        created = cloche("token", "create", "ada", CLOCHE_DATA=data)
        assert created.returncode == 0, created.stderr
        token = created.stdout.strip()
        with client(served.address, token) as api:
            assert api.post("/api/sessions", json={"title": "hers"}).json()["owner"] == "ada"
            listed = json.loads(cloche("token", "list", "--json", CLOCHE_DATA=data).stdout)
            assert [(each["name"], each["scopes"]) for each in listed] == [("ada", ["read", "run"])]
            assert cloche("token", "create", "ada", CLOCHE_DATA=data).returncode == 2
            assert cloche("token", "revoke", "ada", CLOCHE_DATA=data).returncode == 0
            assert api.get("/api/sessions").status_code == 401
        missing = cloche("token", "revoke", "ada", CLOCHE_DATA=data)
        assert (missing.returncode, missing.stderr.count("has no token")) == (1, 1)


@pytest.mark.slow
def test_it_starts_again_when_a_file_changes_also_after_one_that_was_half_written(tmp_path: Path) -> None:
    source = tmp_path / "source" / "cloche"
    shutil.copytree(Path(cloche.__file__).parent, source, ignore=shutil.ignore_patterns("__pycache__"))
    changed = source / "server" / "metrics.py"
    whole = changed.read_text()
    with serving(tmp_path / "data", "--reload", PYTHONPATH=str(source.parent), CLOCHE_TOKEN=TOKEN) as server:
        assert server.address
        changed.write_text("def (\n")
        server.wait_for("waiting until a file changes", 1)
        changed.write_text(whole)
        server.wait_for("Serving Cloche on", 2)
        assert server.end() == 128 + signal.SIGTERM
