"""Decides about facts: for each the first rule that applies, and of all the most severe."""

from collections.abc import Sequence

from cloche.events import ActionSecurityRisk
from cloche.security.facts.fact import Fact
from cloche.security.policy.rules import NEVER_ALLOWED, Rule, Scope
from cloche.security.verdict import Decision, Finding, Verdict, combine_findings

CANDIDATES = 2000
"""Kinds of facts for which the rules that may apply are remembered."""
DEFAULT = "default"
"""What is named as the rule where none applies."""
UNREADABLE = "unreadable"
"""What is named as the rule where what cannot be read was allowed by none or by mistake."""


class Policy:
    """Ordered rules, and what holds where none applies."""

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        verdict: Decision = Decision.ALLOW,
        risk: ActionSecurityRisk = ActionSecurityRisk.LOW,
    ) -> None:
        self.rules = tuple(rules)
        self.verdict = verdict
        self.risk = risk
        self._candidates: dict[tuple[str | None, ...], tuple[Rule, ...]] = {}
        """The rules that may apply to a kind of fact, an access and a command: most apply to few."""

    def decide(self, facts: Sequence[Fact], scope: Scope, *, analyzer: str = "rules") -> Verdict:
        """The verdict about an action with these facts."""
        # The action itself needs a rule only where nothing else is known of it.
        alone = len(facts) == 1
        counted = [fact for fact in facts if fact.kind != "action" or alone or self._fits(fact, scope)]
        findings = [self._judge(fact, scope) for fact in counted]
        severe = [each for each in findings if each.decision is not Decision.ALLOW]
        named = [each for each in findings if each.rule != DEFAULT]
        risk = max((each.risk for each in findings), default=self.risk)
        return combine_findings(severe or named, analyzer=analyzer, risk=risk)

    def _fits(self, fact: Fact, scope: Scope) -> bool:
        return any(rule.applies(fact, scope) for rule in self._list_candidates(fact))

    def _list_candidates(self, fact: Fact) -> tuple[Rule, ...]:
        key = fact.kind, fact.access, fact.command.name if fact.command else None
        found = self._candidates.get(key)
        if found is None:
            if len(self._candidates) >= CANDIDATES:
                self._candidates.clear()
            found = self._candidates[key] = tuple(rule for rule in self.rules if rule.may_apply(fact))
        return found

    def _judge(self, fact: Fact, scope: Scope) -> Finding:
        rule = next((rule for rule in self._list_candidates(fact) if rule.applies(fact, scope)), None)
        unreadable = fact.kind == "construct" and fact.value in NEVER_ALLOWED
        if unreadable and (self.verdict if rule is None else rule.verdict) is Decision.ALLOW:
            return _refuse_unreadable(fact)
        if rule is None:
            return self._take_default(fact)
        reason = f"{rule.reason}: {fact.note}" if fact.note else rule.reason
        return Finding(
            rule=rule.id,
            reason=reason,
            decision=rule.verdict,
            risk=rule.risk,
            excerpt=fact.excerpt,
            advice=rule.advice,
        )

    def _take_default(self, fact: Fact) -> Finding:
        return Finding(
            rule=DEFAULT, reason="No rule applies", decision=self.verdict, risk=self.risk, excerpt=fact.excerpt
        )


def _refuse_unreadable(fact: Fact) -> Finding:
    return Finding(
        rule=UNREADABLE,
        reason=f"What cannot be read with certainty is never allowed by a rule: {fact.note}",
        decision=Decision.ASK,
        risk=ActionSecurityRisk.MEDIUM,
        excerpt=fact.excerpt,
        advice="Write the command out.",
    )
