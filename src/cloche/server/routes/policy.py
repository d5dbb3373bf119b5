"""The security rules, and what they would decide about code, without running it."""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends
from msgspec import Meta, Struct
from starlette.responses import Response

from cloche.limits import CODE_LIMIT
from cloche.sandbox.languages import check_language
from cloche.security import ActionContext, SecurityAnalyzer, Surroundings, Verdict, make_action, read_policy
from cloche.security.analyzers.rules import RulesAnalyzer, read_configured
from cloche.security.policy.loading import SIZE_LIMIT
from cloche.server.access.callers import Here, Wanted
from cloche.server.services import Services
from cloche.server.wire import LanguageName, answer, body_of, describe

router = APIRouter(tags=["security"])


class PolicyQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Code to judge."""

    command: Annotated[str, Meta(max_length=CODE_LIMIT)]
    language: LanguageName = "bash"
    cwd: Annotated[str, Meta(pattern="^/", max_length=4096)] | None = None
    """The folder of the shell; by default that of the session, or the workspace."""
    policy: Annotated[str, Meta(max_length=SIZE_LIMIT)] | None = None
    """The rules, as in a policy file; by default those of the session, or of the configuration."""


class FindingView(Struct, frozen=True):
    """What was found, and by which rule."""

    rule: str
    reason: str
    decision: str
    risk: str
    excerpt: str
    advice: str


class VerdictView(Struct, frozen=True):
    """`allow`, `ask` or `deny`, and why; the first finding decided."""

    decision: str
    risk: str
    analyzer: str
    findings: list[FindingView]


class RuleView(Struct, frozen=True):
    """A rule: what it is about, and what it decides."""

    id: str
    when: dict[str, Any]
    """As in a policy file."""
    verdict: str
    risk: str
    reason: str
    advice: str


class PolicyView(Struct, frozen=True):
    """The rules of the configuration, in their order; the first that fits a fact decides about it."""

    file: str | None
    """The policy file; None for the rules that come with Cloche."""
    verdict: str
    """What holds if no rule fits."""
    risk: str
    rules: list[RuleView]


Question = Annotated[PolicyQuestion, Depends(body_of(PolicyQuestion))]


@router.get("/policy", **describe(told=PolicyView))
async def show_policy(here: Here) -> Response:
    """The rules of the configuration."""
    policy = await to_thread.run_sync(read_configured, here.config)
    rules = [
        RuleView(each.id, each.when, each.verdict, each.risk.name, each.reason, each.advice) for each in policy.rules
    ]
    return answer(PolicyView(here.config.security.policy, policy.verdict, policy.risk.name, rules))


@router.post("/policy", **describe(PolicyQuestion, VerdictView))
async def try_policy(here: Here, given: Question) -> Response:
    """What the rules would decide."""
    context = ActionContext(allowed_hosts=here.config.sandbox.allow_net)
    return answer(await _judge(await _open_rules(here, given), given, context))


@router.post("/sessions/{sid}/policy", **describe(PolicyQuestion, VerdictView, problems=(404, 409)))
async def try_session_policy(wanted: Wanted, here: Here, given: Question) -> Response:
    """What the analyzer of a session would decide about an action of its agent now."""
    async with wanted.use() as session:
        own = session.analyzer if given.policy is None else None
        context = session.context
        analyzer = own or await _open_rules(here, given)
        # The shell can be asked how it reads a command only while nothing else runs.
        asked = None if session.runtime.turn.locked() else context.read_as_shell
        quiet = ActionContext(
            surroundings=context.surroundings, allowed_hosts=context.allowed_hosts, read_as_shell=asked
        )
        return answer(await _judge(analyzer, given, quiet))


async def _open_rules(here: Services, given: PolicyQuestion) -> SecurityAnalyzer:
    policy = None if given.policy is None else await to_thread.run_sync(read_policy, given.policy, "the policy")
    rules = RulesAnalyzer(here.config, policy=policy)
    await rules.open()
    return rules


async def _judge(analyzer: SecurityAnalyzer, given: PolicyQuestion, context: ActionContext) -> VerdictView:
    check_language(given.language)
    if given.cwd is not None:
        context = ActionContext(
            surroundings=Surroundings(cwd=given.cwd),
            allowed_hosts=context.allowed_hosts,
            read_as_shell=context.read_as_shell,
        )
    return _view(await analyzer.analyze(make_action(given.language, given.command), context))


def _view(verdict: Verdict) -> VerdictView:
    findings = [
        FindingView(each.rule, each.reason, each.decision, each.risk.name, each.excerpt, each.advice)
        for each in verdict.findings
    ]
    return VerdictView(verdict.decision, verdict.risk.name, verdict.analyzer, findings)
