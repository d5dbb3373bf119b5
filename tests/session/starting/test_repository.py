"""Cloning a repository on the host: real git, over HTTP and from folders; the token shows nowhere."""

import http.server
import os
import subprocess
import threading
from base64 import b64decode
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from cloche.errors import SessionError
from cloche.session.starting import repository
from cloche.session.starting.repository import Repository, clone_repository, expand_name, find_repository

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

TOKEN = "tok-1234567890"


def git(folder: Path, *words: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", *words]
    return subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("one")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "checkout", "-qb", "other")
    (folder / "a.txt").write_text("two")
    git(folder, "commit", "-qam", "two")
    git(folder, "checkout", "-q", "main")
    return folder


async def find(selected: str) -> Repository:
    return await to_thread.run_sync(find_repository, selected, dict[str, str]())


class Guarded(http.server.BaseHTTPRequestHandler):
    """git's own server, for who has the token."""

    seen: list[str]
    root: Path

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def answer(self, body: bytes) -> None:
        given = self.headers.get("Authorization") or ""
        self.seen.append(given)
        if not given.startswith("Basic "):
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        env = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "me",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type") or "",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
        }
        said = subprocess.run(["git", "http-backend"], input=body, env=env, check=True, capture_output=True).stdout
        head, _, rest = said.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().splitlines():
            self.send_header(*line.split(": ", 1))
        self.end_headers()
        self.wfile.write(rest)

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def guarded(origin: Path) -> Generator[tuple[str, list[str]]]:
    seen: list[str] = []
    handler = type("Own", (Guarded,), {"seen": seen, "root": origin.parent})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/project/.git", seen
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("selected", "tokens", "url", "name", "token"),
    [
        ("owner/name", {}, "https://github.com/owner/name", "name", ""),
        ("owner/name", {"gitlab": "t"}, "https://gitlab.com/owner/name", "name", "t"),
        ("https://github.com/o/n.git", {"github": "t"}, "https://github.com/o/n.git", "n", "t"),
        ("https://user:secret@example.com/o/n", {}, "https://example.com/o/n", "n", "secret"),
        ("https://git.example.com/o/n", {"git.example.com": "t"}, "https://git.example.com/o/n", "n", "t"),
    ],
)
def test_a_repository_is_named_in_several_ways(
    selected: str, tokens: dict[str, str], url: str, name: str, token: str
) -> None:
    found = find_repository(selected, tokens)
    assert (found.url, found.name, found.token) == (url, name, token)


@pytest.mark.parametrize(
    "selected", ["ssh://git@example.com/a/b", "--upload-pack=x", "ext::sh -c x", "/no/such/folder"]
)
def test_what_is_no_repository_is_refused(selected: str) -> None:
    with pytest.raises(SessionError):
        find_repository(selected, {})


def test_a_short_name_is_one_of_a_provider() -> None:
    assert expand_name("owner/name", "gitlab") == "https://gitlab.com/owner/name"
    for other in ("./a/b", "/a/b", "~/a", "https://a/b", "file:///a/b"):
        assert expand_name(other, "github") == other


async def test_a_folder_is_cloned_with_its_branch_and_removed_again(origin: Path) -> None:
    async with clone_repository(await find(str(origin)), "other") as path:
        assert await anyio.Path(path / "a.txt").read_text() == "two"
        kept = path
    assert not await anyio.Path(kept.parent).exists()


async def test_a_missing_branch_and_a_wrong_one_are_told(origin: Path) -> None:
    for branch, why in [("nothing", "not found"), ("--upload-pack=x", "is no name of a branch")]:
        with pytest.raises(SessionError, match=why):
            async with clone_repository(await find(str(origin)), branch):
                pass


async def test_a_private_repository_needs_its_token_which_is_kept_nowhere(guarded: tuple[str, list[str]]) -> None:
    url, seen = guarded
    with pytest.raises(SessionError, match="If it is private, give its token"):
        async with clone_repository(await find(url), None):
            pass
    commands: list[str] = []
    environments: list[bytes] = []
    config = ""

    def watch() -> None:
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                commands.append((process / "cmdline").read_text())
                environments.append((process / "environ").read_bytes())

    async with anyio.create_task_group() as tasks:

        async def look() -> None:
            while True:
                await to_thread.run_sync(watch)
                await anyio.sleep(0.005)

        tasks.start_soon(look)
        async with clone_repository(Repository(url, "project", TOKEN, "me"), None) as path:
            config = await anyio.Path(path / ".git" / "config").read_text()
            names = await to_thread.run_sync(lambda: [each for each in path.rglob("*") if each.is_file()])
            assert all(TOKEN not in each.read_bytes().decode("latin1") for each in names)
        tasks.cancel_scope.cancel()
    assert url in config
    assert any(each.startswith("Basic ") for each in seen)
    assert any("clone" in each for each in commands)
    assert all(TOKEN not in each for each in commands)
    sent = seen[-1].removeprefix("Basic ")
    assert b64decode(sent) == f"me:{TOKEN}".encode()
    assert any(b"GIT_TERMINAL_PROMPT" in each for each in environments)
    assert all(sent.encode() not in each for each in environments)


async def test_a_clone_that_is_too_large_is_given_up(origin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (origin / "big").write_bytes(os.urandom(3_000_000))
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "big")
    monkeypatch.setattr(repository, "CLONE_LIMIT", 100_000)
    monkeypatch.setattr(repository, "LOOK_EVERY", 0.001)
    with pytest.raises(SessionError, match="could not be cloned"):
        async with clone_repository(await find(str(origin)), None):
            pass


async def test_hooks_filters_and_submodules_of_a_repository_do_nothing(origin: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (origin / ".gitattributes").write_text("* filter=evil\n")
    (origin / ".gitmodules").write_text(f'[submodule "m"]\n\tpath = m\n\turl = {origin}\n')
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "evil")
    git(origin, "config", "filter.evil.smudge", f"touch {mark}")
    hook = origin / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    async with clone_repository(await find(str(origin)), None) as path:
        assert not await anyio.Path(path / "m").exists()
    assert not mark.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
async def test_a_folder_of_somebody_else_is_cloned_if_the_user_trusts_it(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in [origin, *origin.rglob("*")]:
        os.chown(each, 4321, -1)
    settings = tmp_path / "settings"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    with pytest.raises(SessionError, match=r"safe\.directory"):
        async with clone_repository(await find(str(origin)), None):
            pass
    settings.write_text(f'[safe]\n\tdirectory = "/else\\"where"\n\tdirectory = {origin}/.git\n')
    async with clone_repository(await find(str(origin)), None) as path:
        assert await anyio.Path(path / "a.txt").exists()
