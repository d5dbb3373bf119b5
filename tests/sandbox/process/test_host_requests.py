"""Questions of an engine to the host, with small programs in the engine's place."""

import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from cloche.errors import ConfigError, SandboxUnavailable
from cloche.limits import FRAME_LIMIT, HOST_REQUESTS, REQUEST_WINDOW, WORKER_LIMIT
from cloche.sandbox.process import link
from cloche.sandbox.process.engine_process import EngineProcess, Launch
from cloche.sandbox.process.host_requests import Answerer, HostRequest
from cloche.sandbox.process.link import Link
from cloche.sandbox.process.protocol import RequestBodyEnd, RequestChunk

ENGINE = """
import json, socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def read(n):
    data = b""
    while len(data) < n:
        piece = s.recv(min(n - len(data), 1 << 20))
        if not piece: sys.exit()
        data += piece
    return data
def get():
    body = read(struct.unpack("<I", read(4))[0])
    if body[0] == 3: return {"op": "chunk", "request": struct.unpack("<I", body[1:5])[0], "size": len(body) - 5}
    return json.loads(body[1:])
def send(message, kind=0):
    body = json.dumps(message).encode() if kind == 0 else message
    s.sendall(struct.pack("<IB", len(body) + 1, kind) + body)
def ask(number, **content): send({"op": "request", "request": number, "run": 1, "content": content})
def piece(number, data): send(struct.pack("<I", number) + data, 3)
def report(data): send({"op": "reply", "id": 1, "data": data})
get()
send({"op": "ready", "languages": []})
"""
STAY = "\nwhile True: get()\n"


class Answers:
    """What the tests answer, and what they saw."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.ended = anyio.Event()
        self.sent = 0

    def table(self) -> dict[str, Answerer]:
        return {
            "echo": self.echo,
            "print": self.print,
            "wait": self.wait,
            "much": self.much,
            "refuse": self.refuse,
            "break": self.fail,
            "lack": self.lack,
            "tell": self.tell,
            "close": self.close,
        }

    async def echo(self, ask: HostRequest) -> None:
        size = 0
        async for data in ask.body():
            size += len(data)
        ask.respond([ask.content["text"], size])
        await ask.send(b"abc")

    async def print(self, ask: HostRequest) -> None:
        ask.answer({"exit": 0})
        await ask.send(b"abc")

    async def wait(self, ask: HostRequest) -> None:
        self.begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.ended.set()

    async def much(self, ask: HostRequest) -> None:
        for _ in range(100):
            await ask.send(bytes(1 << 20))
            self.sent += 1

    async def refuse(self, ask: HostRequest) -> None:
        raise ConfigError("not today")

    async def lack(self, ask: HostRequest) -> None:
        raise FileNotFoundError(2, "No such file or directory", "/secret")

    async def tell(self, ask: HostRequest) -> None:
        ask.respond("x" * FRAME_LIMIT)

    async def close(self, ask: HostRequest) -> None:
        ask.answer("x" * FRAME_LIMIT)

    async def fail(self, ask: HostRequest) -> None:
        ask.answer(1)
        raise ZeroDivisionError("one over none")


async def talk(script: str, answers: Answers, folder: Path) -> Any:
    """What the engine reports at the end of its script."""
    launch = Launch(
        [sys.executable, "-c", ENGINE + script + STAY, str(folder / "s")], {}, str(folder / "s"), (), (), {}, 1 << 40
    )
    ended = threading.Event()

    def grant(change: object) -> None:
        ended.wait()

    process = EngineProcess(launch, grant, answers.table())
    number, inbox = process.open_inbox()
    assert number == 1
    try:
        with anyio.fail_after(10):
            await process.start()
            while (message := inbox.take()) is None:
                await inbox.wait()
            return getattr(message, "data", [])
    finally:
        ended.set()
        await process.close()


async def test_a_question_with_bytes_gets_an_answer_with_bytes(tmp_path: Path) -> None:
    script = """
ask(7, kind="echo", text="hi"); piece(7, b"12"); piece(7, b"345"); send({"op": "end", "request": 7})
report([get() for _ in range(3)])
"""
    assert await talk(script, Answers(), tmp_path) == [
        {"op": "response", "request": 7, "data": ["hi", 5]},
        {"op": "chunk", "request": 7, "size": 3},
        {"op": "end", "request": 7, "error": None},
    ]


async def test_an_answer_leaves_with_the_end_behind_its_bytes(tmp_path: Path) -> None:
    script = 'ask(7, kind="print"); report([get() for _ in range(2)])'
    assert await talk(script, Answers(), tmp_path) == [
        {"op": "chunk", "request": 7, "size": 3},
        {"op": "end", "request": 7, "error": None, "data": {"exit": 0}},
    ]


@pytest.mark.parametrize(
    ("what", "kind", "why"),
    [
        ("refuse", "ConfigError", "not today"),
        ("nothing", "Unavailable", "nobody answers"),
        ("break", "InternalError", "the host failed (ZeroDivisionError)"),
        ("lack", "FileNotFoundError", "No such file or directory"),
        ("tell", "TooLong", "the host's answer is too long: 16777"),
        ("close", "TooLong", "the host's answer is too long: 16777"),
    ],
)
async def test_a_refusal_names_its_reason(what: str, kind: str, why: str, tmp_path: Path) -> None:
    script = f"""
