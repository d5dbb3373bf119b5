"""`cloche site`: Play as a folder of files for any web host."""

from pathlib import Path

import click

from cloche.cli import exit_codes

GROUP, RANK = "Serve agents, keep sessions", 28
WRITING = "writing the site"
HELP = "Write Play as a folder of files for any web host."


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option(
    "--languages",
    metavar="LANG[,LANG]...",
    multiple=True,
    help="The languages of the site; by default all of them; may be repeated.",
)
@click.pass_context
def site(ctx: click.Context, directory: Path, languages: tuple[str, ...]) -> None:
    """Write Play to DIR: a page in which bash and ten languages run in the browser, without a server that runs code.

    Any web host can serve the folder, below any address. DIR must be new, empty or written by an earlier `cloche site`.

    \b
    cloche site public/play
    cloche site public/play --languages python,lua
    python3 -m http.server --directory public

    Exit codes: 0 written, 2 usage, 69 something could not be fetched or written, 130 Ctrl-C.
    """
    import anyio

    from cloche.cli.result_output import print_message
    from cloche.errors import ConfigError, SandboxError
    from cloche.sandbox.embedding.static_site import check_target
    from cloche.sandbox.languages import check_language
    from cloche.sandbox.languages import languages as known

    try:
        named = [each.strip() for each in ",".join(languages).split(",")]
        wanted = list(dict.fromkeys(check_language(each).name for each in named if each)) or [*known()]
        check_target(directory)
        size = anyio.run(_write_files, directory, wanted)
    except (ConfigError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    except (SandboxError, OSError) as error:
        print_message(str(error))
        ctx.exit(exit_codes.UNAVAILABLE)
    click.echo(
        f"Written: {directory} ({size / 1e6:.0f} MB, {len(wanted)} {'language' if len(wanted) == 1 else 'languages'})"
    )


async def _write_files(directory: Path, languages: list[str]) -> int:
    from anyio import to_thread

    from cloche.cli.terminal.progress import PreparationProgress
    from cloche.sandbox.embedding.site import build_site
    from cloche.sandbox.embedding.static_site import write_site

    with PreparationProgress() as progress:
        site = await build_site(languages, progress)
        progress.begin(WRITING)
        size = await to_thread.run_sync(write_site, directory, site, languages)
        progress.end(WRITING)
        return size
