"""The events of a session: in pages, or as a stream that does not end."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query
from msgspec import Raw, Struct
from starlette.responses import Response

from cloche.events import Event, EventFilter, encode_event
from cloche.limits import SERVER_PAGE
from cloche.server.access.callers import Here, Wanted
from cloche.server.live_events import MEDIA_TYPE, LiveEvents
from cloche.server.problems import Problem
from cloche.server.wire import answer, describe
from cloche.session import HostedSession

router = APIRouter(prefix="/sessions/{sid}/events", tags=["events"])

Number = Annotated[int, Query(ge=0, le=2**53)]


class EventPage(Struct, frozen=True):
    """Some events, in the order that was asked for."""

    events: list[dict[str, Any]]
    has_more: bool


class EncodedPage(Struct, frozen=True):
    """The same, written already."""

    events: list[Raw]
    has_more: bool


@router.get("", **describe(told=EventPage, problems=(404, 422)))
async def list_events(
    wanted: Wanted,
    here: Here,
    start: Number = 0,
    end: Number | None = None,
    limit: Annotated[int, Query(ge=1, le=SERVER_PAGE)] = 100,
    reverse: bool = False,
    kind: Annotated[list[str] | None, Query(description="only these kinds, such as run")] = None,
    without: Annotated[list[str] | None, Query(description="all but these kinds")] = None,
    source: Annotated[str | None, Query(max_length=100)] = None,
    query: Annotated[str | None, Query(max_length=1000, description="text in the event")] = None,
    hidden: Annotated[bool, Query(description="events that are not shown to people too")] = True,
    after: Annotated[int | None, Query(ge=-1, le=2**53, description="of a stream: the event before the first")] = None,
    accept: Annotated[str, Header()] = "",
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Events in pages; with `Accept: text/event-stream` all after one of them, and then each new one."""
    wish = EventFilter(include_types=kind, exclude_types=without, source=source, query=query, exclude_hidden=not hidden)
    if MEDIA_TYPE in accept:
        begin = _read_last(last_event_id, after)
        return LiveEvents(wanted.stream, here.stopping, after=begin, wanted=None if wish == EventFilter() else wish)
    found = wanted.stream.get_events(start, end, reverse, wish, limit + 1)
    events = [Raw(encode_event(event)) async for event in found]
    return answer(EncodedPage(events[:limit], len(events) > limit))


@router.get("/{id}", **describe(told=dict[str, Any], problems=(404, 422)))
async def show_event(wanted: Wanted, id: Annotated[int, Path(ge=0, le=2**53)]) -> Response:
    """One event."""
    return answer(Raw(encode_event(await find_event(wanted, id))))


@router.get("/{id}/content", **describe(problems=(404, 422), media="text/plain"))
async def show_content(wanted: Wanted, id: Annotated[int, Path(ge=0, le=2**53)]) -> Response:
    """The whole content of an event, also if it is too long for the event itself."""
    event = await find_event(wanted, id)
    return Response(await wanted.stream.read_spilled(event), media_type="text/plain; charset=utf-8")


async def find_event(wanted: HostedSession, id: int) -> Event:
    """One event of a session; raises Problem if there is none with this id."""
    try:
        return await wanted.stream.get_event(id)
    except KeyError as error:
        raise Problem(404, "not_found", str(error).strip("'\"")) from error


def _read_last(header: str, after: int | None) -> int:
    """The event that the client has; a browser that comes back says it in a header."""
    if not header:
        return -1 if after is None else after
    try:
        return max(-1, int(header))
    except ValueError as error:
        raise Problem(422, "invalid", f"Last-Event-ID: {header!r} is no id of an event") from error
