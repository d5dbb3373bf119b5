"""Verdicts on actions, and the findings behind them."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from cloche.events import ActionSecurityRisk


class Decision(StrEnum):
    """Whether an action may run."""

    ALLOW = "allow"
    ASK = "ask"
    """Only if the user confirms it."""
    DENY = "deny"

    @property
    def severity(self) -> int:
        """0 for `allow`, 2 for `deny`."""
        return _SEVERITY[self]


_SEVERITY = {each: number for number, each in enumerate(Decision)}


class Finding(Struct, frozen=True, kw_only=True):
    """What was found in an action, and what is decided about that."""

    rule: str
    """The id of the rule, or what else decided."""
    reason: str
    decision: Decision
    risk: ActionSecurityRisk
    excerpt: str = ""
    """The part of the action that it is about."""
    advice: str = ""
    """What may be done instead."""


class Verdict(Struct, frozen=True, kw_only=True):
    """The decision about an action."""

    decision: Decision
    risk: ActionSecurityRisk
    findings: tuple[Finding, ...] = ()
    """The most severe first."""
    analyzer: str

    @property
    def main(self) -> Finding | None:
        """The finding that decided."""
        return self.findings[0] if self.findings else None


FINDINGS = 20
"""The most findings that a verdict keeps."""


def combine_findings(
    findings: Iterable[Finding],
    *,
    analyzer: str,
    otherwise: Decision = Decision.ALLOW,
    risk: ActionSecurityRisk = ActionSecurityRisk.LOW,
) -> Verdict:
    """The verdict of the most severe finding; without findings it is `otherwise` with this `risk`."""
    kept = sorted(dict.fromkeys(findings), key=lambda each: (each.decision.severity, each.risk), reverse=True)
    return Verdict(
        decision=max([otherwise, *(each.decision for each in kept)], key=lambda each: each.severity),
        risk=max([risk, *(each.risk for each in kept)]),
        findings=tuple(kept[:FINDINGS]),
        analyzer=analyzer,
    )


def combine_verdicts(verdicts: Sequence[Verdict], *, analyzer: str) -> Verdict:
    """The most severe of several verdicts, with all their findings."""
    findings = (finding for verdict in verdicts for finding in verdict.findings)
    otherwise = max((verdict.decision for verdict in verdicts), key=lambda each: each.severity, default=Decision.ALLOW)
    risk = max((verdict.risk for verdict in verdicts), default=ActionSecurityRisk.UNKNOWN)
    return combine_findings(findings, analyzer=analyzer, otherwise=otherwise, risk=risk)
