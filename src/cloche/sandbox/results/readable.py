"""What a model reads of a result: its text in the order in which a person would see it, and its pictures."""

import base64
import re
from collections.abc import Iterable

import msgspec

from cloche.sandbox.results.outcome import Display
from cloche.sandbox.results.result import Result

PICTURES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
"""Image types that models accept, and their first bytes: an image of the wrong type would end the conversation."""
SOURCES = ("text/markdown", "text/latex", "image/svg+xml", "text/html")
"""What is shown if the plain text of a display says nothing."""
_HANDLE = re.compile(r"[\[(]?<.*>,?[\])]?")
_NAMELESS = re.compile(r"<IPython\.core\.display\.\w+ object>")


class Picture(msgspec.Struct, frozen=True):
    """A picture that models accept."""

    kind: str
    """Its MIME type."""
    data: str
    """The file in base64."""


def format_result(result: Result, seconds: float | None = None, notice: str = "", *, limit: int) -> str:
    """All its text, with `limit` characters of each stream; `seconds` is the time limit of the call, if it is known."""
    parts = [shorten_output("".join(text for _, text in result.output), 2 * limit)]
    parts += list_texts(result, limit)
    if result.value is not None:
        parts.append(shorten_output(result.value, limit))
    if result.error is not None:
        said = result.error.traceback or f"{result.error.type}: {result.error.message}"
        parts += [] if said in parts[0] else [shorten_output(said, limit)]
    parts += _list_notes(result, seconds, notice)
    return "\n".join(part.rstrip("\n") for part in parts if part)


def shorten_output(text: str, limit: int) -> str:
    """The text, or its head and tail if it is longer than the limit."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def list_texts(result: Result, limit: int) -> list[str]:
    """The texts that were displayed."""
    return [shorten_output(text, limit) for display in result.displays if (text := _plain_text(display))]


def find_pictures(displays: Iterable[Display], limit: int) -> list[Picture | str]:
    """The pictures that were displayed, `limit` characters in all; a note in place of one that cannot be sent."""
    found: list[Picture | str] = []
    for display in displays:
        kind = next((kind for kind in PICTURES if isinstance(display.data.get(kind), str)), None)
        if kind is None:
            continue
        data = display.data[kind].replace("\n", "")
        why = _explain_flaw(data, kind, limit)
        if why:
            found.append(f"[A picture ({kind}) was left out: {why}.]")
            continue
        limit -= len(data)
        found.append(Picture(kind, data))
    return found


def drop_picture_name(result: Result) -> Result:
    """The result without a value that only names a picture, or is the handle of a plot, such as `<Axes: >`."""
    if result.value is None:
        return result
    shown = any(kind in display.data for display in result.displays if display.kind == "result" for kind in PICTURES)
    if shown or _HANDLE.fullmatch(result.value):
        return msgspec.structs.replace(result, value=None)
    return result


def _list_notes(result: Result, seconds: float | None, notice: str) -> list[str]:
    notes = [notice] if notice else []
    if result.timed_out and seconds is not None:
        notes.append(f"[The code was stopped after {seconds:g} seconds, its time limit.]")
    elif result.timed_out:
        notes.append(f"[The code was stopped at its time limit, after {result.duration:.1f} seconds.]")
    if result.state == "lost" and not notice:
        notes.append("[The interpreter had to be restarted: its variables are gone, files are kept.]")
    if result.exit_code != 0 and result.error is None and not result.timed_out:
        notes.append(f"[exit code {result.exit_code}]")
    return notes


def _plain_text(display: Display) -> str:
    """The text of a display that is not a picture; the value of the last expression is shown elsewhere."""
    if display.kind == "result" or any(kind in display.data for kind in PICTURES):
        return ""
    text = display.data.get("text/plain")
    if not isinstance(text, str) or _NAMELESS.fullmatch(text):
        return next((source for kind in SOURCES if isinstance(source := display.data.get(kind), str)), text or "")
    return text


def _explain_flaw(data: str, kind: str, room: int) -> str:
    """Why a picture cannot be sent; empty if it can."""
    if len(data) > room:
        return f"its {len(data) * 3 // 4} bytes are too many, make it smaller or write it to a file"
    try:
        known = base64.b64decode(data, validate=True).startswith(PICTURES[kind])
    except ValueError:
        known = False
    return "" if known else "its data are no such picture"
