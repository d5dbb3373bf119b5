"""The statuses of a runtime are recorded."""

from pathlib import Path

import anyio
import pytest

from cloche.events import EventStream, SQLiteStore, Status
from cloche.runtime import RuntimeStatus, get_runtime_cls
from cloche.session import StatusRecorder


@pytest.mark.usefixtures("prepared")
async def test_the_life_of_a_runtime_is_in_the_stream(tmp_path: Path) -> None:
    async with SQLiteStore(tmp_path / "events.db") as store:
        stream = EventStream("s", store)
        async with StatusRecorder(stream) as record, get_runtime_cls("pyodide")(status_callback=record):
            pass
        events = [event async for event in stream.get_events()]
    told = [event.body.status for event in events if isinstance(event.body, Status)]
    assert told == [RuntimeStatus.WAITING_FOR_CLIENT, RuntimeStatus.READY, RuntimeStatus.STOPPED]
    assert len(events) == len(told)


async def test_a_store_that_is_closed_does_not_stop_the_runtime(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stream = EventStream("s", SQLiteStore(tmp_path / "events.db"))
    async with StatusRecorder(stream) as record:
        record("info", RuntimeStatus.READY, "")
    assert "is not on record" in caplog.text


async def test_statuses_reported_before_a_cancellation_are_stored(tmp_path: Path) -> None:
    async with SQLiteStore(tmp_path / "events.db") as store:
        stream = EventStream("s", store)
        with anyio.CancelScope() as scope:
            async with StatusRecorder(stream) as record:
                record("error", RuntimeStatus.ERROR, "it broke")
                scope.cancel()
                await anyio.lowlevel.checkpoint()
        (event,) = [event async for event in stream.get_events()]
    assert event.body == Status("STATUS$ERROR", "it broke", "error")
