"""Analyzers: found by name, asked together, and never trusted to work."""

import sys
from pathlib import Path

import anyio
import pytest

from cloche.config import AppConfig, SecurityConfig
from cloche.errors import ConfigError
from cloche.events import Action, ActionSecurityRisk, AgentThinkAction, CmdRunAction, FileWriteAction, ListFilesAction
from cloche.security import ActionContext, Decision, Ensemble, SecurityAnalyzer, Verdict, find_analyzer, open_analyzer
from cloche.security.analyzers.llm import LLMRiskAnalyzer
from cloche.security.analyzers.secrets import SecretsAnalyzer
from cloche.security.verdict import Finding, combine_findings

PACKAGE = """
from cloche.security.analyzers.llm import LLMRiskAnalyzer
class Mine(LLMRiskAnalyzer):
    name = "mine"
class Other: pass
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else, with an entry point."""
    (tmp_path / "theirs.py").write_text(PACKAGE)
    metadata = tmp_path / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[cloche.security_analyzers]\nmine = theirs:Mine\nother = theirs:Other\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "theirs", raising=False)


class Fixed(SecurityAnalyzer):
    """Says always the same."""

    name = "fixed"

    def __init__(self, decision: Decision) -> None:
        super().__init__()
        risk = ActionSecurityRisk.LOW if decision is Decision.ALLOW else ActionSecurityRisk.HIGH
        self.finding = Finding(rule=str(decision), reason="so it is", decision=decision, risk=risk)
        self.closed = 0

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        return combine_findings([self.finding], analyzer=self.name)

    async def close(self) -> None:
        self.closed += 1


class Broken(SecurityAnalyzer):
    """Does what it should not."""

    name = "broken"

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        if self.how == "hangs":
            await anyio.sleep_forever()
        if self.how == "raises":
            raise RuntimeError("out of order")
        return None  # pyright: ignore[reportReturnType] - that is what is wrong

    async def close(self) -> None:
        raise RuntimeError("cannot be closed")


def configure(names: str, policy: str | None = None) -> AppConfig:
    return AppConfig(security=SecurityConfig(security_analyzer=names, policy=policy))


async def test_the_most_severe_verdict_counts() -> None:
    ensemble = Ensemble([Fixed(Decision.ALLOW), Fixed(Decision.DENY), Fixed(Decision.ASK)])
    verdict = await ensemble.analyze(CmdRunAction("ls"), ActionContext())
    assert (verdict.decision, verdict.risk) == (Decision.DENY, ActionSecurityRisk.HIGH)
    assert [finding.rule for finding in verdict.findings] == ["deny", "ask", "allow"]


@pytest.mark.parametrize(
    ("how", "said"),
    [("raises", "failed: RuntimeError: out of order"), ("hangs", "did not answer"), ("returns", "returned NoneType")],
)
async def test_an_analyzer_that_fails_counts_as_ask(how: str, said: str) -> None:
    ensemble = Ensemble([Fixed(Decision.ALLOW), Broken(how)], timeout=0.05)
    with anyio.fail_after(5):
        verdict = await ensemble.analyze(CmdRunAction("ls"), ActionContext())
    assert (verdict.decision, verdict.risk) == (Decision.ASK, ActionSecurityRisk.HIGH)
    assert verdict.main is not None
    assert said in verdict.main.reason


async def test_every_analyzer_is_closed() -> None:
    last = Fixed(Decision.ALLOW)
    await Ensemble([Broken("raises"), last]).close()
    assert last.closed == 1


async def test_cancelling_reaches_the_analyzers() -> None:
    with anyio.fail_after(5):
        with anyio.move_on_after(0.01) as scope:
            await Ensemble([Broken("hangs")], timeout=60).analyze(CmdRunAction("ls"), ActionContext())
    assert scope.cancelled_caught


async def test_the_configuration_names_several(tmp_path: Path) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text('[[rule]]\nid = "no-ls"\nwhen = { command = "ls" }\nverdict = "deny"\nreason = "No"\n')
    analyzer = await open_analyzer(configure("rules, llm", str(policy)))
    assert analyzer is not None
    verdict = await analyzer.analyze(CmdRunAction("ls", security_risk=ActionSecurityRisk.HIGH), ActionContext())
    assert [finding.rule for finding in verdict.findings] == ["no-ls", "model-high"]
    await analyzer.close()


async def test_a_long_text_is_read_in_a_thread() -> None:
    analyzer = await open_analyzer(configure("rules"))
    assert analyzer is not None
    verdict = await analyzer.analyze(CmdRunAction("echo abcdefghijklm\n" * 600 + "rm -rf /"), ActionContext())
    assert verdict.decision is Decision.DENY


async def test_no_analyzer_is_none() -> None:
    assert await open_analyzer(AppConfig()) is None
    with pytest.raises(ConfigError, match="names none"):
        await open_analyzer(configure(" , "))


async def test_a_policy_that_is_wrong_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        await open_analyzer(configure("rules", str(tmp_path / "none.toml")))


@pytest.mark.usefixtures("package")
def test_others_are_found_by_entry_point_and_by_path() -> None:
    assert find_analyzer("mine").name == "mine"
    assert find_analyzer("theirs.Mine") is find_analyzer("mine")
    for name, said in {
        "ruls": "the security analyzer 'ruls' is not known: known are llm, mine, other, rules, secrets",
        "other": "no subclass of cloche.security.SecurityAnalyzer",
        "theirs.None": "could not be loaded",
    }.items():
        with pytest.raises(ConfigError, match=said):
            find_analyzer(name)


@pytest.mark.parametrize(
    ("action", "decision"),
    [
        (CmdRunAction("ls", security_risk=ActionSecurityRisk.LOW), "allow"),
        (CmdRunAction("ls", security_risk=ActionSecurityRisk.MEDIUM), "allow"),
        (CmdRunAction("ls", security_risk=ActionSecurityRisk.HIGH), "ask"),
        (CmdRunAction("ls"), "ask"),
        (ListFilesAction(), "allow"),
        (AgentThinkAction("x"), "allow"),
    ],
)
async def test_the_models_own_risk(action: Action, decision: str) -> None:
    assert (await LLMRiskAnalyzer().analyze(action, ActionContext())).decision == decision


async def test_an_action_with_a_key_in_it_is_asked_about() -> None:
    key = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0fRuLiO"
    verdict = await SecretsAnalyzer().analyze(FileWriteAction("a", f"token: {key}"), ActionContext())
    assert verdict.decision is Decision.ASK
    assert all(key not in finding.excerpt + finding.reason for finding in verdict.findings)
    assert (await SecretsAnalyzer().analyze(CmdRunAction("ls"), ActionContext())).decision is Decision.ALLOW


class Unnamed(SecurityAnalyzer):
    """Fails, and says nowhere what it is called."""

    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        raise RuntimeError("boom")


async def test_an_analyzer_that_fails_is_named_as_the_configuration_names_it() -> None:
    name = f"{__name__}.Unnamed"
    analyzer = await open_analyzer(configure(name))
    assert analyzer is not None
    verdict = await analyzer.analyze(CmdRunAction("ls"), ActionContext())
    assert verdict.main is not None
    assert verdict.main.reason == f"The security analyzer {name} failed: RuntimeError: boom"
    await analyzer.close()
