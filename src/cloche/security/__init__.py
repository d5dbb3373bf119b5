"""Judges actions before they run. It is advice: what holds code is the sandbox."""

from cloche.security.analyzer import ActionContext, ApiAnswer, ApiRequest, ReadAsShell, SecurityAnalyzer
from cloche.security.answers import describe_verdict, make_verdict_event, needs_confirmation, refuse_action
from cloche.security.ensemble import Ensemble
from cloche.security.facts.action_facts import make_action, read_action
from cloche.security.facts.fact import Command, Fact
from cloche.security.facts.places import Surroundings
from cloche.security.outline import ShellOutline, find_difference, outline_bash
from cloche.security.policy import Policy, Scope, load_builtin, load_policy, read_policy
from cloche.security.registry import find_analyzer, list_analyzers, name_analyzers, open_analyzer
from cloche.security.secrets import FoundSecret, find_secrets
from cloche.security.verdict import Decision, Finding, Verdict

__all__ = [
    "ActionContext",
    "ApiAnswer",
    "ApiRequest",
    "Command",
    "Decision",
    "Ensemble",
    "Fact",
    "Finding",
    "FoundSecret",
    "Policy",
    "ReadAsShell",
    "Scope",
    "SecurityAnalyzer",
    "ShellOutline",
    "Surroundings",
    "Verdict",
    "describe_verdict",
    "find_analyzer",
    "find_difference",
    "find_secrets",
    "list_analyzers",
    "load_builtin",
    "load_policy",
    "make_action",
    "make_verdict_event",
    "name_analyzers",
    "needs_confirmation",
    "open_analyzer",
    "outline_bash",
    "read_action",
    "read_policy",
    "refuse_action",
]
