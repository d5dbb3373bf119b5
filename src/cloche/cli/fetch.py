"""`cloche fetch`: everything a sandbox needs, ahead of time."""

import click

from cloche.cli.options import EX_UNAVAILABLE


@click.command()
@click.option("--force", is_flag=True, help="Fetch and build again even if all is there.")
@click.pass_context
def fetch(ctx: click.Context, force: bool) -> None:
    """Fetch the engine's files and build the Python snapshot; afterwards nothing needs a network.

    \b
    cloche fetch
    CLOCHE_CACHE=/opt/cloche cloche fetch
    """
    import anyio

    from cloche.errors import SandboxError

    try:
        anyio.run(_fetch, force)
    except SandboxError as error:
        click.echo(f"cloche: {error}", err=True)
        ctx.exit(EX_UNAVAILABLE)


async def _fetch(force: bool) -> None:
    from anyio import to_thread

    from cloche.cli.progress import Progress
    from cloche.sandbox import assets, snapshots
    from cloche.sandbox.warm import warm_up

    if force:
        await to_thread.run_sync(assets.discard)
        await to_thread.run_sync(snapshots.discard)
    with Progress() as progress:
        folder = await assets.fetch(progress)
    if snapshots.find() is None:
        click.echo("cloche: building the Python snapshot ...", err=True)
    await snapshots.build(warm_up)
    click.echo(f"Ready: {folder}")
