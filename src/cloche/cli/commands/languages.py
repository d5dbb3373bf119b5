"""`cloche languages`."""

import click

GROUP, RANK = "Run code", 15
HELP = "List the languages."


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def languages(as_json: bool) -> None:
    """List the languages: version, engine, what is fetched on first use, and how running code is stopped.

    \b
    cloche languages
    cloche languages --json
    cloche fetch ruby php

    In Python, `box.languages()` also says which of them a sandbox has loaded, and how much memory each takes.
    """
    import msgspec

    from cloche.sandbox.cache import packs
    from cloche.sandbox.languages import languages as known

    everything = [(each, packs.pack_ready(each.name)) for each in known().values()]
    if as_json:
        rows = [{**msgspec.to_builtins(each), "fetched": fetched} for each, fetched in everything]
        click.echo(msgspec.json.encode(rows))
        return
    click.echo(f"{'language':<11} {'version':<8} {'download':>8}  {'':<7}  {'memory':>7}  {'stopped':<7}  engine")
    for each, fetched in everything:
        size = "" if not each.pack else f"{each.size / 1e6:.1f} MB" if each.size >= 1e6 else f"{each.size / 1e3:.0f} kB"
        mark = "fetched" if each.pack and fetched else ""
        stop = "softly" if each.interrupt == "soft" else "killed"
        row = f"{each.name:<11} {each.version:<8} {size:>8}  {mark:<7}  {each.memory:>4} MB  {stop:<7}  {each.engine}"
        click.echo(row)
