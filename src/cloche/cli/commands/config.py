"""`cloche config`: the configuration in effect."""

import os
from typing import Any

import click

from cloche.cli.config_option import config_option, load_settings

GROUP, RANK = "Serve agents, keep sessions", 25
HELP = "Print the configuration and where each value came from."


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option("--path", "show_path", is_flag=True, help="Print which file is read, and which were looked for.")
@click.option("--template", "show_template", is_flag=True, help="Print a file with every setting, to start from.")
@click.option("--trust", "trusted", is_flag=True, help="Trust ./config.toml as it is now.")
def config(config_file: str | None, as_json: bool, show_path: bool, show_template: bool, trusted: bool) -> None:
    """Print the configuration and where each value came from; secrets are masked.

    It is read from one file; environment variables go before it: CLOCHE_SANDBOX__TIMEOUT=60 overrides `timeout` of
    [sandbox].

    \b
    cloche config
    mkdir -p ~/.config/cloche && cloche config --template > ~/.config/cloche/config.toml
    CLOCHE_SANDBOX__TIMEOUT=60 cloche config --json

    Code in a sandbox may write to the folder it works in, so ./config.toml is read only after `cloche config --trust`,
    and you are asked again after each change. A file that you name with --config is always read.

    Exit codes: 0 ok, 2 something in it is wrong.
    """
    if show_template:
        from cloche.config.printing import render_template

        return click.echo(render_template(), nl=False)
    if trusted:
        _trust_here()
    if show_path:
        return _print_places(config_file, as_json)
    settings = load_settings(config_file)
    if as_json:
        origin = settings.origin
        return _print_json(
            {"config": settings.to_tree(), "file": origin.file, "sources": origin.sources, "notes": origin.notes}
        )
    from cloche.config.printing import render_toml

    return click.echo(render_toml(settings), nl=False)


def _trust_here() -> None:
    from cloche.config.config_file import candidate_paths, read_file
    from cloche.config.trust import trust_file

    trust_file(read_file(candidate_paths(os.environ)[0], named=False), os.environ)


def _print_places(config_file: str | None, as_json: bool) -> None:
    from cloche.config.loading import find_file

    found = find_file(config_file, os.environ)
    read = found.file.path.absolute() if found.file else None
    if as_json:
        return _print_json({"file": read, "looked_for": [each.absolute() for each in found.looked_for]})
    for place in found.looked_for:
        state = "read" if place.absolute() == read else "not read" if os.path.lexists(place) else "missing"
        click.echo(f"{state:9} {place.absolute()}")
    return None


def _print_json(data: dict[str, Any]) -> None:
    import msgspec

    click.echo(msgspec.json.encode(data, enc_hook=str))
