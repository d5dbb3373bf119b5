"""Frames between the host and the engine: length, type, body."""

import struct
from typing import Any, Literal

import msgspec

from cloche.errors import SandboxError
from cloche.limits import FRAME_LIMIT
from cloche.sandbox.process.protocol import JsonMessage, Message, OutputBlock, RequestChunk

JSON_FRAME = 0
CHUNK_FRAME = 3
STREAMS: dict[int, Literal["stdout", "stderr"]] = {1: "stdout", 2: "stderr"}
_HEAD = struct.Struct("<IB")
_LENGTH = struct.Struct("<I")
_CHUNK = struct.Struct("<IBI")
_decoder: msgspec.json.Decoder[JsonMessage] = msgspec.json.Decoder(JsonMessage)

OVERHEAD = 512
"""Bytes that a message takes beside its contents, roughly."""

VALUE = 32
"""Bytes of memory for each comma, colon and bracket of JSON, roughly."""


def estimate_memory(body: bytes) -> int:
    """How much memory a JSON message takes, roughly: lists and objects take many times the size of their text."""
    return OVERHEAD + len(body) + VALUE * (body.count(b",") + body.count(b":") + body.count(b"[") + body.count(b"{"))


class BadFrame(SandboxError):
    """The engine sent something that is not a message."""

    code = "bad_frame"


class MessageTooLong(ValueError):
    """What was to be sent to the engine does not fit into one message."""


def encode_frame(message: dict[str, Any]) -> bytes:
    """A frame to the engine."""
    body = msgspec.json.encode(message)
    if len(body) > FRAME_LIMIT:
        raise MessageTooLong(
            f"{len(body)} bytes are over the limit of {FRAME_LIMIT} for one message: pass it as a file"
        )
    return _HEAD.pack(len(body) + 1, JSON_FRAME) + body


def encode_chunk_frame(request: int, data: bytes | memoryview) -> bytes:
    """A frame with bytes of an answer."""
    return b"".join((_CHUNK.pack(len(data) + 5, CHUNK_FRAME, request), data))


class FrameReader:
    """Takes bytes in pieces of any size and returns whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes | memoryview) -> None:
        self._buffer += data

    def take(self) -> tuple[Message, int] | None:
        """The next whole message and how much memory it takes."""
        if len(self._buffer) < _HEAD.size:
            return None
        length, kind = _HEAD.unpack_from(self._buffer)
        if not 1 <= length <= FRAME_LIMIT + 64:
            raise BadFrame(f"the engine announced a message of {length} bytes")
        end = 4 + length
        if len(self._buffer) < end:
            return None
        body = bytes(memoryview(self._buffer)[_HEAD.size : end])
        del self._buffer[:end]
        return _decode_frame(kind, body)


def _decode_frame(kind: int, body: bytes) -> tuple[Message, int]:
    if kind == JSON_FRAME:
        try:
            return _decoder.decode(body), estimate_memory(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadFrame(f"the engine sent a message that cannot be read: {error}") from error
    if kind in STREAMS and len(body) >= 4:
        (run,) = _LENGTH.unpack_from(body)
        return OutputBlock(run, STREAMS[kind], body[4:]), OVERHEAD + len(body)
    if kind == CHUNK_FRAME and len(body) >= 4:
        return RequestChunk(_LENGTH.unpack_from(body)[0], body[4:]), OVERHEAD + len(body)
    raise BadFrame(f"the engine sent a message of unknown type {kind}")
