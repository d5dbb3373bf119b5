"""The bounded record of one call's output, from which its result is made."""

import codecs
from collections import deque

import msgspec

from cloche.limits import DISPLAYS_LIMIT, LEFT_OUT, OUTPUT_SWITCHES
from cloche.sandbox.results.outcome import Display, Outcome
from cloche.sandbox.results.result import Result, State, Stream, Text

JOINED = 4096
"""Characters up to which pieces of output are joined: joining copies them."""

STREAMS: tuple[Stream, Stream] = ("stdout", "stderr")


class _Kept:
    """What is kept of one stream: pieces in order, each with the number of the turn in which it was written."""

    def __init__(self, half: int) -> None:
        self._half = half
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.clear()

    def clear(self) -> None:
        self._head: deque[tuple[int, str]] = deque()
        self._tail: deque[tuple[int, str]] = deque()
        self._tail_size = 0
        self._size = 0

    @property
    def dropped(self) -> int:
        """How many characters were left out."""
        return max(0, self._size - 2 * self._half)

    def decode(self, data: bytes, *, final: bool = False) -> str:
        return self._decoder.decode(data, final=final)

    def add(self, turn: int, text: str) -> None:
        room = max(0, self._half - self._size)
        self._size += len(text)
        if room > 0:
            _append_piece(self._head, turn, text[:room])
        if len(text) > room:
            self._add_tail(turn, text[max(room, len(text) - self._half) :])

    def pieces(self) -> list[tuple[int, str]]:
        """All that is kept, with a note where something is missing."""
        if not self.dropped:
            return [*self._head, *self._tail]
        (turn, oldest), *tail = self._tail
        oldest = oldest[self._tail_size - self._half :]
        return [*self._head, (self._head[-1][0], LEFT_OUT.format(self.dropped)), (turn, oldest), *tail]

    def _add_tail(self, turn: int, text: str) -> None:
        _append_piece(self._tail, turn, text)
        self._tail_size += len(text)
        # Only whole pieces: shortening one each time would copy it each time.
        while self._tail_size - len(self._tail[0][1]) >= self._half:
            self._tail_size -= len(self._tail.popleft()[1])


class _Updated:
    """Displays with the same id: an update replaces all earlier ones."""

    def __init__(self) -> None:
        self.count = 0
        self.weight = 0
        self.latest: Display | None = None
        self.before = 0
        """How many displays there were in all when it came."""


class Transcript:
    """Collects one call's output: everything up to the limit, then the tail replaces the middle."""

    def __init__(self, limit: int, *, keeps_cleared: bool = False) -> None:
        """With `keeps_cleared`, `clear` forgets what was shown, but not what was printed."""
        half = max(limit // 2, 1)
        self._kept = {stream: _Kept(half) for stream in STREAMS}
        self._keeps_cleared = keeps_cleared
        self._turn = 0
        self._last: Stream = "stdout"
        self._displays: list[Display] = []
        self._updated: dict[str, _Updated] = {}
        self._shown = 0
        self._hidden = False

    def decode(self, stream: Stream, data: bytes) -> str:
        return self._kept[stream].decode(data)

    def finish(self) -> list[Text]:
        """What the decoders still hold: an incomplete character."""
        rest = [Text(stream, self._kept[stream].decode(b"", final=True)) for stream in STREAMS]
        return [text for text in rest if text.text]

    def add(self, text: Text) -> None:
        if text.stream != self._last:
            self._last = text.stream
            self._turn = min(self._turn + 1, OUTPUT_SWITCHES)
        self._kept[text.stream].add(self._turn, text.text)

    def show(self, display: Display, weight: int) -> None:
        if display.kind == "update":
            self._update(display, weight)
        elif self._has_room(weight):
            self._displays.append(display)
            if display.display_id is not None:
                known = self._updated.setdefault(display.display_id, _Updated())
                known.count += 1
                known.weight += weight

    def _update(self, display: Display, weight: int) -> None:
        known = None if display.display_id is None else self._updated.get(display.display_id)
        if known is not None and self._has_room(weight * known.count - known.weight):
            known.weight = weight * known.count
            known.latest = display
            known.before = len(self._displays)

    def _has_room(self, more: int) -> bool:
        if self._shown + more > DISPLAYS_LIMIT:
            self._hidden = True
            return False
        self._shown += more
        return True

    def clear(self) -> None:
        if not self._keeps_cleared:
            self._clear_text()
        self._displays.clear()
        self._updated.clear()
        self._shown, self._hidden = 0, False

    def take(self) -> str:
        """What was printed since the last time, both streams in order; it is not in the result then."""
        text = "".join(part for _, part in self.output())
        self._clear_text()
        return text

    def _clear_text(self) -> None:
        for kept in self._kept.values():
            kept.clear()
        self._turn = 0

    @property
    def truncated(self) -> bool:
        return self._hidden or any(kept.dropped for kept in self._kept.values())

    @property
    def displays(self) -> list[Display]:
        """The displays, with updates applied."""
        return [self._current(index, display) for index, display in enumerate(self._displays)]

    def _current(self, index: int, display: Display) -> Display:
        known = None if display.display_id is None else self._updated[display.display_id]
        if known is None or known.latest is None or index >= known.before:
            return display
        return msgspec.structs.replace(known.latest, kind=display.kind)

    def output(self) -> list[tuple[Stream, str]]:
        """Both streams in order, with a note where something was left out."""
        pieces: list[tuple[int, Stream, str]] = []
        for stream in STREAMS:
            pieces.extend((turn, stream, text) for turn, text in self._kept[stream].pieces())
        pieces.sort(key=lambda piece: piece[0])
        merged: list[tuple[Stream, list[str]]] = []
        for _, stream, text in pieces:
            if merged and merged[-1][0] == stream:
                merged[-1][1].append(text)
            else:
                merged.append((stream, [text]))
        return [(stream, "".join(texts)) for stream, texts in merged]

    def result(self, outcome: Outcome, state: State, *, language: str, timed_out: bool, duration: float) -> Result:
        output = self.output()
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
            state=state,
            duration=duration,
            truncated=self.truncated,
            profile=outcome.profile,
            cwd=outcome.cwd,
            json=outcome.data,
        )


def _append_piece(pieces: deque[tuple[int, str]], turn: int, text: str) -> None:
    if pieces and pieces[-1][0] == turn and len(pieces[-1][1]) + len(text) <= JOINED:
        pieces[-1] = (turn, pieces[-1][1] + text)
    else:
        pieces.append((turn, text))
