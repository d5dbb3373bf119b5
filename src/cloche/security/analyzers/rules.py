"""`rules`: the policy of the configuration, over the facts of an action."""

from functools import partial
from pathlib import Path

import msgspec
from anyio import to_thread

from cloche.config import AppConfig
from cloche.errors import ClocheError
from cloche.events import Action, CmdRunAction, IPythonRunCellAction, RunCodeAction
from cloche.security.analyzer import ActionContext, ApiAnswer, ApiRequest, SecurityAnalyzer
from cloche.security.facts.action_facts import read_action
from cloche.security.facts.fact import Fact, shorten
from cloche.security.outline import find_difference, outline_bash
from cloche.security.policy import Policy, Scope, load_builtin, load_policy
from cloche.security.verdict import Verdict

LONG = 8 * 1024
"""Characters from which on a text is read in a thread, so that others get their turn."""


class RulesAnalyzer(SecurityAnalyzer):
    """Decides by the rules of a policy."""

    name = "rules"

    def __init__(self, config: AppConfig | None = None, *, policy: Policy | None = None) -> None:
        """`policy` goes before that of the configuration."""
        super().__init__(config)
        self._policy = policy

    async def open(self) -> None:
        self._policy = self._policy or await to_thread.run_sync(read_configured, self.config)

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        text = _text_of(action)
        judge = partial(self.judge, action, context)
        if len(text) < LONG:
            return judge(await self._compare(action, context))
        # Given up rather than waited for: it has no effects.
        difference = await self._compare(action, context)
        return await to_thread.run_sync(judge, difference, abandon_on_cancel=True)

    async def handle_api_request(self, request: ApiRequest) -> ApiAnswer | None:
        """`GET rules` lists the rules of the policy, in their order."""
        if (request.method, request.path) != ("GET", "rules") or self._policy is None:
            return None
        policy = self._policy
        rules = [
            {
                "id": rule.id,
                "when": rule.when,
                "verdict": rule.verdict,
                "risk": rule.risk.name,
                "reason": rule.reason,
                "advice": rule.advice,
            }
            for rule in policy.rules
        ]
        default = {"verdict": policy.verdict, "risk": policy.risk.name}
        return ApiAnswer(msgspec.json.encode({"default": default, "rules": rules}))

    def judge(self, action: Action, context: ActionContext, difference: Fact | None = None) -> Verdict:
        """The verdict, without asking the shell."""
        facts = read_action(action, context.surroundings)
        if difference is not None:
            facts.append(difference)
        assert self._policy is not None, "it is opened before the first action"
        scope = Scope(action=action.kind, surroundings=context.surroundings, allowed_hosts=context.allowed_hosts)
        return self._policy.decide(facts, scope, analyzer=self.name)

    async def _compare(self, action: Action, context: ActionContext) -> Fact | None:
        """A fact if the shell reads a command in another way than our parser."""
        if context.read_as_shell is None or not isinstance(action, CmdRunAction) or action.is_input:
            return None
        if not action.command.strip():
            return None
        try:
            shells = await context.read_as_shell(action.command)
        except ClocheError as error:
            note = f"the shell could not be asked how it reads it ({error})"
        else:
            if shells is None:
                return None
            difference = find_difference(outline_bash(action.command), shells)
            if difference is None:
                return None
            note = f"the shell reads it differently: {difference}"
        excerpt = shorten(action.command)
        return Fact(kind="construct", value="read_differently", note=note, excerpt=excerpt, language="bash")


def read_configured(config: AppConfig) -> Policy:
    """The policy that `[security] policy` names, else the built-in one; raises ConfigError if it cannot be read."""
    path = config.security.policy
    return load_policy(Path(path).expanduser()) if path else load_builtin()


def _text_of(action: Action) -> str:
    match action:
        case CmdRunAction(command=text) | IPythonRunCellAction(code=text) | RunCodeAction(code=text):
            return text
        case _:
            return ""
