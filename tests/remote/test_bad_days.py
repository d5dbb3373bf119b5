"""Bad ways to a server, servers that die, and servers that are none: each call is made once at most, and ends."""

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
import trustme
from anyio.abc import SocketAttribute, SocketStream

import cloche
from cloche.errors import ConfigError, ServerUnauthorized, ServerUnavailable
from cloche.remote import connection, patience
from cloche.remote.problems import ProblemDetails
from cloche.sandbox.results.result import Text
from tests.remote.served import TOKEN, Served, free_port, serving
from tests.runtime.remote.unreliable_proxy import Step, answer, read_request, unreliable

PATIENCE = 80
pytestmark = [pytest.mark.timeout(120), pytest.mark.slow]
CALLS = b"/calls HTTP"
SLOW = "import time\nfor i in range(100): print('line', i); time.sleep(0.01)"
LINES = "application/x-ndjson"
PASSING = {
    "cut before it was sent": Step(False),
    "cut before the answer": Step(True),
    "cut in the head of the answer": Step(True, kept=20),
    "cut in the first line": Step(True, kept=400),
    "half a line": Step(True, instead=answer("200 OK", b'{"event":"beg', LINES, size=9999)),
    "lines without an end": Step(True, instead=answer("200 OK", b"\n\n\n", LINES)),
    "no HTTP": Step(True, instead=b"SSH-2.0-x\r\n"),
    "a proxy without its server": Step(True, instead=answer("502 Bad Gateway", b"<h1>", "text/html")),
    "an error of a proxy": Step(True, instead=answer("500 Internal Server Error", b"{}")),
    "too many requests": Step(False, instead=answer("429 Too Many Requests", b"{}", more="retry-after: 1\r\n")),
    "a server that ends": Step(
        False,
        instead=answer(
            "503 Unavailable",
            msgspec.json.encode(ProblemDetails("t", "t", 503, "it ends", "stopping", "id")),
            "application/problem+json",
        ),
    ),
}
LASTING: dict[str, tuple[Step, type[Exception], str]] = {
    "garbage": (Step(True, instead=answer("200 OK", b"{garbage!\n", LINES)), ServerUnavailable, "could not be read"),
    "another line": (
        Step(True, instead=answer("200 OK", b'{"event":"other"}\n', LINES)),
        ServerUnavailable,
        "could not be read",
    ),
    "a wrong result": (
        Step(True, instead=answer("200 OK", b'{"event":"result","value":7}\n', LINES)),
        ServerUnavailable,
        "could not be read",
    ),
    "another end": (
        Step(True, instead=answer("200 OK", b'{"event":"done","value":7}\n', LINES)),
        ServerUnavailable,
        "does not belong to the call",
    ),
    "deep": (
        Step(True, instead=answer("200 OK", b'{"event":"done","value":' + b"[" * 99999 + b"\n", LINES)),
        ServerUnavailable,
        "could not be read",
    ),
    "no token": (Step(False, instead=answer("401 Unauthorized", b"{}")), ServerUnauthorized, "accept the token"),
    "no access": (Step(False, instead=answer("403 Forbidden", b"no", "text/plain")), ServerUnauthorized, "not allow"),
    "nothing there": (
        Step(False, instead=answer("404 Not Found", b"<h1>", "text/html")),
        ServerUnavailable,
        "no Cloche server",
    ),
    "moved": (
        Step(False, instead=answer("307 Moved", more="location: http://127.0.0.1:9/elsewhere\r\n")),
        ServerUnavailable,
        "sent us on to 'http://127.0.0.1:9/elsewhere'",
    ),
    "a teapot": (Step(False, instead=answer("418 I'm a teapot", b"{}")), ServerUnavailable, "answered 418"),
    "an error with any name": (
        Step(
            False,
            instead=answer(
                "409 Conflict",
                msgspec.json.encode(ProblemDetails("t", "t", 409, "boo", "SystemExit", "id")),
                "application/problem+json",
            ),
        ),
        ServerUnavailable,
        "refused: boo",
    ),
}


