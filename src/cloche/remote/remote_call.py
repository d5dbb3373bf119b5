"""One call of a sandbox at a server, from its request to its end: a lost connection is taken up where it broke."""

import logging
from contextlib import suppress
from math import inf
from uuid import uuid4

import anyio
from msgspec.structs import replace

from cloche.errors import ClocheError, ServerUnavailable
from cloche.limits import CALL_GRACE, CALL_PATIENCE, LEFT_OUT
from cloche.remote.calls import END, Asked, Begun, CallRequest, InputAnswer, Line, Skipped, decode_line
from cloche.remote.connection import ConnectionCut, ServerAnswer, ServerConnection
from cloche.remote.patience import Patience, insist
from cloche.remote.verbs import AnyVerb
from cloche.sandbox.process.call import OnInput, ask_caller
from cloche.sandbox.results.result import Text

log = logging.getLogger(__name__)

ABANDON_WAIT = 3.0
"""Seconds to tell the server that nobody waits for a call any more."""
END_WAIT = 0.5
"""Seconds for the end of an answer after its last line."""
DOUBT = " Whether the call was made, or still runs, is not known."


class RemoteCall:
    """A call that is being made; it has to be closed."""

    def __init__(
        self,
        connection: ServerConnection,
        path: str,
        call: AnyVerb,
        *,
        place: str | None = None,
        known: str = "",
        key: str | None = None,
        on_input: OnInput | None = None,
    ) -> None:
        """`path` is that of the session's calls."""
        self._connection = connection
        self._path = path
        self._request = CallRequest(key or uuid4().hex, call, place, known=known)
        self._on_input = on_input
        self._patience = Patience(connection.place)
        self._answer: ServerAnswer | None = None
        self._waiting: list[Line] = []
        self._limit = CALL_PATIENCE
        self._deadline = inf
        self._begun = self._ended = False
        self._retried = False
        """Whether the connection was lost at least once."""

    @property
    def key(self) -> str:
        """Names it at the server."""
        return self._request.key

    async def next(self) -> Line:
        """The next line; the last one is a Result, Done or Failed.

        Raises ServerUnavailable if the server was lost for too long, or gives no answer in time.
        """
        line = self._waiting.pop(0) if self._waiting else await self._read()
        while isinstance(line, Asked) and self._on_input is not None:
            await self._ask(line, self._on_input)
            line = self._waiting.pop(0)
        return line

    async def close(self) -> None:
        """Let go of it; if it has not come to its end, it is stopped."""
        answer, self._answer = self._answer, None
        if answer is not None:
            await answer.close()
        if self._begun and not self._ended:
            with anyio.move_on_after(ABANDON_WAIT, shield=True), suppress(ConnectionError, ServerUnavailable):
                await self._connection.ask("DELETE", f"{self._path}/{self._request.key}", object)

    async def _read(self) -> Line:
        while True:
            try:
                line = await self._read_line()
            except ConnectionCut as error:
                await self._drop()
                await self._patience.wait(error, DOUBT)
                continue
            self._take(line)
            if self._ended:
                await self._finish()
            return line if not isinstance(line, Skipped) else Text("stdout", LEFT_OUT.format(line.characters))

    async def _read_line(self) -> Line:
        """The next line that is not empty, over a new connection if there is none."""
        if self._answer is None:
            self._begun = True
            self._answer = await self._send()
        while not (data := await self._answer.read_line()):
            self._patience.renew()
            if anyio.current_time() > self._deadline:
                raise ServerUnavailable(
                    f"{self._connection.place} has given no answer for {self._limit:g} s, though it is there.{DOUBT}"
                )
        self._patience.renew()
        try:
            return decode_line(data)
        except ValueError as error:
            raise ServerUnavailable(
                f"{self._connection.place} gave an answer that could not be read: {error}.{DOUBT}"
            ) from error

    async def _finish(self) -> None:
        """Read to the end of the body, which comes at once: only then the connection serves the next call."""
        answer, self._answer = self._answer, None
        if answer is not None:
            with anyio.move_on_after(END_WAIT), suppress(ConnectionCut):
                await answer.read_piece()
            await answer.close()

    async def _drop(self) -> None:
        self._retried = True
        answer, self._answer = self._answer, None
        if answer is not None:
            await answer.close()

    async def _send(self) -> ServerAnswer:
        try:
            return await self._connection.send("POST", self._path, self._request)
        except ServerUnavailable as error:
            # Such as a session that was deleted meanwhile.
            if self._retried:
                raise type(error)(f"{error}{DOUBT}") from error
            raise

    def _take(self, line: Line) -> None:
        """Note how far it is; asked again, the server goes on after this line."""
        after = line.to if isinstance(line, Skipped) else self._request.after + 1
        self._request = replace(self._request, after=after)
        self._ended = isinstance(line, END)
        if isinstance(line, Begun) and line.seconds is not None:
            self._limit = line.seconds + CALL_GRACE
        # While the code waits for input, its time stands still.
        self._deadline = inf if isinstance(line, Asked) else anyio.current_time() + self._limit

    async def _ask(self, question: Asked, ask: OnInput) -> None:
        """Have the caller answer, and read on meanwhile: the code may be stopped before there is an answer."""
        failures: list[Exception] = []
        answered = anyio.Event()

        async def answer() -> None:
            try:
                line = await ask_caller(ask, question.prompt, password=question.password)
                given = InputAnswer(question.number, line)
                path = f"{self._path}/{self._request.key}/input"
                await insist(lambda: self._connection.ask("POST", path, object, given), self._connection.place)
            except Exception as error:  # noqa: BLE001 - the caller's own function; the caller gets its error
                failures.append(error)
                tasks.cancel_scope.cancel()
            answered.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            try:
                await self._read_until(answered)
            except (ClocheError, OSError, ValueError) as error:
                # Not through the task group, which would wrap it.
                failures.append(error)
            tasks.cancel_scope.cancel()
        if failures:
            raise failures[0]

    async def _read_until(self, answered: anyio.Event) -> None:
        """Keep the lines that come before a question is answered, and the first one after that."""
        while True:
            line = await self._read()
            self._waiting.append(line)
            if self._ended or isinstance(line, Asked) or answered.is_set():
                return
