"""`secrets`: keys and passwords in the text of an action."""

import msgspec

from cloche.config.plain_values import is_list, is_table
from cloche.events import Action, ActionSecurityRisk
from cloche.security.analyzer import ActionContext, SecurityAnalyzer
from cloche.security.secrets import find_secrets
from cloche.security.verdict import Decision, Finding, Verdict, combine_findings


class SecretsAnalyzer(SecurityAnalyzer):
    """Asks about actions that carry what looks like a key; `find_secrets` does the same for what is printed."""

    name = "secrets"

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        if not action.runnable:
            return combine_findings([], analyzer=self.name)
        text = "\n".join(_list_texts(msgspec.to_builtins(action)))
        findings = [
            Finding(
                rule=f"secret-{found.kind}",
                reason=f"It carries what looks like {found.title}",
                decision=Decision.ASK,
                risk=ActionSecurityRisk.HIGH,
                advice="Read the key from a variable or a file when it is used.",
            )
            for found in find_secrets(text)
        ]
        return combine_findings(findings, analyzer=self.name)


def _list_texts(value: object) -> list[str]:
    found: list[str] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.append(each)
        elif is_table(each):
            waiting += each.values()
        elif is_list(each):
            waiting += each
    return found
