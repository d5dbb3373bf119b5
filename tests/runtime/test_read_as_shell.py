"""The shell of a sandbox says how it reads a command, and a security analyzer asks where others read it differently."""

import anyio
import pytest

from cloche.config import AppConfig, SecurityConfig
from cloche.errors import SandboxUnavailable
from cloche.events import CmdRunAction
from cloche.runtime import Runtime
from cloche.runtime.pyodide import PyodideRuntime
from cloche.security import ActionContext, Decision, ShellOutline, Verdict, find_difference, open_analyzer, outline_bash
from cloche.security.analyzers.rules import RulesAnalyzer
from cloche.security.policy import load_builtin
from tests.security.command_table import ALLOWED


@pytest.fixture
def shell(runtime: Runtime) -> PyodideRuntime:
    assert isinstance(runtime, PyodideRuntime)
    return runtime


async def judge(command: str, runtime: PyodideRuntime) -> Verdict:
    analyzer = await open_analyzer(AppConfig(security=SecurityConfig(security_analyzer="rules")))
    assert analyzer is not None
    return await analyzer.analyze(CmdRunAction(command), ActionContext(read_as_shell=runtime.read_as_shell))


async def test_both_read_an_ordinary_day_alike(shell: PyodideRuntime) -> None:
    with anyio.fail_after(15):
        for command in ALLOWED:
            outline = await shell.read_as_shell(command)
            assert outline is not None
            assert find_difference(outline_bash(command), outline) is None, command


async def test_the_outline_has_the_commands_of_every_part(shell: PyodideRuntime) -> None:
    outline = await shell.read_as_shell("f() { rm \"$1\"; }; if a; then b 'c d'; fi | e $(g) > h")
    expected = (("rm", None), ("a",), ("b", "c d"), ("e", None), ("g",))
    assert outline is not None
    assert sorted(outline.commands, key=str) == sorted(expected, key=str)


async def test_nothing_is_run(shell: PyodideRuntime) -> None:
    assert await shell.read_as_shell("touch /workspace/made; X=1") is not None
    observation = await shell.execute(CmdRunAction("ls /workspace; echo $X"))
    assert "made" not in getattr(observation, "content", "")


@pytest.mark.parametrize(
    "command",
    [
        # A word that goes on in the next line: two words for tree-sitter.
        "ec\\\nho a",
        # A descriptor that tree-sitter takes for an argument.
        "cat >& out 0>&1",
        "coproc up { tr a-z A-Z; }",
    ],
)
async def test_a_command_that_is_read_differently_is_asked_about(command: str, shell: PyodideRuntime) -> None:
    verdict = await judge(command, shell)
    assert verdict.decision is Decision.ASK
    assert any("the shell reads it differently" in finding.reason for finding in verdict.findings)


async def test_an_alias_of_an_earlier_action_is_noticed(shell: PyodideRuntime) -> None:
    assert (await judge("list_it a", shell)).decision is Decision.ALLOW
    await shell.execute(CmdRunAction("alias list_it='rm -rf'"))
    verdict = await judge("list_it a", shell)
    assert verdict.decision is Decision.ASK
    assert "the shell reads it differently" in verdict.findings[0].reason
    await shell.execute(CmdRunAction("unalias list_it"))
    assert (await judge("list_it a", shell)).decision is Decision.ALLOW


async def test_a_shell_that_is_busy_or_closed_is_not_asked(prepared: object) -> None:
    async with PyodideRuntime() as runtime:
        await runtime.execute(CmdRunAction("sleep 60 & read x"), timeout=0.5)
        assert runtime.command_runs
        with anyio.fail_after(5):
            assert await runtime.read_as_shell("ls") is None
    assert await runtime.read_as_shell("ls") is None


@pytest.mark.parametrize(
    ("outline", "decision"),
    [
        (ShellOutline((("ls",),)), "allow"),
        (ShellOutline((("rm", "-rf"),)), "ask"),
        (ShellOutline(readable=False), "ask"),
        (None, "allow"),
    ],
)
async def test_only_what_differs_is_asked_about(outline: ShellOutline | None, decision: str) -> None:
    async def read(command: str) -> ShellOutline | None:
        return outline

    analyzer = RulesAnalyzer(policy=load_builtin())
    assert (await analyzer.analyze(CmdRunAction("ls"), ActionContext(read_as_shell=read))).decision == decision


async def test_a_shell_that_cannot_answer_is_asked_about() -> None:
    async def read(command: str) -> ShellOutline | None:
        raise SandboxUnavailable("gone")

    verdict = await RulesAnalyzer(policy=load_builtin()).analyze(CmdRunAction("ls"), ActionContext(read_as_shell=read))
    assert verdict.decision is Decision.ASK
    assert "could not be asked how it reads it (gone)" in verdict.findings[0].reason
