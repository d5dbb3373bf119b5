"""The answer to a tool call: text, pictures, tables, and the same as structured content."""

import base64
import re
from typing import Any, cast

from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent
from msgspec.structs import replace
from pydantic import BaseModel

from cloche.limits import MCP_IMAGES, MCP_OUTPUT
from cloche.mcp.run_result import Failure, RunResult, Table
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


def make_answer(text: str, structure: BaseModel, *, is_error: bool = False) -> CallToolResult:
    """A text for the reader, and the same as a structure."""
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=dump_structure(structure), is_error=is_error
    )


def dump_structure(structure: BaseModel) -> dict[str, Any]:
    """The structure without empty fields: a model may have to read all of it."""
    return structure.model_dump(mode="json", exclude_defaults=True)


def is_ok(result: CallToolResult) -> bool:
    """Whether the code ended without an error."""
    structure: object = result.structured_content
    return isinstance(structure, dict) and cast("dict[str, object]", structure).get("ok") is True


def make_refusal(text: str) -> CallToolResult:
    """A failed call, with the reason."""
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def show_result(result: Result, seconds: float, notice: str = "", *, fails: bool = False) -> CallToolResult:
    """The result of running code, pictures first, with notes for the reader.

    `fails`: whether code that fails is an error of the tool; most agents give up after a few of those.
    """
    content = _make_pictures(result.displays)
    if content and result.value is not None and _only_names_a_picture(result):
        result = replace(result, value=None)
    if (text := _format_result(result, seconds, notice)) or not content:
        content.append(TextContent(text=text or "(no output)"))
    return CallToolResult(
        content=content,
        structured_content=dump_structure(_make_structure(result, notice)),
        is_error=fails and not result.ok,
    )


def shorten_output(text: str, limit: int = MCP_OUTPUT) -> str:
    """The text, or its head and tail if it is longer than the limit."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def _format_result(result: Result, seconds: float, notice: str) -> str:
    """Everything, in the order in which a person would see it."""
    parts = [shorten_output("".join(text for _, text in result.output), 2 * MCP_OUTPUT)]
    parts += _list_texts(result)
    if result.value is not None:
        parts.append(shorten_output(result.value))
    if result.error is not None:
        said = result.error.traceback or f"{result.error.type}: {result.error.message}"
        parts += [] if said in parts[0] else [shorten_output(said)]
    parts += _list_notes(result, seconds, notice)
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _list_notes(result: Result, seconds: float, notice: str) -> list[str]:
    notes = [notice] if notice else []
    if result.timed_out:
        notes.append(f"[The code was stopped after {seconds:g} seconds, its time limit.]")
    if result.state == "lost" and not notice:
        notes.append("[The interpreter had to be restarted: its variables are gone, files are kept.]")
    if result.exit_code != 0 and result.error is None and not result.timed_out:
        notes.append(f"[exit code {result.exit_code}]")
    return notes


def _make_structure(result: Result, notice: str) -> RunResult:
    error = result.error
    stdout, stderr = shorten_output(result.stdout), shorten_output(result.stderr)
    return RunResult(
        ok=result.ok,
        language=result.language,
        value=None if result.value is None else shorten_output(result.value),
        stdout=stdout,
        stderr=stderr,
        error=error
        and Failure(
            type=error.type,
            message=shorten_output(error.message),
            line=error.line,
            column=error.column,
            traceback=shorten_output(error.traceback),
        ),
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        state=result.state,
        truncated=result.truncated or stdout != result.stdout or stderr != result.stderr,
        notice=notice,
        displayed=_list_texts(result),
        tables=[Table.model_validate(each, from_attributes=True) for each in result.tables],
        duration_ms=round(result.duration * 1000),
    )


def _only_names_a_picture(result: Result) -> bool:
    """Whether the value is an object that is shown as a picture, or the handle of a plot, such as `<Axes: >`."""
    shown = any(kind in display.data for display in result.displays if display.kind == "result" for kind in PICTURES)
    return shown or _HANDLE.fullmatch(result.value or "") is not None


def _list_texts(result: Result) -> list[str]:
    return [shorten_output(text) for display in result.displays if (text := _plain_text(display))]


def _plain_text(display: Display) -> str:
    """The text of a display that is not a picture; the value of the last expression is shown elsewhere."""
    if display.kind == "result" or any(kind in display.data for kind in PICTURES):
        return ""
    text = display.data.get("text/plain")
    if not isinstance(text, str) or _NAMELESS.fullmatch(text):
        return next((source for kind in SOURCES if isinstance(source := display.data.get(kind), str)), text or "")
    return text


def _make_pictures(displays: list[Display]) -> list[ContentBlock]:
    blocks: list[ContentBlock] = []
    room = MCP_IMAGES
    for display in displays:
        kind = next((kind for kind in PICTURES if isinstance(display.data.get(kind), str)), None)
        if kind is None:
            continue
        data = display.data[kind].replace("\n", "")
        why = _explain_flaw(data, kind, room)
        if why:
            blocks.append(TextContent(text=f"[A picture ({kind}) was left out: {why}.]"))
            continue
        room -= len(data)
        blocks.append(ImageContent(data=data, mime_type=kind))
    return blocks


def _explain_flaw(data: str, kind: str, room: int) -> str:
    """Why a picture cannot be sent; empty if it can."""
    if len(data) > room:
        return f"its {len(data) * 3 // 4} bytes are too many, make it smaller or write it to a file"
    try:
        known = base64.b64decode(data, validate=True).startswith(PICTURES[kind])
    except ValueError:
        known = False
    return "" if known else "its data are no such picture"
