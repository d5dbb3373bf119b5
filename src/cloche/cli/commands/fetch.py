"""`cloche fetch`: downloads and builds everything a sandbox needs, ahead of time."""

import click

from cloche.cli import exit_codes

GROUP, RANK = "This machine", 31
HELP = "Fetch what sandboxes need, so that they start without a network."


@click.command()
@click.argument("languages", nargs=-1, metavar="[LANG]...")
@click.option("--force", is_flag=True, help="Fetch and build again even if nothing is missing.")
@click.pass_context
def fetch(ctx: click.Context, languages: tuple[str, ...], force: bool) -> None:
    """Fetch the engine's files and build the Python snapshot, so that sandboxes start without a network.

    Python, bash and Scheme come with the engine. LANG fetches the files of that language too, `all` those of all
    languages; otherwise they are fetched when a sandbox first uses the language.

    \b
    cloche fetch
    cloche fetch ruby php
    cloche fetch all
    CLOCHE_CACHE=/opt/cloche cloche fetch

    Exit codes: 0 ready, 2 usage, 69 something could not be fetched, 130 Ctrl-C.
    """
    import anyio

    from cloche.cli.result_output import print_message
    from cloche.errors import ConfigError, SandboxError
    from cloche.sandbox.languages import check_language
    from cloche.sandbox.languages import languages as known

    try:
        names = [*known()] if "all" in languages else [check_language(each).name for each in languages]
        click.echo(f"Ready: {anyio.run(_fetch_files, names, force)}")
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except SandboxError as error:
        print_message(str(error))
        ctx.exit(exit_codes.UNAVAILABLE)


async def _fetch_files(languages: list[str], force: bool) -> str:
    from cloche.cli.terminal.progress import PreparationProgress, prepare_sandbox
    from cloche.sandbox.cache import assets, packs, snapshots
    from cloche.sandbox.languages import languages as known
    from cloche.sandbox.process.warm_up import warm_up

    wanted = [name for name in languages if known()[name].pack]
    with PreparationProgress() as progress:
        await assets.fetch_assets(progress, anew=force)
        await prepare_sandbox(progress, anew=force)
        # Sizes are looked at before each start, contents only here.
        await assets.repair_assets()
        await snapshots.repair_prepared(warm_up)
        for name in wanted:
            await packs.ensure_pack(name, progress, anew=force)
    return str(assets.cache_dir())
