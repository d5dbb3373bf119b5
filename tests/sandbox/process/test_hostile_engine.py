"""An engine that sends thousands of messages in any order, and some that are none: always one result, nothing left."""

import asyncio
import random
import struct
import sys
import types
import typing
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, Union

import anyio
import msgspec
import pytest

from cloche.sandbox.process.call import Call
from cloche.sandbox.process.engine_process import EngineProcess, Launch
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.protocol import JsonMessage
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.results.result import Result
from cloche.sandbox.results.transcript import Transcript

ENGINE = """
import socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def get():
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack("<I", data[:4])[0]:
        piece = s.recv(1 << 16)
        if not piece: sys.exit()
        data += piece
get()
ready = b'{"op":"ready","languages":[]}'
s.sendall(struct.pack("<IB", len(ready) + 1, 0) + ready)
get()
try:
    s.sendall(open(sys.argv[2], "rb").read())
    while s.recv(1 << 16): pass
except OSError: pass
"""

MESSAGES = 1500
ENDS = {"failed", "stuck", "done"}
"""Kinds of messages after which the process or the call is over: rare, or nothing would come after them."""

TEXTS = ["", "x" * 3000, "python", "nowhere", "../..", "/etc/passwd", "a\0b", "\U0001f600", "\n", "fetch", "link"]
NUMBERS = [0, 1, -1, 2, 69, 2**31, 2**53, 2**63 - 1]


class Chaos:
    """Makes messages: of the right form with any contents, or, when `fatal`, of any form."""

    def __init__(self, seed: int, *, fatal: bool) -> None:
        self._random = random.Random(seed)
        self._fatal = fatal

    def stream(self) -> bytes:
        frames = b"".join(self._frame() for _ in range(MESSAGES))
        return frames + frame(0, b'{"op":"done","id":1,"outcome":{"value":"end"},"state":"kept"}')

    def _frame(self) -> bytes:
        choice = self._random
        kind = choice.random()
        if self._fatal and kind < 0.004:
            return choice.choice(list(self._broken()))
        if kind < 0.2:
            return frame(choice.choice([1, 2]), struct.pack("<I", choice.choice([1, 1, 0, 2**32 - 1])) + self._bytes())
        if kind < 0.3:
            return frame(3, struct.pack("<I", choice.randrange(70)) + self._bytes())
        shape = choice.choice([each for each in typing.get_args(JsonMessage) if self._may_send(each)])
        return frame(0, msgspec.json.encode({"op": tag_of(shape), **self._fields(shape)}))

    def _may_send(self, shape: type) -> bool:
        return tag_of(shape) not in ENDS or (self._fatal and self._random.random() < 0.02)

    def _broken(self) -> Iterator[bytes]:
        choice = self._random
        yield choice.randbytes(choice.randrange(1, 60))
        yield struct.pack("<IB", choice.choice([0, 2**31, 2**32 - 1]), choice.randrange(256))
        yield frame(choice.randrange(4, 256), self._bytes())
        yield frame(0, b'{"op":"reply","id":1,"data":' + b"[" * 5000 + b"]" * 5000 + b"}")
        yield frame(
            0, msgspec.json.encode({"op": choice.choice(["ready", "request", "display"]), "id": self._anything()})
        )

    def _bytes(self) -> bytes:
        return self._random.randbytes(self._random.randrange(400))

    def _fields(self, shape: type) -> dict[str, Any]:
        hints = typing.get_type_hints(shape)
        return {each.encode_name: self._value(hints[each.name]) for each in msgspec.structs.fields(shape)}

    def _value(self, hint: Any) -> Any:
        """Something that the decoder takes for this type."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is Literal:
            return self._random.choice(args)
        if origin in (Union, types.UnionType):
            return self._value(self._random.choice(args))
        if origin in (list, tuple):
            return [self._value(args[0]) for _ in range(self._random.randrange(3))]
        if origin is dict:
            keys = self._random.sample(["kind", "path", "text/plain", "image/png", "method"], self._random.randrange(5))
            return {key: self._value(args[1]) for key in keys}
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            return self._fields(hint)
        plain: dict[Any, Callable[[], Any]] = {
            int: lambda: self._random.choice(NUMBERS),
            float: lambda: self._random.choice([0.0, -1.0, 0.001, 1e308]),
            bool: lambda: self._random.random() < 0.5,
            str: lambda: self._random.choice(TEXTS),
            type(None): lambda: None,
        }
        return plain[hint]() if hint in plain else self._anything()

    def _anything(self, depth: int = 0) -> Any:
        if depth > 3 or self._random.random() < 0.6:
            return self._random.choice([None, True, 7, -(2**63), 0.5, *TEXTS])
        inside = [self._anything(depth + 1) for _ in range(self._random.randrange(4))]
        return inside if self._random.random() < 0.5 else {str(key): each for key, each in enumerate(inside)}


def frame(kind: int, body: bytes) -> bytes:
    return struct.pack("<IB", len(body) + 1, kind) + body


def tag_of(shape: type) -> str:
    tag = typing.cast("type[msgspec.Struct]", shape).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


async def read_body(request: HostRequest) -> None:
    async for _ in request.body():
        pass
    request.answer({})


@pytest.mark.parametrize("fatal", [False, True], ids=["of_the_right_form", "of_any_form"])
@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(12))
async def test_whatever_an_engine_sends_a_call_has_one_result(seed: int, fatal: bool, tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
    (tmp_path / "frames").write_bytes(Chaos(seed, fatal=fatal).stream())
    argv = [sys.executable, "-c", ENGINE, str(tmp_path / "s"), str(tmp_path / "frames")]
    before = asyncio.all_tasks()
    process = EngineProcess(
        Launch(argv, {}, str(tmp_path / "s"), (), (), {}, 1 << 40), lambda _: None, {"fetch": read_body}
    )
    try:
        with anyio.fail_after(30):
            await process.start()
            call = Call(process, "python", timeout=20, record=Transcript(1 << 16))
            call.start(build_run_request("1", stdin=None, interactive=True, profile=False), lambda _: "x")
            events = [event async for event in follow(call)]
            call.close()
    finally:
        await process.close()
    results = [event for event in events if isinstance(event, Result)]
    assert (len(results), events[-1]) == (1, results[0])
    assert results[0].state == "lost" or results[0].value in ("end", *TEXTS, None)
    assert wrong == []
    assert asyncio.all_tasks() == before


async def follow(call: Call) -> AsyncGenerator[object]:
    while (event := await call.next()) is not None:
        yield event
