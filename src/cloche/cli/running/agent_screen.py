"""Shows the events of an agent while it works."""

import anyio
import click

from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.event_printer import EventPrinter, describe_failure
from cloche.events import (
    AgentStateChangedObservation,
    ChangeAgentStateAction,
    Event,
    MemoryFileStore,
    Status,
    SystemMessageAction,
    is_action,
    is_observation,
)

_HIDDEN = (AgentStateChangedObservation, ChangeAgentStateAction, SystemMessageAction)


class AgentScreen:
    """Prints actions as they come, their output while they run, and then how they ended."""

    def __init__(self) -> None:
        self._printer = EventPrinter(MemoryFileStore())
        self._heard: set[tuple[str, int | None]] = set()
        """Actions whose output was shown while they ran, by their session."""
        self._early: dict[int, list[str]] = {}
        """Output that has come before its action was shown."""
        self._below: dict[int, tuple[str, int | None]] = {}
        """By delegation: the action that the other agent has begun last, to which the output belongs."""
        self._open_line = False
        self._seen = -1
        self._news = anyio.Event()

    def show_output(self, action: int, name: str, text: str) -> None:
        """Print a piece of an action's output."""
        if action > self._seen:
            self._early.setdefault(action, []).append(text)
            return
        self._heard.add(self._below.get(action, ("", action)))
        shown = strip_control(text)
        click.echo(click.style(shown, dim=True), nl=False)
        self._open_line = not shown.endswith("\n")

    def take(self, event: Event, *, silent: bool) -> None:
        """Print an event, unless it says nothing to a user."""
        if not silent:
            self._print(event, "")
        self._seen = event.id if event.id is not None else self._seen
        for text in self._early.pop(self._seen, []):
            self.show_output(self._seen, "stdout", text)
        self._news.set()
        self._news = anyio.Event()

    def take_below(self, event: Event, sid: str, delegation: int) -> None:
        """Print an event of an agent that does a part of the work."""
        if is_action(event.body) and event.body.runnable:
            self._below[delegation] = (sid, event.id)
        self._print(event, sid)

    async def wait_for(self, id: int) -> None:
        """Wait until the event with this id was shown."""
        while self._seen < id:
            await self._news.wait()

    def _print(self, event: Event, sid: str) -> None:
        heard = is_observation(event.body) and (sid, event.cause) in self._heard
        failure = describe_failure(event)
        if self._open_line and (failure or not heard):
            click.echo()
            self._open_line = False
        if heard:
            self._heard.discard((sid, event.cause))
            if failure:
                click.echo(click.style(f"      {failure}", fg="red"))
        elif not _is_hidden(event):
            click.echo(self._printer.tell(event))


def _is_hidden(event: Event) -> bool:
    return event.body.level == "info" if isinstance(event.body, Status) else isinstance(event.body, _HIDDEN)
