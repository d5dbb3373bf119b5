"""Stores of both kinds, on which everything must hold."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cloche.events import EventStream, MemoryStore, SQLiteStore, Store


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SQLiteStore]:
    """A real file."""
    async with SQLiteStore(tmp_path / "events.db") as store:
        yield store


@pytest.fixture(params=["sqlite", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """Each store in turn."""
    async with SQLiteStore(tmp_path / "each.db") if request.param == "sqlite" else MemoryStore() as store:
        yield store


@pytest.fixture
def stream(store: Store) -> EventStream:
    """A stream that nobody subscribes to."""
    return EventStream("one", store)