@pytest.fixture(scope="module")
def served(prepared: object, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server in a process of its own."""
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


async def test_what_goes_wrong_on_the_way_is_repeated_and_done_once(served: Served) -> None:
    async with unreliable(served.url, "", CALLS) as way:
        with anyio.fail_after(PATIENCE):
            async with cloche.connect(way.url, TOKEN) as box:
                for number, (name, step) in enumerate(PASSING.items()):
                    way.steps, way.seen = [step], []
                    result = await box.bash(f"echo line >> {number}; cat {number}")
                    assert (result.stdout, result.error) == ("line\n", None), name
                    assert len(way.seen) == 2, name
                way.steps = [Step(True, kept=700), Step(True, kept=5000), Step(False), Step(True, kept=3000)]
                texts = [
                    event.text
                    async for event in box.stream(
                        "import time\nfor i in range(100): print('line', i); time.sleep(0.01)"
                    )
                    if isinstance(event, Text)
                ]
                assert "".join(texts) == "".join(f"line {i}\n" for i in range(100))
                assert way.steps == []


async def test_what_lasts_is_reported_at_once_and_the_next_call_works(served: Served) -> None:
    async with unreliable(served.url, "", CALLS) as way:
        with anyio.fail_after(PATIENCE):
            async with cloche.connect(way.url, TOKEN) as box:
                for name, (step, kind, said) in LASTING.items():
                    way.steps, way.seen = [step], []
                    with pytest.raises(kind, match=said) as caught:
                        await box.bash("echo line")
                    assert type(caught.value) is kind, name
                    assert len(way.seen) == 1, name
                    assert (await box.bash("echo on")).stdout == "on\n", name


async def test_a_silent_way_is_left_for_another(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CALL_SILENCE", 0.5)
    monkeypatch.setattr(connection, "ANSWER_TIMEOUT", 2.0)
    async with unreliable(served.url, "", CALLS) as way:
        with anyio.fail_after(PATIENCE):
            async with cloche.connect(way.url, TOKEN) as box:
                begin = answer("200 OK", b"", LINES, size=999)
                way.steps = [Step(True, hangs=True), Step(True, instead=begin, hangs=True)]
                assert (await box.bash("echo line >> f; cat f")).stdout == "line\n"


async def test_a_server_that_stays_away_is_given_up(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "CALL_RECONNECT", 1.0)
    monkeypatch.setattr(patience.Patience.__init__, "__defaults__", (1.0,))
    async with unreliable(served.url, "", CALLS) as way:
        with anyio.fail_after(PATIENCE):
            async with cloche.connect(way.url, TOKEN) as box:
                way.steps = [Step(False)] * 20
                with pytest.raises(ServerUnavailable, match=r"could not be reached .* is not known"):
                    await box.bash("echo")


async def wait_for(there: Callable[[], object]) -> None:
    """Wait for something that no event tells."""
    while not there():  # noqa: ASYNC110 - as it says
        await anyio.sleep(0.05)


async def test_a_server_that_is_killed_mid_call_has_made_it_once_and_says_what_is_gone(
    prepared: object, tmp_path: Path
) -> None:
    port = free_port()
    failures: list[ServerUnavailable] = []
    begun = anyio.Event()

    async def work(box: cloche.RemoteSandbox) -> None:
        try:
            async for event in box.stream("echo line >> log; echo begun; sleep 60", language="bash", timeout=90):
                if isinstance(event, Text):
                    begun.set()
        except ServerUnavailable as error:
            failures.append(error)

    with anyio.fail_after(PATIENCE):
        with serving(tmp_path, port=port) as first:
            box = cloche.connect(first.url, TOKEN)
            await box.__aenter__()
            await box.run("x = 1")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(work, box)
                await begun.wait()
                os.kill(first.process.pid, signal.SIGKILL)
                await anyio.to_thread.run_sync(first.process.wait)
                with serving(tmp_path, port=port):
                    await wait_for(lambda: failures)
                    assert "is gone, with its variables" in str(failures[0])
                    assert "was recorded before that, as event" in str(failures[0])
                    assert "not executed again" in str(failures[0])
                    assert (await box.bash("cat log")).stdout == "line\n"
                    assert (await box.run("x")).error is not None
                    await box.close()


async def test_a_server_that_is_killed_between_a_call_and_its_answer_has_made_it_once(
    prepared: object, tmp_path: Path
) -> None:
    port = free_port()
    failures: list[ServerUnavailable] = []

    async def work(box: cloche.RemoteSandbox) -> None:
        try:
            await box.bash("echo line >> log; echo done")
        except ServerUnavailable as error:
            failures.append(error)

    with anyio.fail_after(PATIENCE):
        with serving(tmp_path, port=port) as first:
            async with (
                unreliable(first.url, "", CALLS) as way,
                cloche.connect(way.url, TOKEN) as box,
                anyio.create_task_group() as tasks,
            ):
                # The first attempt is made, and its answer lost; the others do not arrive.
                way.steps, way.seen = [Step(True), *[Step(False)] * 200], []
                tasks.start_soon(work, box)
                await wait_for(lambda: len(way.seen) > 1)
                os.kill(first.process.pid, signal.SIGKILL)
                await anyio.to_thread.run_sync(first.process.wait)
                with serving(tmp_path, port=port):
                    way.steps = []
                    await wait_for(lambda: failures)
                    assert "What came of it: done" in str(failures[0])
                    assert (await box.bash("cat log")).stdout == "line\n"
                    await box.close()


async def test_a_client_that_is_killed_leaves_no_running_code(served: Served, tmp_path: Path) -> None:
    code = (
        "import anyio, cloche, sys\n"
        "async def main():\n"
        "    async with cloche.connect(sys.argv[1], sys.argv[2], session=sys.argv[3]) as box:\n"
        "        async for event in box.stream('print(1, flush=True)\\nwhile True: pass', timeout=20):\n"
        "            print('on', flush=True)\n"
        "anyio.run(main)\n"
    )
    with anyio.fail_after(PATIENCE):
        async with cloche.connect(served.url, TOKEN, keep=False) as box:
            command = [sys.executable, "-c", code, served.url, TOKEN, box.session]
            async with await anyio.open_process(command) as child:
                assert child.stdout is not None
                assert (await child.stdout.receive()).startswith(b"on")
                child.kill()
            # It has the sandbox as soon as the abandoned code has come to its time limit, at the latest.
            assert (await box.run("6 * 7", timeout=5)).value == "42"


async def test_certificates_are_checked_with_those_of_this_machine(
    prepared: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    named = authority.issue_cert("127.0.0.1")
    files = {name: str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem")}
    authority.cert_pem.write_to_path(files["ca.pem"])
    named.cert_chain_pems[0].write_to_path(files["cert.pem"])
    named.private_key_pem.write_to_path(files["key.pem"])
    env = {"CLOCHE_SERVER__TLS_CERT": files["cert.pem"], "CLOCHE_SERVER__TLS_KEY": files["key.pem"]}
    with anyio.fail_after(PATIENCE), serving(tmp_path / "data", env=env) as served:
        assert served.url.startswith("https://")
        with pytest.raises(ServerUnavailable, match=r"certificate of https://.* is not trusted: .*SSL_CERT_FILE"):
            async with cloche.connect(served.url, TOKEN):
                pass
        monkeypatch.setenv("SSL_CERT_FILE", files["ca.pem"])
        async with cloche.connect(served.url, TOKEN) as box:
            assert (await box.run("6 * 7")).value == "42"


@asynccontextmanager
async def pretending(reply: bytes, seen: list[bytes]) -> AsyncGenerator[str]:
    """A server that is none: it answers everything with these bytes."""

    async def handle(stream: SocketStream) -> None:
        async with stream:
            seen.append(await read_request(stream))
            await stream.send(reply)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (answer("200 OK", b"<html>Welcome to the hotel", "text/html"), "could not be read"),
        (answer("200 OK", b'{"id": "../../etc", "runtime": "x"}'), "could not be read"),
        (answer("200 OK", b"null"), "could not be read"),
        (b"SSH-2.0-OpenSSH\r\n", "before it answered|could not be reached"),
        (b"", "before it answered|could not be reached"),
        (answer("204 No Content"), "could not be read"),
    ],
)
async def test_what_is_no_server_is_reported(reply: bytes, said: str) -> None:
    seen: list[bytes] = []
    with anyio.fail_after(PATIENCE):
        async with pretending(reply, seen) as url:
            with pytest.raises(ServerUnavailable, match=said):
                async with cloche.connect(url, TOKEN):
                    pass
    assert len(seen) == 1


async def test_the_token_goes_nowhere_else() -> None:
    seen: list[bytes] = []
    asked: list[bytes] = []
    with anyio.fail_after(PATIENCE):
        async with pretending(answer("200 OK", b"{}"), seen) as other:
            moved = answer("302 Found", more=f"location: {other}/api/sessions\r\n")
            async with pretending(moved, asked) as url:
                with pytest.raises(ServerUnavailable, match="where the token must not go"):
                    async with cloche.connect(url, TOKEN):
                        pass
    assert f"authorization: bearer {TOKEN}".encode() in asked[0].lower()
    assert seen == []


async def test_an_answer_without_an_end_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_LIMIT", 100_000)
    monkeypatch.setattr(connection.ServerAnswer.read_all, "__defaults__", (100_000,))
    endless = answer("200 OK", b"x" * 200_000)
    with anyio.fail_after(PATIENCE):
        async with pretending(endless, []) as url:
            with pytest.raises(ServerUnavailable, match="more than 100000 bytes"):
                async with cloche.connect(url, TOKEN):
                    pass


def test_a_program_that_lacks_the_library_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", dict[str, None]().get)
    with pytest.raises(ConfigError, match=r"pip install 'cloche\[client\]'"):
        cloche.connect("http://127.0.0.1:9", "t")
