"""What a call gives back, and the bounded transcript behind it."""

import codecs
from collections import deque
from typing import Any, Literal

import msgspec

from cloche.errors import CodeError, CodeTimeout
from cloche.limits import DISPLAYS_LIMIT, LEFT_OUT
from cloche.sandbox.wire import CodeFailure, Display, Done, weigh

Stream = Literal["stdout", "stderr"]
State = Literal["kept", "lost"]


class Text(msgspec.Struct, frozen=True, tag="output", tag_field="event"):
    """Output as it came."""

    stream: Stream
    text: str


class Shown(msgspec.Struct, frozen=True, tag="display", tag_field="event"):
    """A rich display, an update of one, or the value of the last expression."""

    display: Display


class Cleared(msgspec.Struct, frozen=True, tag="clear", tag_field="event"):
    """The code asked to clear what was shown so far; with `wait`, when the next output comes."""

    wait: bool


class Result(msgspec.Struct, frozen=True, tag="result", tag_field="event"):
    """What came of one call."""

    language: str
    value: str | None
    """The last expression as text; None when there is none."""
    stdout: str
    stderr: str
    output: list[tuple[Stream, str]]
    """Both streams in the order they were written."""
    displays: list[Display]
    error: CodeFailure | None
    exit_code: int
    timed_out: bool
    state: State
    """`lost` when the code could only be stopped by replacing its interpreter: variables are gone, files are kept."""
    duration: float
    """Seconds."""
    truncated: bool = False
    """Whether output was left out in the middle, or displays at the end, because there was too much of it."""
    profile: dict[str, Any] | None = None
    cwd: str | None = None
    """The folder in which bash or Python stands afterwards; None in other languages."""

    @property
    def ok(self) -> bool:
        return self.error is None and self.exit_code == 0 and not self.timed_out

    def check(self) -> "Result":
        """Return self, or raise CodeError or CodeTimeout with what went wrong."""
        if self.ok:
            return self
        if self.timed_out:
            raise CodeTimeout(f"the {self.language} code was stopped after {self.duration:.1f} s", result=self)
        if self.error is not None:
            where = f" in line {self.error.line}" if self.error.line is not None else ""
            raise CodeError(f"{self.error.type}: {self.error.message}{where}", result=self)
        tail = self.stderr.strip().splitlines()[-1:] or ["no message"]
        raise CodeError(f"exit code {self.exit_code}: {tail[0]}", result=self)


Event = Text | Shown | Cleared | Result


class Transcript:
    """Gathers one call's output: everything up to the limit, then the tail replaces the middle."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}
        self._head: list[tuple[Stream, str]] = []
        self._tail: deque[tuple[Stream, str]] = deque()
        self._size = {"stdout": 0, "stderr": 0}
        self._tail_size = {"stdout": 0, "stderr": 0}
        self._dropped = {"stdout": 0, "stderr": 0}
        self._shown = 0
        self._hidden = False
        self.displays: list[Display] = []

    def decode(self, stream: Stream, data: bytes) -> str:
        return self._decoders[stream].decode(data)

    def finish(self) -> list[Text]:
        """What the decoders still hold: a character that was never completed."""
        rest = [Text(stream, self._decoders[stream].decode(b"", final=True)) for stream in ("stdout", "stderr")]
        return [text for text in rest if text.text]

    def add(self, text: Text) -> None:
        stream, rest = text.stream, text.text
        room = self._half - self._size[stream]
        if room > 0:
            _append(self._head, stream, rest[:room])
            self._size[stream] += min(room, len(rest))
            rest = rest[room:]
        if rest:
            self._add_tail(stream, rest)

    def show(self, display: Display) -> None:
        if display.kind != "update":
            if self._has_room(weigh(display)):
                self.displays.append(display)
            return
        for index, known in enumerate(self.displays):
            same = display.display_id is not None and known.display_id == display.display_id
            if same and self._has_room(weigh(display) - weigh(known)):
                self.displays[index] = msgspec.structs.replace(display, kind=known.kind)

    def _has_room(self, more: int) -> bool:
        if self._shown + more > DISPLAYS_LIMIT:
            self._hidden = True
            return False
        self._shown += more
        return True

    def clear(self) -> None:
        self._head.clear()
        self._tail.clear()
        self.displays.clear()
        self._shown, self._hidden = 0, False
        for counter in (self._size, self._tail_size, self._dropped):
            counter.update(stdout=0, stderr=0)

    @property
    def truncated(self) -> bool:
        return self._hidden or any(self._dropped.values())

    def output(self) -> list[tuple[Stream, str]]:
        """Both streams in order, with a note where something was left out."""
        merged: list[tuple[Stream, str]] = []
        for stream, text in self._head:
            _append(merged, stream, text)
        for stream in ("stdout", "stderr"):
            if self._dropped[stream]:
                _append(merged, stream, LEFT_OUT.format(self._dropped[stream]))
        for stream, text in self._tail:
            _append(merged, stream, text)
        return merged

    def result(self, done: Done, *, language: str, timed_out: bool, duration: float) -> Result:
        output = self.output()
        outcome = done.outcome
        return Result(
            language=language,
            value=outcome.value,
            stdout="".join(text for stream, text in output if stream == "stdout"),
            stderr="".join(text for stream, text in output if stream == "stderr"),
            output=output,
            displays=self.displays,
            error=outcome.error,
            exit_code=outcome.exit_code,
            timed_out=timed_out,
            state=done.state,
            duration=duration,
            truncated=self.truncated,
            profile=outcome.profile,
            cwd=outcome.cwd,
        )

    def _add_tail(self, stream: Stream, text: str) -> None:
        self._tail.append((stream, text[-self._half :]))
        self._dropped[stream] += max(0, len(text) - self._half)
        self._tail_size[stream] += min(len(text), self._half)
        while self._tail_size[stream] > self._half:
            self._shorten(stream)

    def _shorten(self, stream: Stream) -> None:
        """Take the surplus from the oldest piece of this stream."""
        index = next(i for i, (name, _) in enumerate(self._tail) if name == stream)
        text = self._tail[index][1]
        surplus = min(self._tail_size[stream] - self._half, len(text))
        self._tail_size[stream] -= surplus
        self._dropped[stream] += surplus
        if surplus == len(text):
            del self._tail[index]
        else:
            self._tail[index] = (stream, text[surplus:])


def _append(output: list[tuple[Stream, str]], stream: Stream, text: str) -> None:
    if output and output[-1][0] == stream and len(output[-1][1]) < 65536:
        output[-1] = (stream, output[-1][1] + text)
    else:
        output.append((stream, text))
