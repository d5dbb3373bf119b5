"""`cloche fetch`: everything a sandbox needs, ahead of time."""

import click

from cloche.cli import exits


@click.command()
@click.argument("languages", nargs=-1, metavar="[LANG]...")
@click.option("--force", is_flag=True, help="Fetch and build again even if all is there.")
@click.pass_context
def fetch(ctx: click.Context, languages: tuple[str, ...], force: bool) -> None:
    """Fetch the engine's files and build the Python snapshot; afterwards nothing needs a network.

    Without LANG, or with `all`, everything. Python and bash need the same files.

    \b
    cloche fetch
    CLOCHE_CACHE=/opt/cloche cloche fetch

    Exit codes: 0 ready, 2 usage, 69 something could not be fetched, 130 Ctrl-C.
    """
    import anyio

    from cloche.cli.render import say
    from cloche.errors import ConfigError, SandboxError
    from cloche.sandbox.languages import check_language

    try:
        for language in languages:
            if language != "all":
                check_language(language)
        click.echo(f"Ready: {anyio.run(_fetch, force)}")
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except SandboxError as error:
        say(str(error))
        ctx.exit(exits.UNAVAILABLE)


async def _fetch(force: bool) -> str:
    from anyio import to_thread

    from cloche.cli.progress import Progress, prepare
    from cloche.sandbox import assets, snapshots

    if force:
        await to_thread.run_sync(assets.discard)
        await to_thread.run_sync(snapshots.discard)
    with Progress() as progress:
        await assets.fetch(progress)
        await prepare(progress)
    return str(assets.cache_dir())
