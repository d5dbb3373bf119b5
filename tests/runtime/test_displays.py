"""Rich displays in observations: what is kept, how it is written, what is too large."""

import json
from collections.abc import AsyncIterator

import pytest

from cloche.events import (
    EventFilter,
    EventStream,
    IPythonRunCellAction,
    IPythonRunCellObservation,
    MemoryStore,
    RunCodeAction,
    RunCodeObservation,
    decode_event,
    encode_event,
    event_for_stock,
    new_event,
)
from cloche.limits import EVENT_DISPLAYS
from cloche.runtime import PyodideRuntime
from cloche.runtime.displays import find_bundles, find_pictures
from cloche.sandbox.results.outcome import Display

SHOWN = """
from IPython.display import HTML, SVG, JSON, Markdown, Image, display
class Frame:
    def _repr_html_(self): return "<table class='dataframe'><tr><td>1</td></tr></table>"
display(HTML("<b>bold</b>"), SVG("<svg xmlns='http://www.w3.org/2000/svg'/>"), JSON({"a": [1]}), Markdown("# m"))
display({"image/png": "iVBORw0KGgo=", "text/plain": "a picture"}, raw=True)
Frame()
"""


@pytest.fixture
async def runtime() -> AsyncIterator[PyodideRuntime]:
    async with PyodideRuntime() as runtime:
        yield runtime


async def test_an_observation_has_what_a_cell_has_shown(runtime: PyodideRuntime) -> None:
    told = await runtime.execute(IPythonRunCellAction(SHOWN, include_extra=False))
    assert isinstance(told, IPythonRunCellObservation)
    assert told.image_urls == ["data:image/png;base64,iVBORw0KGgo="]
    data = [each["data"] for each in told.displays or []]
    assert [next(kind for kind in each if kind != "text/plain") for each in data] == [
        "text/html",
        "image/svg+xml",
        "application/json",
        "text/markdown",
        "text/html",
    ]
    assert data[2]["application/json"] == {"a": [1]}
    plain = await runtime.execute(IPythonRunCellAction("print(1); 2", include_extra=False))
    assert isinstance(plain, IPythonRunCellObservation)
    assert plain.displays is None
    code = await runtime.execute(RunCodeAction("python", "from IPython.display import HTML\nHTML('<i>x</i>')"))
    assert isinstance(code, RunCodeObservation)
    assert [each["data"]["text/html"] for each in code.displays or []] == ["<i>x</i>"]


def test_they_are_written_beside_the_format_of_stock_clients() -> None:
    displays = [{"data": {"text/html": "<b>1</b>"}, "metadata": {"isolated": True}}]
    event = new_event(IPythonRunCellObservation("1\n", "x", None, displays))
    wire = json.loads(encode_event(event))
    assert wire["cloche"] == {"displays": displays}
    assert "displays" not in wire["extras"]
    again = decode_event(encode_event(event))
    assert again.body == event.body
    assert again.cloche is None
    stock = event_for_stock(event)
    assert stock is not None
    assert "cloche" not in stock
    assert "displays" not in stock["extras"]


async def test_secrets_in_them_are_masked_and_they_are_found() -> None:
    stream = EventStream("s", MemoryStore(), secrets={"KEY": "hush-hush"})
    body = RunCodeObservation("", "python", displays=[{"data": {"text/html": "<b>hush-hush</b> cake"}}])
    stored = await stream.add_event(new_event(body))
    assert "hush" not in encode_event(stored).decode()
    found = [event.id async for event in stream.get_events(filter=EventFilter(query="cake"))]
    assert found == [stored.id]


def test_what_is_too_large_says_so() -> None:
    small = Display("display", {"text/html": "<b>small</b>", "text/plain": "small"})
    large = Display("display", {"text/html": "x" * EVENT_DISPLAYS, "text/plain": "large"})
    text = Display("result", {"text/plain": "only text"})
    first, second, note = find_bundles([small, large, text, small])
    assert first == second == {"data": small.data}
    assert note["left_out"] > EVENT_DISPLAYS
    assert "1 of its displays" in note["data"]["text/plain"]
    almost = Display("display", {"text/html": "x" * (EVENT_DISPLAYS - 100)})
    kept, note = find_bundles([almost, *[Display("display", {"text/html": "y" * 100})] * 50_000])
    assert kept == {"data": almost.data}
    assert "50000 of its displays" in note["data"]["text/plain"]
    assert find_pictures([small, large, text]) == ()
