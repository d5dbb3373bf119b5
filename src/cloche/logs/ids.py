"""The ids in log records: which session, whose, which action, which event."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple


class LogIds(NamedTuple):
    """What the current task works on; None where there is nothing to say."""

    session: str | None = None
    user: str | None = None
    action: int | str | None = None
    """The action that is executed: the id of its event, or the key that a client gave it."""
    event: int | None = None
    """The event that is being handled."""


_IDS: ContextVar[LogIds] = ContextVar("log_ids", default=LogIds())  # noqa: B039 - a tuple does not change


def current_ids() -> LogIds:
    """The ids of the current task."""
    return _IDS.get()


@contextmanager
def log_ids(*, only_missing: bool = False, **ids: Any) -> Generator[None]:
    """Put these fields of LogIds into the log records of the block, and of the tasks and threads that it starts.

    With `only_missing`, those that are set already stay.
    """
    before = _IDS.get()
    known = before._asdict() if only_missing else {}
    token = _IDS.set(before._replace(**{name: value for name, value in ids.items() if known.get(name) is None}))
    try:
        yield
    finally:
        _IDS.reset(token)
