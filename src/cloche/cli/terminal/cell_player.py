"""Runs one cell after another and shows output as it happens."""

import signal
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from anyio import sleep
from anyio.from_thread import BlockingPortal

from cloche.cli.result_output import print_message
from cloche.cli.terminal.cell_output import show_display, show_end
from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.screen import Screen
from cloche.cli.terminal.shown_images import ShownImages
from cloche.errors import ClocheError
from cloche.sandbox.results.result import Cleared, Event, Result, Shown, Text

if TYPE_CHECKING:
    from cloche.cli.any_sandbox import AnySandbox

Ask = Callable[[str, bool], str | None]
"""Asks the user: takes the prompt, and whether the answer must be hidden."""

_INTERRUPT = object()
_AGAIN = 0.02
"""Seconds between two attempts to stop a cell that has not started yet."""


class _Step(NamedTuple):
    """The next event has arrived."""

    event: "Future[Event]"


class _Question(NamedTuple):
    """Input that the code asked for."""

    prompt: str
    password: bool
    answer: "Future[str | None]"


class CellPlayer:
    """The terminal in this thread, the sandbox in the portal's."""

    def __init__(self, portal: BlockingPortal, box: "AnySandbox", images: ShownImages, ask: Ask | None) -> None:
        self._portal = portal
        self._box = box
        self._images = images
        self._ask = ask
        self._running = False
        self.screen = Screen()
        # Put from a signal handler, which a SimpleQueue allows.
        self._inbox: SimpleQueue[object] = SimpleQueue()

    def run(self, text: str, language: str, *, heading: str, timeout: float) -> Result | None:
        """Run a cell to its end; Ctrl-C stops it. None if the sandbox failed, which is reported."""
        before = signal.signal(signal.SIGINT, self._on_signal)
        self._running = True
        self.screen.begin()
        self._images.begin()
        events = self._box.stream(text, language=language, on_input=self._question if self._ask else None)
        try:
            result = self._follow(events)
            show_end(self.screen, result, heading, timeout)
            return result
        except ClocheError as error:
            self.screen.fresh_line()
            print_message(str(error))
            return None
        finally:
            self._running = False
            self.screen.end()
            self._portal.call(events.aclose)
            signal.signal(signal.SIGINT, before)

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._inbox.put(_INTERRUPT)

    def _follow(self, events: AsyncGenerator[Event]) -> Result:
        self._pull(events)
        while True:
            match self._inbox.get():
                case _Step(future):
                    event = future.result()
                    if isinstance(event, Result):
                        return event
                    self._show(event)
                    self._pull(events)
                case _Question() as question:
                    self._answer(question)
                case _:
                    self.screen.note_interrupt()
                    self._portal.start_task_soon(self._stop)

    async def _stop(self) -> None:
        """Stop the cell, even if it has not quite started."""
        while self._running and not await self._box.interrupt():  # noqa: ASYNC110 - no event says when it begins
            await sleep(_AGAIN)

    def _pull(self, events: AsyncGenerator[Event]) -> None:
        future = self._portal.start_task_soon(_next_event, events)
        future.add_done_callback(lambda done: self._inbox.put(_Step(done)))

    def _show(self, event: Event) -> None:
        match event:
            case Text(stream, text):
                self.screen.write(stream, text)
            case Shown(display):
                show_display(self.screen, self._images, display)
            case Cleared(wait):
                self.screen.clear(wait=wait)
            case _:
                pass

    def _question(self, prompt: str, *, password: bool) -> str | None:
        """Called in a thread of its own: only the thread that owns the terminal may ask."""
        question = _Question(prompt, password, Future())
        self._inbox.put(question)
        return question.answer.result()

    def _answer(self, question: _Question) -> None:
        text: str | None = None
        try:
            if self._ask is not None:
                text = self._ask(self.screen.take_line() + strip_control(question.prompt), question.password)
        except KeyboardInterrupt:
            # Before the answer, which the code would take for the end of input.
            self._portal.call(self._box.interrupt)
        finally:
            question.answer.set_result(text)


async def _next_event(events: AsyncGenerator[Event]) -> Event:
    return await anext(events)
