"""Several analyzers at once: the most severe verdict counts, and one that fails counts as `ask`."""

import logging
from collections.abc import Sequence

import anyio

from cloche.events import Action, ActionSecurityRisk
from cloche.limits import ANALYZER_TIMEOUT
from cloche.security.analyzer import ActionContext, ApiAnswer, ApiRequest, SecurityAnalyzer
from cloche.security.verdict import Decision, Finding, Verdict, combine_findings, combine_verdicts

log = logging.getLogger(__name__)

CLOSE_TIMEOUT = 5.0
"""Seconds that one analyzer may take to close."""


class Ensemble(SecurityAnalyzer):
    """Asks all its analyzers at the same time."""

    name = "ensemble"

    def __init__(self, analyzers: Sequence[SecurityAnalyzer], *, timeout: float = ANALYZER_TIMEOUT) -> None:
        super().__init__()
        self._analyzers = tuple(analyzers)
        self._timeout = timeout

    async def open(self) -> None:
        for analyzer in self._analyzers:
            await analyzer.open()

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        verdicts: list[Verdict] = []

        async def ask(analyzer: SecurityAnalyzer) -> None:
            verdicts.append(await self._ask(analyzer, action, context))

        async with anyio.create_task_group() as tasks:
            for analyzer in self._analyzers:
                tasks.start_soon(ask, analyzer)
        if len(verdicts) == 1:
            return verdicts[0]
        return combine_verdicts(verdicts, analyzer=", ".join(each.name for each in self._analyzers))

    async def handle_api_request(self, request: ApiRequest) -> ApiAnswer | None:
        """The answer of the first that has one."""
        for analyzer in self._analyzers:
            if (answer := await analyzer.handle_api_request(request)) is not None:
                return answer
        return None

    async def close(self) -> None:
        for analyzer in self._analyzers:
            with anyio.move_on_after(CLOSE_TIMEOUT):
                try:
                    await analyzer.close()
                except Exception:  # it is somebody else's code, and the others have to be closed too
                    log.exception("the security analyzer %s could not be closed", analyzer.name)

    async def _ask(self, analyzer: SecurityAnalyzer, action: Action, context: ActionContext) -> Verdict:
        with anyio.move_on_after(self._timeout):
            try:
                verdict = await analyzer.analyze(action, context)
            except Exception as error:  # it is somebody else's code, and every action needs a verdict
                log.exception("the security analyzer %s failed", analyzer.name)
                return _fail(analyzer, f"failed: {type(error).__name__}: {error}")
            if isinstance(verdict, Verdict):  # pyright: ignore[reportUnnecessaryIsInstance]
                return verdict
            return _fail(analyzer, f"returned {type(verdict).__name__}, not a Verdict")
        return _fail(analyzer, f"did not answer within {self._timeout:g} s")


def _fail(analyzer: SecurityAnalyzer, why: str) -> Verdict:
    finding = Finding(
        rule="analyzer-failed",
        reason=f"The security analyzer {analyzer.name} {why}",
        decision=Decision.ASK,
        risk=ActionSecurityRisk.HIGH,
        advice="Look into the log, or change [security] security_analyzer.",
    )
    return combine_findings([finding], analyzer=analyzer.name)
