"""One engine process, with small programs in the engine's place."""

import logging
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import anyio
import pytest

from cloche.errors import SandboxUnavailable
from cloche.sandbox.process import call as call_module
from cloche.sandbox.process import engine_process as module
from cloche.sandbox.process.engine_process import EngineProcess, Launch
from cloche.sandbox.process.protocol import CallDone, QueryReply
from cloche.sandbox.results.transcript import Transcript

ENGINE = """
import json, socket, struct, sys, time
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def read(n):
    data = b""
    while len(data) < n:
        piece = s.recv(n - len(data))
        if not piece: sys.exit()
        data += piece
    return data
def get(): return json.loads(read(struct.unpack("<I", read(4))[0])[1:])
def send(message, kind=0):
    body = json.dumps(message).encode() if kind == 0 else message
    s.sendall(struct.pack("<IB", len(body) + 1, kind) + body)
config = get()["config"]
"""

READY = 'send({"op": "ready", "languages": []})\n'
Start = Callable[..., EngineProcess]


@pytest.fixture
async def launch(tmp_path: Path) -> AsyncGenerator[Start]:
    made: list[EngineProcess] = []

    def start(script: str, memory_bytes: int = 1 << 40) -> EngineProcess:
        path = str(tmp_path / f"s{len(made)}")
        argv = [sys.executable, "-c", script, path]
        made.append(EngineProcess(Launch(argv, {}, path, (), (), {"x": 1}, memory_bytes), lambda change: None))
        return made[-1]

    with anyio.fail_after(15):
        yield start
        for process in made:
            await process.close()


async def answer(process: EngineProcess) -> CallDone | None:
    """The one answer of a call that is waiting."""
    _, inbox = process.open_inbox()
    with anyio.fail_after(10):
        while True:
            while (message := inbox.take()) is not None:
                if isinstance(message, CallDone):
                    return message
            await inbox.wait()


async def test_an_engine_that_is_ready_is_spoken_to(launch: Start) -> None:
    process = launch(ENGINE + READY + 'm = get(); send({"op": "reply", "id": m["id"], "data": [m, config]}); get()')
    await process.start()
    number, inbox = process.open_inbox()
    process.send({"op": "query", "id": number})
    with anyio.fail_after(5):
        await inbox.wait()
    assert inbox.take() == QueryReply(number, [{"op": "query", "id": number}, {"x": 1}])
    assert not Path(process._launch.socket).exists()  # pyright: ignore[reportPrivateUsage] - nobody else may connect


async def test_an_engine_that_ends_at_once_is_reported_with_its_words(launch: Start) -> None:
    began = time.monotonic()
    with pytest.raises(SandboxUnavailable, match=r"^the sandbox.*with code 3.*: broken glass\. `cloche doctor`.*$"):
        await launch("import sys; print('broken glass', file=sys.stderr); sys.exit(3)").start()
    assert time.monotonic() - began < 5


async def test_what_a_start_that_fails_said_goes_to_the_log(launch: Start, caplog: pytest.LogCaptureFixture) -> None:
    script = "import sys; print('a long story', 'thread panicked at x.rs', sep='\\n', file=sys.stderr); sys.exit(3)"
    with caplog.at_level(logging.DEBUG), pytest.raises(SandboxUnavailable) as told:
        await launch(script).start()
    assert len(str(told.value).splitlines()) == 1
    assert "a long story" not in str(told.value)
    assert "a long story" in caplog.text


async def test_an_engine_that_connects_and_ends_is_reported_with_its_words(launch: Start) -> None:
    with pytest.raises(SandboxUnavailable, match="broken glass"):
        await launch(ENGINE + "sys.exit('broken glass')").start()


async def test_an_engine_that_says_why_it_failed_is_quoted(launch: Start) -> None:
    with pytest.raises(SandboxUnavailable, match="no snapshot"):
        await launch(ENGINE + 'send({"op": "failed", "message": "no snapshot"}); get()').start()


async def test_an_engine_that_never_gets_ready_is_given_up(launch: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START_TIMEOUT", 0.5)
    for script in ("import time; time.sleep(60)", ENGINE + "time.sleep(60)"):
        with pytest.raises(SandboxUnavailable, match="did not start within"):
            await launch(script).start()


async def test_a_program_that_is_not_there_is_an_error_of_the_sandbox(tmp_path: Path) -> None:
    launch = Launch([str(tmp_path / "none")], {}, str(tmp_path / "s"), (), (), {}, 1)
    with pytest.raises((SandboxUnavailable, FileNotFoundError)):
        await EngineProcess(launch, lambda change: None).start()
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sys.exit()", "the engine ended"),
        ("sys.exit('broken glass')", "the engine ended with code 1; its last words: broken glass"),
        ("import os; os.abort()", "the engine ended by SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "by SIGKILL: the machine may be out of memory"),
        ("send(b'', 9); get()", "unknown type 9"),
        ("s.sendall(struct.pack('<IB', 2, 0) + b'{'); get()", "cannot be read"),
        ("s.sendall(b'\\xff' * 5); get()", "announced a message of"),
    ],
)
async def test_an_engine_that_breaks_off_answers_every_call(launch: Start, script: str, why: str) -> None:
    process = launch(ENGINE + READY + "get(); " + script)
    await process.start()
    number, inbox = process.open_inbox()
    process.send({"op": "run"})
    with anyio.fail_after(5):
        while not (messages := inbox.take()):
            await inbox.wait()
    assert messages.id == number  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert why in (process.lost or "")
    done = await answer(process)
    assert done is not None
    assert (done.state, done.outcome.exit_code) == ("lost", 137)
    assert done.outcome.error is not None
    assert why in done.outcome.error.message