ask(1, kind={what!r})
while (message := get())["op"] != "end": pass
report(message["error"])
"""
    error = await talk(script, Answers(), tmp_path)
    assert error["type"] == kind
    assert why in error["message"]
    assert "/secret" not in error["message"]
    assert "one over none" not in error["message"]


async def test_no_more_is_sent_than_the_other_side_has_room_for(tmp_path: Path) -> None:
    answers = Answers()
    script = """
ask(1, kind="much"); got = 0
while got < (4 << 20): got += get()["size"]
s.settimeout(0.3)
try: extra = s.recv(1)
except TimeoutError: extra = b""
report(len(extra))
"""
    assert await talk(script, answers, tmp_path) == 0
    assert answers.sent == REQUEST_WINDOW >> 20


async def test_an_engine_that_sends_more_than_was_asked_for_is_cut_off(tmp_path: Path) -> None:
    script = """
ask(1, kind="wait")
for _ in range(9): piece(1, bytes(1 << 20))
report(get()["error"]["type"])
"""
    answers = Answers()
    assert await talk(script, answers, tmp_path) == "TooMuch"
    assert answers.ended.is_set()


async def test_many_small_pieces_take_little_memory() -> None:
    ask = HostRequest(1, 1, {}, Link(lambda _message, _weight: None, lambda _: None))
    for _ in range(100_000):
        assert ask.receive(RequestChunk(1, b"ab"))
    ask.receive(RequestBodyEnd(1))
    pieces = [piece async for piece in ask.body()]
    assert len(pieces) < 10
    assert b"".join(pieces) == b"ab" * 100_000


async def test_an_engine_that_wants_more_and_reads_nothing_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "BACKLOG", 16 << 20)
    script = """
ask(1, kind="much")
for _ in range(50): send({"op": "credit", "request": 1, "bytes": 1 << 30}); time.sleep(0.02)
while True: time.sleep(1)
"""
    said = await talk("import time\n" + script, Answers(), tmp_path)
    assert "does not read what it is sent" in said["error"]


async def test_an_engine_that_wants_too_many_file_changes_at_once_is_ended(tmp_path: Path) -> None:
    script = f"""
for number in range({WORKER_LIMIT + 1}): ask(number, kind="chmod", path="/x")
"""
    with pytest.raises(SandboxUnavailable, match="too many changes of files"):
        raise SandboxUnavailable((await talk(script, Answers(), tmp_path))["error"])


async def test_a_question_that_is_dropped_or_left_is_stopped(tmp_path: Path) -> None:
    dropped = Answers()
    drop = 'ask(1, kind="wait"); ask(2, kind="echo", text=""); send({"op": "abort", "request": 1}); report(1)'
    await talk(drop, dropped, tmp_path)
    assert dropped.ended.is_set() or not dropped.begun.is_set()
    left = Answers()
    await talk('ask(1, kind="wait"); ask(2, kind="refuse"); get(); report(1); get()', left, tmp_path)
    assert left.begun.is_set()
    assert left.ended.is_set()


async def test_input_is_for_the_call_that_reads_it_and_for_nobody_else(tmp_path: Path) -> None:
    answers = Answers()
    script = """
send({"op": "request", "request": 1, "run": 9, "content": {"kind": "input", "prompt": ""}})
report(get())
"""
    assert await talk(script, answers, tmp_path) == {"op": "end", "request": 1, "error": None}


async def test_input_that_nobody_reads_is_ended_with_its_call_and_there_is_not_too_much_of_it(tmp_path: Path) -> None:
    script = f"""
for number in range({HOST_REQUESTS + 1}): ask(number, kind="input", prompt="")
print(get()["error"]["type"], file=log, flush=True)
while (message := get())["op"] == "end": print(message["error"], file=log, flush=True)
"""
    log = tmp_path / "log"
    launch = Launch(
        [sys.executable, "-c", f"log = open({str(log)!r}, 'w')\n" + ENGINE + script, str(tmp_path / "s")],
        {},
        str(tmp_path / "s"),
        (),
        (),
        {},
        1 << 40,
    )
    process = EngineProcess(launch, lambda change: None)
    number, inbox = process.open_inbox()
    try:
        with anyio.fail_after(10):
            await process.start()
            while not log.read_text():  # noqa: ASYNC110 - another process writes it
                await anyio.sleep(0.01)
            first = inbox.take()
            assert isinstance(first, HostRequest)
            assert first.content["kind"] == "input"
            process.close_inbox(number)
            while len(lines := log.read_text().splitlines()) <= HOST_REQUESTS:  # noqa: ASYNC110 - as above
                await anyio.sleep(0.01)
            assert lines == ["TooMany"] + ["None"] * HOST_REQUESTS
    finally:
        await process.close()


async def test_only_so_many_questions_are_open_at_once(tmp_path: Path) -> None:
    script = f"""
for number in range({HOST_REQUESTS + 1}): ask(number, kind="wait")
report(get())
"""
    message = await talk(script, Answers(), tmp_path)
    assert message["request"] == HOST_REQUESTS
    assert message["error"]["type"] == "TooMany"
