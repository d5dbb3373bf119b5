"""What a verdict says to the user and the agent, and the event that keeps it."""

from typing import Any

import msgspec

from cloche.events import Event, Status, UserRejectObservation, new_event
from cloche.security.verdict import Decision, Finding, Verdict

STATUS = "STATUS$SECURITY_VERDICT"
"""The status of the event that records a verdict."""
KEY = "security_verdict"
"""Where its `cloche` part has the verdict itself."""
_SHOWN = 3
"""Findings that a text names."""
_LEVELS = {Decision.ALLOW: "info", Decision.ASK: "warning", Decision.DENY: "error"}


def needs_confirmation(verdict: Verdict, *, confirmation_mode: bool) -> bool:
    """Whether the user has to confirm an action: if the verdict is `ask`, and in this mode always."""
    return verdict.decision is Decision.ASK or (confirmation_mode and verdict.decision is Decision.ALLOW)


def describe_verdict(verdict: Verdict) -> str:
    """The verdict in one sentence."""
    main = verdict.main
    why = f": {main.reason} (rule {main.rule})" if main is not None else ""
    return f"{verdict.decision}, {verdict.risk.name.lower()} risk{why}"


def refuse_action(verdict: Verdict, *, answered: bool | None = None) -> UserRejectObservation:
    """The observation of an action that was not executed: which rule, why, and what to do instead.

    `answered` is what became of the question: None if nobody was asked, False if nobody answered in time, True if the
    user said no.
    """
    begin = {
        None: "This action was not executed, because a rule forbids it.",
        False: "This action was not executed: it needs the user's confirmation, and nobody answered in time.",
        True: "This action was not executed: the user did not confirm it.",
    }[answered]
    severe = [each for each in verdict.findings if each.decision is not Decision.ALLOW][:_SHOWN]
    return UserRejectObservation("\n".join([begin, *(_describe_finding(each) for each in severe), _END]))


_END = "Do not try the same in another form: go another way, or tell the user what you need and why."


def _describe_finding(finding: Finding) -> str:
    excerpt = f"\n  in: {finding.excerpt}" if finding.excerpt else ""
    advice = f"\n  instead: {finding.advice}" if finding.advice else ""
    return f"- {finding.reason} (rule {finding.rule}).{excerpt}{advice}"


def verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain values, risks by name."""
    findings = [{**msgspec.to_builtins(each), "risk": each.risk.name} for each in verdict.findings]
    return {**msgspec.to_builtins(verdict), "risk": verdict.risk.name, "findings": findings}


def make_verdict_event(verdict: Verdict, action: Event) -> Event:
    """The event that records a verdict: a status with the action as its cause, which no reader takes for an answer."""
    status = Status(STATUS, describe_verdict(verdict), _LEVELS[verdict.decision])
    event = new_event(status, answers=action)
    return msgspec.structs.replace(event, cloche={KEY: verdict_to_dict(verdict)}, tool_call_metadata=None)