async def test_a_process_that_uses_too_much_memory_is_ended(launch: Callable[..., EngineProcess]) -> None:
    process = launch(
        ENGINE + READY + "get(); x = bytearray(300 << 20); x[::4096] = b'1' * len(x[::4096]); time.sleep(60)", 200 << 20
    )
    await process.start()
    process.send({"op": "run"})
    done = await answer(process)
    assert done is not None
    assert done.outcome.error is not None
    assert "of memory, more than the 200 MB it may" in done.outcome.error.message


async def test_closing_ends_the_process_and_may_be_repeated(launch: Start) -> None:
    process = launch(ENGINE + READY + "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    await process.start()
    child = process._process  # pyright: ignore[reportPrivateUsage] - to see that it is gone
    assert child is not None
    began = time.monotonic()
    await process.close()
    await process.close()
    assert child.poll() == -9
    assert time.monotonic() - began < 1


async def test_what_the_engine_writes_to_stderr_does_not_block_it(launch: Start) -> None:
    process = launch(
        ENGINE + READY + "m = get(); sys.stderr.write('x' * 500_000); sys.stderr.flush(); "
        'send({"op": "reply", "id": m["id"], "data": 1}); get()'
    )
    await process.start()
    number, inbox = process.open_inbox()
    process.send({"id": number})
    with anyio.fail_after(10):
        await inbox.wait()
    assert inbox.take() == QueryReply(number, 1)


async def test_a_reader_that_lags_stops_the_engine_and_gets_everything(launch: Start) -> None:
    process = launch(
        ENGINE + READY + "m = get()\nfor _ in range(40): send(struct.pack('<I', m['id']) + b'x' * (1 << 20), 1)\n"
        "send({'op': 'done', 'id': m['id'], 'outcome': {}, 'state': 'kept'}); get()"
    )
    await process.start()
    number, inbox = process.open_inbox()
    process.send({"id": number})
    await anyio.sleep(0.3)
    waiting = len(inbox._messages)  # pyright: ignore[reportPrivateUsage] - how much the host holds
    assert 1 <= waiting < 20
    size = 0
    with anyio.fail_after(10):
        while not isinstance(message := inbox.take(), CallDone):
            if message is None:
                await inbox.wait()
            else:
                size += len(message.data)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    assert size == 40 << 20


async def test_a_start_that_is_cancelled_leaves_no_process(launch: Start, tmp_path: Path) -> None:
    process = launch(ENGINE + "time.sleep(60)")
    with anyio.move_on_after(0.3):
        await process.start()
    await process.close()
    child = process._process  # pyright: ignore[reportPrivateUsage] - to see that it is gone
    assert child is not None
    assert child.poll() == -9
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "message",
    [
        "{'op': 'reply', 'id': m['id'], 'data': big}",
        "{'op': 'request', 'request': number, 'run': m['id'], 'content': {'kind': 'input', 'prompt': big}}",
    ],
    ids=["replies", "prompts"],
)
async def test_large_messages_that_nobody_reads_stop_the_engine(launch: Start, message: str) -> None:
    process = launch(
        ENGINE + READY + f"m = get(); big = 'x' * (1 << 20)\nfor number in range(50): send({message})\nget()"
    )
    await process.start()
    number, inbox = process.open_inbox()
    process.send({"id": number})
    link = process._link  # pyright: ignore[reportPrivateUsage] - to see that it reads no more
    with anyio.fail_after(10):
        while link._reading:  # pyright: ignore[reportPrivateUsage] # noqa: ASYNC110 - no event
            await anyio.sleep(0.01)
    assert 8 <= len(inbox._messages) < 12  # pyright: ignore[reportPrivateUsage] - how much the host holds


