"""`llm`: the risk that the model itself gave its action."""

from cloche.events import Action, ActionSecurityRisk
from cloche.security.analyzer import ActionContext, SecurityAnalyzer
from cloche.security.verdict import Decision, Finding, Verdict, combine_findings

_REASONS = {
    ActionSecurityRisk.HIGH: "The model itself calls this dangerous",
    ActionSecurityRisk.UNKNOWN: "The model did not say how dangerous this is",
}


class LLMRiskAnalyzer(SecurityAnalyzer):
    """Asks about what the model calls dangerous or gives no risk; a model can be misled, so use it with others."""

    name = "llm"

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        risk: ActionSecurityRisk | None = getattr(action, "security_risk", None)
        if risk is None or not action.runnable:
            return combine_findings([], analyzer=self.name)
        if risk not in _REASONS:
            return combine_findings([], analyzer=self.name, risk=risk)
        finding = Finding(rule=f"model-{risk.name.lower()}", reason=_REASONS[risk], decision=Decision.ASK, risk=risk)
        return combine_findings([finding], analyzer=self.name, risk=risk)
