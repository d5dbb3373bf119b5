"""Judges the actions of an agent before they run: the session's analyzer, and the user where it says so."""

import logging
from collections.abc import Awaitable, Callable

from cloche.events import Action, ActionSecurityRisk, ErrorObservation, Event, EventStream, Observation, is_action
from cloche.runtime.codes import STOPPED
from cloche.security import (
    ActionContext,
    Decision,
    SecurityAnalyzer,
    Verdict,
    make_verdict_event,
    needs_confirmation,
    refuse_action,
)

log = logging.getLogger(__name__)

ASKED = 300
"""The most characters of an action in a question about it."""
Confirm = Callable[[float, str], Awaitable[bool | None]]
"""Asks the user, for so many seconds, about what stands in the text; None if nobody answered."""
FindContext = Callable[[], ActionContext]
Refuse = Callable[[Action], Awaitable[Observation | None]]
"""Answers an action that must not run, whoever sends it; None if it may."""


class ActionJudge:
    """The `judge` of a dispatcher: its verdicts are events, and what it refuses has an observation that says why."""

    def __init__(
        self,
        stream: EventStream,
        analyzer: SecurityAnalyzer | None,
        *,
        confirm: Confirm,
        is_stopped: Callable[[], bool] = lambda: False,
        confirmation_mode: bool,
        seconds: float,
        find_context: FindContext = ActionContext,
        refuse: Refuse | None = None,
    ) -> None:
        self._stream = stream
        self._analyzer = analyzer
        self._confirm = confirm
        self._is_stopped = is_stopped
        self._confirmation_mode = confirmation_mode
        self._seconds = seconds
        self._find_context = find_context
        self._refuse = refuse

    async def __call__(self, event: Event) -> Observation | None:
        """The observation of an action that must not run; None if it may. The analyzer does not judge what users do."""
        action = event.body
        if not is_action(action) or not action.runnable:
            return None
        if self._refuse is not None and (refused := await self._refuse(action)) is not None:
            return refused
        if event.source == "user":
            return None
        if self._is_stopped():
            return ErrorObservation(f"`{action.kind}` was not executed: the agent was stopped before.", STOPPED)
        verdict = ALLOWED
        if self._analyzer is not None:
            verdict = await self._analyzer.analyze(action, self._find_context())
            await self._stream.add_event(make_verdict_event(verdict, event))
        log.debug("the verdict on the action %s: %s, risk %s", action.kind, verdict.decision, verdict.risk)
        if verdict.decision is Decision.DENY:
            log.info("the action %s is denied by %s", action.kind, verdict.analyzer)
            return refuse_action(verdict)
        if not needs_confirmation(verdict, confirmation_mode=self._confirmation_mode):
            return None
        answer = await self._confirm(self._seconds, _describe(event, verdict))
        log.info("the user was asked about the action %s: confirmed=%s", action.kind, answer)
        return None if answer else refuse_action(verdict, answered=answer is not None)


ALLOWED = Verdict(decision=Decision.ALLOW, risk=ActionSecurityRisk.UNKNOWN, analyzer="none")
"""The verdict where nothing judges."""


def _describe(event: Event, verdict: Verdict) -> str:
    """What a user is asked about."""
    reasons = "; ".join(dict.fromkeys(finding.reason for finding in verdict.findings))
    text = " ".join((event.message or event.kind).split())
    shown = text if len(text) <= ASKED else f"{text[:ASKED]}..."
    return f"{shown} ({reasons})" if reasons else shown
