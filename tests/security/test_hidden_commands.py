"""The built-in rules over commands in which somebody hides something, and over those that only look so."""

import pytest

from cloche.events import CmdRunAction, RunCodeAction
from cloche.security import ActionContext, Decision, Verdict, load_builtin
from cloche.security.analyzers.rules import RulesAnalyzer
from tests.security.hidden_commands import HARMLESS, HIDDEN

ANALYZER = RulesAnalyzer(policy=load_builtin())
CONTEXT = ActionContext(allowed_hosts=("example.org",))


def judge(command: str) -> Verdict:
    return ANALYZER.judge(CmdRunAction(command), CONTEXT)


@pytest.mark.parametrize("command", HIDDEN)
def test_what_is_hidden_is_asked_about_or_denied(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision is not Decision.ALLOW
    assert verdict.main is not None
    assert verdict.main.reason


@pytest.mark.parametrize("command", HARMLESS)
def test_what_only_looks_so_is_allowed(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision is Decision.ALLOW, verdict.findings


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("echo / | xargs -I{} rm -rf {}", "deny"),
        ("find . -name '*.c' | xargs -I{} gcc -c {}", "allow"),
        ("sqlite3 x <<< '.shell rm -rf /'", "deny"),
        ("git submodule foreach git pull", "allow"),
        ("git submodule foreach rm -rf /", "deny"),
        ("git rebase -x 'make test' main", "allow"),
        ("git bisect run make test", "allow"),
        ("npm exec -c 'rm -rf /'", "deny"),
        ("npm exec eslint .", "allow"),
        ('set -- -rf /; rm "$@"', "deny"),
        ("tee >(sh) <<< 'rm -rf /'", "deny"),
    ],
)
def test_what_is_started_is_judged_itself(command: str, decision: str) -> None:
    verdict = judge(command)
    assert verdict.decision == decision, verdict.findings


@pytest.mark.parametrize(
    ("language", "code", "decision"),
    [
        ("javascript", "model.eval(); loader.load()", "allow"),
        ("javascript", "eval(text)", "ask"),
        ("javascript", "eval(atob('cm0='))", "deny"),
        ("perl", "eval { risky() }; print $@", "allow"),
        ("perl", "eval $text", "ask"),
        ("ruby", "eval(Base64.decode64(x).then { _1 })", "deny"),
        ("php", "eval(base64_decode('cm0='));", "deny"),
        ("lua", "load('x')()", "ask"),
        ("r", "eval(parse(text = x))", "ask"),
    ],
)
def test_code_that_executes_text_is_asked_about(language: str, code: str, decision: str) -> None:
    verdict = ANALYZER.judge(RunCodeAction(language, code), CONTEXT)
    assert verdict.decision == decision, verdict.findings


def test_the_tables_are_large() -> None:
    assert len(HIDDEN) >= 60
    assert len(HARMLESS) >= 40
