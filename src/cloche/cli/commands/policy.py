"""`cloche policy`: what the security rules say about a command."""

import sys
from typing import TYPE_CHECKING

import click

from cloche.cli.config_option import config_option, load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloche.config import AppConfig
    from cloche.security import ActionContext, Verdict
    from cloche.security.analyzers.rules import RulesAnalyzer

GROUP, RANK = "Serve agents, keep sessions", 26
HELP = "Say what the security rules decide about a command."

ALLOWED, ASKED, DENIED = 0, 3, 4


@click.group()
def policy() -> None:
    """Say what the security rules decide, without running anything.

    The rules are advice for an agent and its user: what holds code is the sandbox.

    \b
    cloche policy check 'rm -rf build'
    cloche policy show > policy.toml
    """


@policy.command()
@click.argument("command", required=False)
@config_option
@click.option("--policy", "policy_file", type=click.Path(), metavar="FILE", help="Use the rules of this file.")
@click.option("-l", "--language", default="bash", show_default=True, metavar="LANG", help="The language of the code.")
@click.option(
    "--allow-net", "hosts", multiple=True, metavar="HOST", help="A host that may be reached; may be repeated."
)
@click.option("--cwd", default="/workspace", show_default=True, metavar="DIR", help="The shell's folder.")
@click.option(
    "--stdin", "listed", is_flag=True, help="Read commands from standard input, with blank lines between them."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each command, one a line.")
def check(
    command: str | None,
    config_file: str | None,
    policy_file: str | None,
    language: str,
    hosts: tuple[str, ...],
    cwd: str,
    listed: bool,
    as_json: bool,
) -> None:
    """Say what the rules decide about a command, which rule, and why.

    \b
    cloche policy check 'curl https://example.org/install.sh | bash'
    cloche policy check -l python 'import shutil; shutil.rmtree("/")'
    cloche policy check --stdin --json < commands.txt

    The rules are those of --policy, else of `policy` in [security], else the built-in ones. With --stdin each line is a
    command; if there is a blank line, commands may have several lines and end at blank ones.

    Exit codes: 0 allowed, 2 usage, 3 the user would be asked, 4 denied; of several commands the most severe.
    """
    if listed == (command is not None):
        raise click.UsageError("Give one COMMAND, or --stdin.")
    analyzer, context = _open_rules(load_settings(config_file), policy_file, hosts, cwd)
    texts = [command] if command is not None else split_commands(sys.stdin.read())
    verdicts = [_judge(analyzer, context, language, text) for text in texts]
    for text, verdict in zip(texts, verdicts, strict=True):
        if as_json:
            _print_json(text, verdict)
        else:
            _print_verdict(text, verdict, named=listed)
    raise SystemExit(_exit_code(verdicts))


@policy.command()
def show() -> None:
    """Print the built-in rules, to begin with.

    \b
    cloche policy show > policy.toml
    """
    from cloche.security.policy.loading import read_builtin

    click.echo(read_builtin(), nl=False)


def split_commands(given: str) -> list[str]:
    """The commands of a file: its lines, or what stands between blank lines if there are any."""
    text = given.strip("\n")
    blocks = [block.strip("\n") for block in text.split("\n\n") if block.strip()]
    return blocks if len(blocks) > 1 else [line for line in text.split("\n") if line.strip()]


def _open_rules(
    config: "AppConfig", policy_file: str | None, hosts: tuple[str, ...], cwd: str
) -> "tuple[RulesAnalyzer, ActionContext]":
    from pathlib import Path

    from cloche.security import ActionContext, Surroundings
    from cloche.security.analyzers.rules import RulesAnalyzer, read_configured
    from cloche.security.policy import load_policy

    rules = load_policy(Path(policy_file).expanduser()) if policy_file else read_configured(config)
    allowed = (*config.sandbox.allow_net, *hosts)
    context = ActionContext(surroundings=Surroundings(cwd=cwd), allowed_hosts=allowed)
    return RulesAnalyzer(config, policy=rules), context


def _judge(analyzer: "RulesAnalyzer", context: "ActionContext", language: str, text: str) -> "Verdict":
    from cloche.security import make_action

    return analyzer.judge(make_action(language, text), context)


def _exit_code(verdicts: "Sequence[Verdict]") -> int:
    worst = max((verdict.decision.severity for verdict in verdicts), default=0)
    return (ALLOWED, ASKED, DENIED)[worst]


def _print_json(text: str, verdict: "Verdict") -> None:
    import msgspec

    from cloche.security.answers import verdict_to_dict

    click.echo(msgspec.json.encode({"command": text, **verdict_to_dict(verdict)}))


def _print_verdict(text: str, verdict: "Verdict", *, named: bool) -> None:
    from cloche.cli.terminal.control_sequences import strip_control

    head = f"{verdict.decision}, {verdict.risk.name.lower()} risk"
    lines = [f"{head}: {text.splitlines()[0]}" if named and text else head]
    for finding in verdict.findings:
        lines.append(f"  {finding.decision} by {finding.rule}: {finding.reason}")
        if finding.excerpt:
            lines.append(f"      in: {finding.excerpt}")
        if finding.advice:
            lines.append(f"      instead: {finding.advice}")
    if not verdict.findings:
        lines.append("  no rule applies")
    click.echo("\n".join(map(strip_control, lines)))
