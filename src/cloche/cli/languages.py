"""`cloche languages`."""

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def languages(as_json: bool) -> None:
    """List the languages, their versions and engines."""
    import msgspec

    from cloche.sandbox.languages import languages as known

    if as_json:
        click.echo(msgspec.json.encode(list(known().values())))
        return
    for language in known().values():
        click.echo(f"{language.name:10} {language.version:6} {language.engine}")
