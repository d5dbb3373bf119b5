"""Prints the events of a session for a reader."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import click
import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from cloche.cli.terminal.control_sequences import strip_control
from cloche.errors import StoreError
from cloche.events import (
    AgentFinishAction,
    ErrorObservation,
    Event,
    FileEditAction,
    FileEditObservation,
    FileReadObservation,
    Files,
    FileStore,
    FileWriteAction,
    MCPObservation,
    Status,
    Unknown,
    is_action,
)
from cloche.events.spill import spilled_of

HEAD, TAIL = 25, 10
"""Lines shown of a long text, at its start and at its end."""
HEADLINE = 80
"""The most characters of an action that is shown on one line."""
WIDTH = 500
"""The most characters of one line."""
COMPARED = 200
"""Lines that are compared, from the first difference on."""
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/=]*)")


class EventPrinter:
    """Prints events one after another; a line between two days names the new one."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._day = ""

    def tell(self, event: Event) -> str:
        """Print one event: who did what and when, and its content below."""
        day, time = _split_time(event.timestamp)
        before = f"{day}\n" if day not in ("", self._day) else ""
        self._day = day or self._day
        failed = describe_failure(event)
        number = "-" if event.id is None else event.id
        heading = [
            click.style(f"{number:>5} {time}", dim=True),
            f"{strip_control(event.source or ''):<11}",
            click.style(strip_control(event.kind), bold=True, fg="red" if failed else None),
        ]
        if event.cause is not None:
            heading.append(click.style(f"answers {event.cause}", dim=True))
        if failed:
            heading.append(click.style(failed, fg="red"))
        lines = [f"      {line}".rstrip() for line in (*_format_body(event), *self._rest(event))]
        return "\n".join([before + " ".join(heading), *lines])

    def _rest(self, event: Event) -> Iterator[str]:
        try:
            spilled = spilled_of(event)
        except StoreError as error:
            yield f"[{strip_control(str(error))}]"
            return
        if spilled:
            place = self._files.root / spilled.path if isinstance(self._files, FileStore) else spilled.path
            yield f"[the whole content, {spilled.size} bytes, is in {strip_control(str(place))}]"


def describe_failure(event: Event) -> str:
    """How an observation failed or was cut off, if the format says so; otherwise nothing."""
    match event.body:
        case ErrorObservation(error_id=code):
            return code or "failed"
        case FileEditObservation(refused=True) | FileReadObservation(refused=True):
            return "failed"
        case MCPObservation(content=content):
            return "failed" if _is_error(content) else ""
        case body:
            code = getattr(body, "exit_code", 0)
            return "still running" if code == -1 else f"exit code {code}" if code else ""


def format_headline(event: Event) -> str:
    """What an action is about, on one line."""
    line = shorten_lines(_body_text(event))[0]
    return line if len(line) <= HEADLINE else line[: HEADLINE - 1] + "…"


def describe_changes(then: str, now: str) -> list[str]:
    """How two texts differ: the first lines of a patch."""
    from difflib import unified_diff

    old, new = then.splitlines(), now.splitlines()
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    near = slice(max(0, start - 2), start + COMPARED)
    patch = list(unified_diff(old[near], new[near], lineterm="", n=2))[3:]
    return (
        [f"from line {start + 1}:", *_colour_patch(shorten_lines("\n".join(patch)))]
        if patch
        else ["only in line breaks"]
    )


def shorten_lines(text: str) -> list[str]:
    """The lines of a text without control sequences; of a long one, start and end, and how much is missing."""
    lines = strip_control(_DATA.sub(_describe_picture, text)).rstrip("\n").split("\n")
    left = len(lines) - HEAD - TAIL
    if left > 1:
        lines[HEAD:-TAIL] = [f"[... {left} lines are not shown: --json has all that the event holds ...]"]
    return [line if len(line) <= WIDTH else f"{line[:WIDTH]}[... {len(line) - WIDTH} more]" for line in lines]


def _format_body(event: Event) -> Iterator[str]:
    body, text = event.body, _body_text(event)
    thought = str(getattr(body, "thought", ""))
    if thought and thought not in text:
        yield from (click.style(line, italic=True) for line in shorten_lines(thought))
    if isinstance(body, FileEditObservation) and body.diff:
        yield from _colour_patch(shorten_lines(body.diff))
    elif text:
        yield from shorten_lines(text)
    for picture in getattr(body, "image_urls", None) or ():
        yield from shorten_lines(str(picture))


def _body_text(event: Event) -> str:
    match event.body:
        case Unknown(raw=raw):
            return msgspec.json.encode({key: raw[key] for key in raw if key not in _ENVELOPE}).decode()
        case Status(status=status, content=content):
            return f"{status} {content}".strip()
        case FileEditAction() as edit:
            return f"Editing file: {edit.path} ({edit.command or 'lines'})"
        case FileWriteAction() as write:
            return f"{write.message}\n{write.content}"
        case AgentFinishAction(final_thought=text) if text:
            return text
        case body:
            said = body.message if is_action(body) else getattr(body, "content", "") or event.message
            return str(said or describe_value({key: value for key, value in asdict(body).items() if value}))


_ENVELOPE = frozenset({"id", "timestamp", "source", "cause", "action", "observation"})


class _Answer(Struct):
    isError: bool = False


def _is_error(content: str) -> bool:
    """Whether the result of a tool is an error."""
    try:
        return msgspec.json.decode(content, type=_Answer).isError
    except msgspec.DecodeError:
        return False


def _colour_patch(patch: Sequence[str]) -> list[str]:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    styles = [None if line.startswith(("---", "+++")) else colours.get(line[:1]) for line in patch]
    return [click.style(line, fg=fg) if fg else line for line, fg in zip(patch, styles, strict=True)]


def _describe_picture(found: re.Match[str]) -> str:
    return f"[{found[1]}, {len(found[2]) * 3 // 4} bytes]"


def _split_time(timestamp: str) -> tuple[str, str]:
    """Day and time of an event in the user's time zone; a time without a zone is local."""
    try:
        moment = datetime.fromisoformat(timestamp).astimezone()
    except (ValueError, OverflowError, OSError):
        return "", "--:--:--"
    return moment.strftime("%Y-%m-%d"), moment.strftime("%H:%M:%S")


def describe_value(value: Any) -> str:
    """A value on one line."""
    return " ".join(
        shorten_lines(value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode())
    )
