"""Runs the cases of a suite on both sides."""

from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from beside.boxes import CaseBox
from beside.cases import Case, Outcome, Suite
from beside.real import run_really
from beside.references import References
from beside.tally import Judged, judge

AT_ONCE = 2
"""Cases that run at once on either side."""
SAVED = 200
"""Outcomes of the real tools after which they are written."""

Told = Callable[[str], None]


def _keep_quiet(_: str) -> None:
    """Say nothing."""


class Comparison:
    """Runs cases with the real tools, unless that is known, then those that they pass in sandboxes."""

    def __init__(
        self, suite: Suite, checkout: Path, *, again: bool = False, anew: bool = False, tell: Told | None = None
    ) -> None:
        self._suite = suite
        self._checkout = checkout
        self._references = References(suite, checkout)
        self._again = again
        self._anew = anew
        self._renews = getattr(suite, "RENEWED", False)
        self._tell: Told = tell or _keep_quiet

    async def run(self, cases: Sequence[Case]) -> list[Judged]:
        """What came of all that apply."""
        await self._refer(cases)
        known = [(case, real) for case in cases if (real := self._references.find(case)) is not None]
        applying = [(case, real) for case, real in known if not real.late and self._suite.find_points(case, real)]
        self._tell(f"{len(applying)} of {len(cases)} cases apply")
        judged: list[Judged] = []
        queue = list(reversed(applying))
        async with anyio.create_task_group() as tasks:
            for _ in range(min(AT_ONCE, len(queue))):
                tasks.start_soon(self._work, queue, judged)
        order = {case.name: number for number, case in enumerate(cases)}
        return sorted(judged, key=lambda each: order[each.case.name])

    async def _work(self, queue: list[tuple[Case, Outcome]], judged: list[Judged]) -> None:
        async with CaseBox(self._suite, self._checkout, anew=self._anew) as box:
            while queue:
                case, real = queue.pop()
                found = judge(self._suite, case, real, await box.run(case))
                judged.append(found)
                if self._renews and not found.whole:
                    await box.drop()
                self._tell(f"{'passed' if found.whole else 'FAILED'} {case.name}")

    async def _refer(self, cases: Sequence[Case]) -> None:
        missing = [case for case in cases if self._again or self._references.find(case) is None]
        if not missing:
            return
        limiter = anyio.CapacityLimiter(AT_ONCE)
        for start in range(0, len(missing), SAVED):
            self._tell(f"real tools: {start} of {len(missing)}")
            async with anyio.create_task_group() as tasks:
                for case in missing[start : start + SAVED]:
                    tasks.start_soon(self._refer_one, case, limiter)
            self._references.save()

    async def _refer_one(self, case: Case, limiter: anyio.CapacityLimiter) -> None:
        outcome = await to_thread.run_sync(run_really, self._suite, self._checkout, case, limiter=limiter)
        self._references.keep(case, outcome)
