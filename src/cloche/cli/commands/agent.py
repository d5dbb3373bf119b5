"""`cloche agent`: an agent works on a task."""

from typing import IO

import click

from cloche.cli.config_option import config_option, load_settings

GROUP, RANK = "Serve agents, keep sessions", 20
HELP = "Let an agent work on a task."


@click.command(name="agent")
@click.option(
    "-t", "--task", metavar="TEXT", help="What to do; - reads it from standard input. Without it, it is asked for."
)
@click.option("--resume", metavar="SID", help="Go on with this session.")
@click.option("--session", "sid", metavar="ID", help="Keep the session under this id; by default a new one.")
@click.option("--workspace", type=click.Path(file_okay=False), metavar="DIR", help="Use this folder as /workspace.")
@click.option("--repository", metavar="REPO", help="Clone this first: owner/name, an https:// address, or a folder.")
@click.option("--branch", metavar="NAME", help="The branch of the repository.")
@click.option("--agent", "agent_name", metavar="NAME", help="The agent; by default [core] default_agent.")
@click.option("--model", metavar="NAME", help="The model; by default [llm] model.")
@click.option("--runtime", metavar="NAME", help="Where actions run; by default [core] runtime.")
@click.option("--max-iterations", type=click.IntRange(1), metavar="N", help="Steps that the agent may take.")
@click.option("--confirm", is_flag=True, help="Ask before each action.")
@click.option(
    "--diff",
    type=click.File("w", encoding="utf-8", lazy=False),
    metavar="FILE",
    help="Write what has changed in /workspace as a patch.",
)
@click.option("--json", "as_json", is_flag=True, help="Print every event as a line of JSON, and ask nothing.")
@config_option
def command(
    task: str | None,
    resume: str | None,
    sid: str | None,
    workspace: str | None,
    repository: str | None,
    branch: str | None,
    agent_name: str | None,
    model: str | None,
    runtime: str | None,
    max_iterations: int | None,
    confirm: bool,
    diff: IO[str] | None,
    as_json: bool,
    config_file: str | None,
) -> None:
    """Let an agent work on a task, and show each action with its result.

    The model comes from [llm] in config.toml. At a terminal you are asked what the agent wants to know, and about
    actions where the policy says so; elsewhere it works alone, and such actions are refused.

    \b
    cloche agent -t "Find out why the tests fail, and mend it" --workspace . --diff fix.patch
    cloche agent -t "Sum up README.md" --repository owner/name
    cloche agent --resume SID

    Private repositories need GITHUB_TOKEN, GITLAB_TOKEN or BITBUCKET_TOKEN in the environment; each goes to its own
    host only, and not into the sandbox.

    Ctrl-C pauses and asks what next; pressed again, it stops. The session is kept: `cloche replay SID` prints it.

    Exit codes: 0 the task is done, 1 it is not, 2 usage, 69 the session could not be started, 130 stopped.
    """
    import anyio

    from cloche.cli.running.run_agent import AgentRunner, AgentSettings

    if task is None and resume is None and as_json:
        raise click.UsageError("--json needs a task: add -t TEXT, or --resume SID")
    if sid is not None and resume is not None:
        raise click.UsageError("--session names a new session and --resume an old one: give one of them")
    settings = AgentSettings(
        task=task,
        sid=resume or sid,
        resumed=resume is not None,
        workspace=workspace,
        repository=repository,
        branch=branch,
        agent=agent_name,
        model=model,
        runtime=runtime,
        max_iterations=max_iterations,
        confirm=confirm,
        diff=diff,
        as_json=as_json,
    )
    raise SystemExit(anyio.run(AgentRunner(settings, load_settings(config_file)).run))
