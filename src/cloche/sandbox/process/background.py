"""Work that calls have left running in one process, and the processor time it has used."""

import logging

from cloche.limits import BACKGROUND_CPU
from cloche.sandbox.process.exit_reason import one_line

log = logging.getLogger(__name__)

LISTED = 500
"""Characters that describe the work that was stopped."""


class BackgroundMonitor:
    """Counts all that the process uses while no call runs; during a call, only what the engine reports."""

    def __init__(self) -> None:
        self.work: dict[str, list[str]] = {}
        """What is running, by language, as the engine last reported."""
        self.seconds = 0.0
        """Processor time that it has used."""
        self.notice: str | None = None
        """The notice for the next result."""
        self.taken = 0.0
        """Seconds that running calls had to wait for it, since the process started."""
        self._total: float | None = None
        self._beside = 0.0
        self._counted = 0.0

    def report(self, work: dict[str, list[str]]) -> None:
        self.work = work
        if not work:
            self.seconds, self._total = 0.0, None

    def report_beside(self, seconds: float, taken: float) -> None:
        """Note what the engine has measured during calls, since the process started."""
        self._beside, self.taken = max(self._beside, seconds), max(self.taken, taken)

    def count(self, total: float, *, idle: bool) -> str | None:
        """Add its share of the processor time since the last count; returns a reason if it is too much."""
        before, self._total = self._total, total if total and self.work else None
        beside, self._counted = self._beside - self._counted, self._beside
        if before is None or self._total is None:
            return None
        used = max(0.0, total - before)
        # The engine samples a clock, which also runs while other programs have the processor.
        self.seconds += used if idle else min(used, beside)
        return f"it used {BACKGROUND_CPU:g} s of a processor" if self.seconds >= BACKGROUND_CPU else None

    def stopped(self, why: str) -> None:
        """Note that it was stopped, for the next result and the log; what survives gets a new budget."""
        self.seconds = 0.0
        said = f"what earlier calls had left running was stopped, because {why}"
        names = "; ".join(f"{language}: {', '.join(work)}" for language, work in self.work.items())
        # Commands may contain secrets: the caller sees them, the log does not.
        counts = "; ".join(f"{language}: {len(work)}" for language, work in self.work.items())
        self.notice, logged = (said + (f" ({one_line(each, LISTED)})" if each else "") for each in (names, counts))
        log.warning("%s", logged)

    def take_notice(self) -> str | None:
        notice, self.notice = self.notice, None
        return notice