async def test_nothing_is_kept_of_what_comes_after_the_end(launch: Start) -> None:
    done = "{'op': 'done', 'id': m['id'], 'outcome': {}, 'state': 'kept'}"
    script = f"m = get()\nfor _ in range(100): send({done})\nsend({{'op': 'reply', 'id': 2, 'data': 1}}); get()"
    process = launch(ENGINE + READY + script)
    await process.start()
    number, inbox = process.open_inbox()
    _, last = process.open_inbox()
    process.send({"id": number})
    with anyio.fail_after(10):
        await last.wait()
    assert len(inbox._messages) == 1  # pyright: ignore[reportPrivateUsage] - how much the host holds


async def test_a_language_is_fetched_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    asked: list[str] = []

    async def provide(language: str) -> tuple[str, int]:
        asked.append(language)
        await anyio.sleep_forever()
        return "", 0

    script = """
def ask(number, language):
    content = {"kind": "pack", "language": language}
    send({"op": "request", "request": number, "run": 0, "content": content, "complete": True})
ask(0, "ruby")
for number in range(1, 1000): ask(number, "ruby"); assert get()["error"]
ask(1000, "none"); get()
"""
    path = str(tmp_path / "s")
    argv = [sys.executable, "-c", ENGINE + READY + "get()\n" + script, path]
    process = EngineProcess(Launch(argv, {}, path, (), (), {}, 1 << 40), lambda change: None, None, provide)
    try:
        await process.start()
        process.send({"op": "run"})
        done = await answer(process)
        assert done is not None
        assert "a language that does not exist" in (process.lost or "")
        assert len(asked) <= 1
    finally:
        await process.close()


async def test_an_engine_that_breaks_a_rule_between_calls_is_ended(launch: Start) -> None:
    process = launch(ENGINE + READY + 'get(); s.sendall(b"\\xff" * 8); time.sleep(60)')
    await process.start()
    process.send({"op": "anything"})
    child = process._process  # pyright: ignore[reportPrivateUsage] - to see that it is gone
    assert child is not None
    with anyio.fail_after(10):
        while child.poll() is None:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.01)
    assert process.lost is not None


async def test_a_start_that_fails_before_the_process_closes_what_it_was_to_have(tmp_path: Path) -> None:
    given = os.open("/dev/null", os.O_RDONLY)
    path = str(tmp_path / ("long" * 40))
    process = EngineProcess(Launch([sys.executable], {}, path, (given,), (given,), {}, 1 << 40), lambda change: None)
    with pytest.raises(SandboxUnavailable, match="control socket"):
        await process.start()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(given)
    await process.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
async def test_a_sandbox_that_computes_yields_to_its_program_until_it_is_called(launch: Start) -> None:
    process = launch(ENGINE + READY + "while True: pass")
    await process.start()
    child = process._process  # pyright: ignore[reportPrivateUsage] - to see how it runs
    assert child is not None
    before = find_niceness(child.pid)
    with anyio.fail_after(10):
        while find_niceness(child.pid) == before:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.01)
    process.open_inbox()
    assert find_niceness(child.pid) == before


def find_niceness(pid: int) -> list[str]:
    """That of a process and of its session; which of them a program may change back differs."""
    return [str(os.getpriority(os.PRIO_PROCESS, pid)), Path(f"/proc/{pid}/autogroup").read_text()]


async def test_an_engine_cannot_set_the_clock_of_a_call_back(launch: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_module, "KILL_GRACE", 0.1)
    script = """
number = get()["id"]
while True:
    for op in ("waiting", "begun"): send({"op": op, "id": number})
    time.sleep(0.05)
"""
    process = launch(ENGINE + READY + script)
    await process.start()
    call = call_module.Call(process, "python", timeout=0.5, record=Transcript(1000))
    call.start({}, None)
    with anyio.fail_after(10):
        while not call.finished:
            await call.next()
    assert process.lost == "the code could not be stopped in any other way"


@pytest.mark.slow
async def test_memory_is_looked_after_while_output_floods(launch: Start, tmp_path: Path) -> None:
    """The engine writes to both streams in turn, and then grows, by a step of 4 MB every 50 ms."""
    script = f"""
import threading
number = get()["id"]
def frame(kind, data): return struct.pack("<IBI", 5 + len(data), kind, number) + data
def flood():
    for size, times in ((512 << 10, 1), (1, 20000)):
        s.sendall((frame(1, b"a" * size) + frame(2, b"b" * size)) * times)
    s.sendall(frame(1, b"z" * 4096) * 256)
threading.Thread(target=flood).start()
time.sleep(0.5)
steps = []
for _ in range(200):
    steps.append(b"x" * (4 << 20))
    with open({str(tmp_path / "grown")!r}, "ab") as file: file.write(b".")
    time.sleep(0.05)
get()
"""
    process = launch(ENGINE + READY + script, 100 << 20)
    await process.start()
    call = call_module.Call(process, "python", timeout=None, record=Transcript(1 << 20))
    call.start({}, None)
    while not call.finished:
        await call.next()
    assert "MB of memory, more than the 100 MB it may" in (process.lost or "")
    assert (tmp_path / "grown").stat().st_size < 100
