"""Long contents lie in files; events show head and tail and lead there."""

from hashlib import sha256

import pytest
from msgspec import structs

from cloche.errors import StoreDamaged
from cloche.events import CmdOutputObservation, CmdRunAction, EventStream, MCPObservation, MessageAction, Store
from cloche.events.spill import spilled_of
from cloche.limits import EVENT_CONTENT_KEPT, EVENT_CONTENT_LIMIT

pytestmark = pytest.mark.anyio


async def test_a_long_content_is_kept_whole_and_shown_in_part(stream: EventStream) -> None:
    text = "".join(f"line {number} é\n" for number in range(20_000))
    await stream.add_event(CmdOutputObservation(text, "seq"))
    event = await stream.get_event(0)
    assert isinstance(event.body, CmdOutputObservation)
    shown = event.body.content
    assert shown.startswith(text[:EVENT_CONTENT_KEPT])
    assert shown.endswith(text[-EVENT_CONTENT_KEPT:])
    assert (
        f"[... {len(text) - 2 * EVENT_CONTENT_KEPT} characters left out; all {len(text.encode())} bytes are in" in shown
    )
    spilled = spilled_of(event)
    assert spilled is not None
    assert (spilled.size, spilled.sha256) == (len(text.encode()), sha256(text.encode()).hexdigest())
    assert spilled.path == f"sessions/one/contents/{spilled.sha256}.txt"
    assert await stream.read_spilled(event) == text
    assert await stream.files.list("sessions/one/contents") == [spilled.path]


async def test_what_fits_stays_in_the_event(stream: EventStream) -> None:
    event = await stream.add_event(CmdOutputObservation("x" * EVENT_CONTENT_LIMIT))
    assert event.cloche is None
    assert await stream.read_spilled(event) == "x" * EVENT_CONTENT_LIMIT
    assert await stream.read_spilled(await stream.add_event(CmdRunAction("ls"))) == ""


async def test_an_action_is_never_shortened(stream: EventStream) -> None:
    event = await stream.add_event(MessageAction("x" * 2 * EVENT_CONTENT_LIMIT))
    assert event.body == MessageAction("x" * 2 * EVENT_CONTENT_LIMIT)


async def test_a_message_that_is_the_content_is_short_too(stream: EventStream) -> None:
    event = await stream.add_event(MCPObservation("x" * 10 * EVENT_CONTENT_LIMIT))
    assert event.message is not None
    assert len(event.message) < 3 * EVENT_CONTENT_KEPT


async def test_secrets_are_masked_in_the_file_too(stream: EventStream) -> None:
    stream.set_secrets({"KEY": "s3cr3t"})
    event = await stream.add_event(
        CmdOutputObservation(f"{'x' * EVENT_CONTENT_LIMIT}s3cr3t{'x' * EVENT_CONTENT_LIMIT}")
    )
    whole = await stream.read_spilled(event)
    assert "s3cr3t" not in whole
    assert "<secret_hidden>" in whole


async def test_a_file_that_was_changed_is_reported(stream: EventStream) -> None:
    event = await stream.add_event(CmdOutputObservation("x" * 2 * EVENT_CONTENT_LIMIT))
    spilled = spilled_of(event)
    assert spilled is not None
    await stream.files.write(spilled.path, "other")
    with pytest.raises(StoreDamaged, match="its hash differs"):
        await stream.read_spilled(event)
    await stream.files.delete(spilled.path)
    with pytest.raises(FileNotFoundError):
        await stream.read_spilled(event)


async def test_an_event_reaches_no_files_but_those_of_its_session(store: Store) -> None:
    one, two = EventStream("one", store), EventStream("two", store)
    event = await one.add_event(CmdOutputObservation("x" * 2 * EVENT_CONTENT_LIMIT))
    forged = await two.add_event(structs.replace(event, id=None))
    with pytest.raises(StoreDamaged, match="not a file of its session"):
        await two.read_spilled(forged)
    for path in ("sessions/two/contents/../../one/x", "sessions/one/contents/", "/etc/passwd", f"{'0' * 64}.txt"):
        forged = structs.replace(event, cloche={"spilled": {"path": path, "size": 1, "sha256": ""}})
        with pytest.raises((StoreDamaged, FileNotFoundError)):
            await two.read_spilled(forged)
    broken = structs.replace(event, cloche={"spilled": {"path": 1}})
    with pytest.raises(StoreDamaged, match="does not tell where"):
        await one.read_spilled(broken)
