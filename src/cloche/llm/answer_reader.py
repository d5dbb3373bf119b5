"""Reads the body of an answer, and waits for it no longer than it should."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol, TypeVar

import anyio

from cloche.limits import LLM_EVENT_LIMIT, LLM_STREAM_LIMIT, LLM_TOTAL_TIMEOUT
from cloche.llm.answer import Answer
from cloche.llm.event_stream import EventParser, EventTooLarge, ServerEvent
from cloche.llm.failures import FailureWording
from cloche.llm.faults import AnswerTooLarge
from cloche.llm.model_api import ModelAPI

LAST_WAIT = 2.0
"""Seconds after the answer's end in which the server may still say how many tokens it had."""

END_WAIT = 0.05
"""Seconds in which the last bytes may come after that; then the connection is closed instead of kept."""

T = TypeVar("T")


class AnswerBody(Protocol):
    """What is read: headers, and a body in pieces."""

    headers: Mapping[str, str]

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        ...


class Patience:
    """How long a server may be silent, and how long an answer may take in all."""

    def __init__(self, silence: float, wording: FailureWording) -> None:
        self._silence = silence
        self._wording = wording
        self._end = anyio.current_time() + LLM_TOTAL_TIMEOUT
        self._last = anyio.current_time()
        self._begun = False

    def note_progress(self) -> None:
        """Note that the model has written something."""
        self._last = anyio.current_time()
        self._begun = True

    async def await_within(self, act: Awaitable[T]) -> T:
        """The result of `act`, unless the server is silent for too long."""
        with anyio.CancelScope(deadline=min(self._last + self._silence, self._end)):
            return await act
        if anyio.current_time() >= self._end:
            raise self._wording.explain_slowness(LLM_TOTAL_TIMEOUT)
        raise self._wording.explain_silence(self._silence, self._begun)


class AnswerReader:
    """Reads the body of a response into an answer: a stream of events, or one document."""

    def __init__(self, response: AnswerBody, api: ModelAPI, answer: Answer, patience: Patience) -> None:
        self._response = response
        self._api = api
        self._answer = answer
        self._patience = patience
        self._parser = EventParser(LLM_EVENT_LIMIT)
        self._size = 0
        self._streams: bool | None = None
        """Whether it is a stream; None until that is known."""
        self._document: list[bytes] = []
        self._rest_until: float | None = None

    async def read_more(self) -> bool:
        """Read what comes next; False at the end."""
        if self._answer.finish_reason:
            return await self._read_rest()
        before = self._answer.size
        more = self._take(await self._patience.await_within(self._response.read()))
        if self._answer.size > before or not self._streams:
            self._patience.note_progress()
        return more

    async def _read_rest(self) -> bool:
        """Read what follows the answer: only its tokens are missing, and some servers never send them."""
        if self._rest_until is None:
            self._rest_until = anyio.current_time() + LAST_WAIT
        with anyio.CancelScope(deadline=self._rest_until):
            return self._take(await self._response.read())
        return False

    async def read_end(self) -> None:
        """Read the last bytes, so that the connection can be used again."""
        with anyio.move_on_after(END_WAIT):
            await self._response.read()

    def _take(self, piece: bytes) -> bool:
        self._size += len(piece)
        if self._size > LLM_STREAM_LIMIT:
            raise AnswerTooLarge(f"it is larger than {LLM_STREAM_LIMIT:,} bytes")
        if self._streams is None and piece:
            self._streams = self._is_stream(piece)
        if not self._streams:
            return self._take_document(piece)
        try:
            self._read_events([*(self._parser.feed(piece) if piece else self._parser.finish())])
        except EventTooLarge:
            raise AnswerTooLarge(f"a part of it is larger than {LLM_EVENT_LIMIT:,} bytes") from None
        return bool(piece)

    def _read_events(self, events: Sequence[ServerEvent]) -> None:
        for event in events:
            self._api.read_event(event, self._answer)

    def _take_document(self, piece: bytes) -> bool:
        """Some servers do not stream, although they were asked to."""
        self._document.append(piece)
        if self._size > LLM_EVENT_LIMIT:
            raise AnswerTooLarge(f"it is larger than {LLM_EVENT_LIMIT:,} bytes")
        if not piece and self._size:
            self._api.read_document(b"".join(self._document), self._answer)
        return bool(piece)

    def _is_stream(self, piece: bytes) -> bool:
        kind = self._response.headers.get("content-type", "")
        return not kind.startswith("application/json") and not piece.lstrip().startswith((b"{", b"[", b"<"))
