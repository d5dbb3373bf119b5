"""The server's stdin. A line that is not a message gets an answer too."""

from collections.abc import AsyncIterable, Awaitable, Callable
from typing import Any, cast

from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

Item = SessionMessage | Exception


async def pass_on_messages(
    read: AsyncIterable[Item], messages: ObjectSendStream[Item], send: Callable[[SessionMessage], Awaitable[None]]
) -> None:
    """Pass messages on, and answer other lines: the library would ignore these, and the client would wait forever."""
    async with messages:
        async for item in read:
            if isinstance(item, Exception):
                await send(SessionMessage(answer_bad_line(item)))
            else:
                await messages.send(item)


def answer_bad_line(error: Exception) -> JSONRPCError:
    """The answer to a line that is not a message, with its id if it has one."""
    found = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    if not found or found[0]["type"] == "json_invalid":
        said = found[0]["msg"] if found else str(error)
        return _make_error(None, PARSE_ERROR, f"A line must be one message in JSON: {said[:200]}")
    # The library tries each kind of message in turn, and its error quotes the whole message.
    whole = [cast("dict[str, Any]", each["input"]) for each in found if each["type"] == "missing"]
    number = whole[0].get("id") if whole else None
    known = isinstance(number, str | int) and not isinstance(number, bool)
    return _make_error(
        number if known else None,
        INVALID_REQUEST,
        "A message is an object with `jsonrpc` (2.0), `method` (a text), `params` (an object) and, if it is a request, "
        "`id` (a text or a number)",
    )


def _make_error(number: str | int | None, code: int, said: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=said))
