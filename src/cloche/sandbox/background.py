"""Work that calls have left running in one process, and the processor time it has used."""

import logging

from cloche.limits import BACKGROUND_CPU
from cloche.sandbox.ending import one_line

log = logging.getLogger(__name__)

LISTED = 500
"""Characters of what is told of the work that was stopped."""


class Background:
    """Counts while no call runs: what runs beside a call is within that call's time."""

    def __init__(self) -> None:
        self.work: dict[str, list[str]] = {}
        """What it is, by language, as the engine told last."""
        self.seconds = 0.0
        """Of a processor, since there was none."""
        self.notice: str | None = None
        """What the next result has to tell."""
        self._total: float | None = None

    def report(self, work: dict[str, list[str]]) -> None:
        self.work = work
        if not work:
            self.seconds, self._total = 0.0, None

    def count(self, total: float, *, idle: bool) -> str | None:
        """Add what the process has used since the last time; says so when it is too much."""
        before, self._total = self._total, total if total and idle and self.work else None
        if before is None or not idle or not self.work:
            return None
        self.seconds += max(0.0, total - before)
        return f"it used {BACKGROUND_CPU:g} s of a processor" if self.seconds >= BACKGROUND_CPU else None

    def stopped(self, why: str) -> None:
        """Note that it is ended, for the next result and the log."""
        names = "; ".join(f"{language}: {', '.join(work)}" for language, work in self.work.items())
        listed = f" ({one_line(names, LISTED)})" if names else ""
        self.notice = f"what earlier calls had left running was stopped, because {why}{listed}"
        log.warning("%s", self.notice)

    def take_notice(self) -> str | None:
        notice, self.notice = self.notice, None
        return notice
