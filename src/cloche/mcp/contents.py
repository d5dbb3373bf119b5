"""The answer to a tool call: text, pictures, tables, and the same as structured content."""

from collections.abc import Iterable
from typing import Any, cast

from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import BaseModel

from cloche.limits import MCP_IMAGES, MCP_OUTPUT
from cloche.mcp.run_result import Failure, RunResult, Table
from cloche.sandbox.results.outcome import Display
from cloche.sandbox.results.readable import (
    drop_picture_name,
    find_pictures,
    format_result,
    list_texts,
    shorten_output,
)
from cloche.sandbox.results.result import Result


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
    if content:
        result = drop_picture_name(result)
    if (text := format_result(result, seconds, notice, limit=MCP_OUTPUT)) or not content:
        content.append(TextContent(text=text or "(no output)"))
    return CallToolResult(
        content=content,
        structured_content=dump_structure(_make_structure(result, notice)),
        is_error=fails and not result.ok,
    )


def _make_structure(result: Result, notice: str) -> RunResult:
    error = result.error
    stdout, stderr = _shorten(result.stdout), _shorten(result.stderr)
    return RunResult(
        ok=result.ok,
        language=result.language,
        value=None if result.value is None else _shorten(result.value),
        stdout=stdout,
        stderr=stderr,
        error=error
        and Failure(
            type=error.type,
            message=_shorten(error.message),
            line=error.line,
            column=error.column,
            traceback=_shorten(error.traceback),
        ),
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        state=result.state,
        truncated=result.truncated or stdout != result.stdout or stderr != result.stderr,
        notice=notice,
        displayed=list_texts(result, MCP_OUTPUT),
        tables=[Table.model_validate(each, from_attributes=True) for each in result.tables],
        duration_ms=round(result.duration * 1000),
    )


def _shorten(text: str) -> str:
    return shorten_output(text, MCP_OUTPUT)


def _make_pictures(displays: Iterable[Display]) -> list[ContentBlock]:
    return [
        TextContent(text=each) if isinstance(each, str) else ImageContent(data=each.data, mime_type=each.kind)
        for each in find_pictures(displays, MCP_IMAGES)
    ]
