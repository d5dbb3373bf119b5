"""`cloche diff`: what changed in a folder."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from cloche.sandbox.changes.diff import Diff

GROUP, RANK = "Run code", 14
HELP = "Show what changed in a folder, as a patch."


@click.command()
@click.option("--mark", is_flag=True, help="Mark the state of the folder now, and print the mark's name.")
@click.option("--since", default=None, metavar="MARK", help="Compare with this mark; by default the latest.")
@click.option("--stat", "as_stat", is_flag=True, help="Print the names of the files with their numbers of lines.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False, resolve_path=True))
def diff(mark: bool, since: str | None, as_stat: bool, as_json: bool, folder: str) -> None:
    """Show what changed in a folder since a mark, as a patch that `git apply` takes.

    Set one with --mark before the changes; the last ten of each folder are kept. `.git` is left out, and files
    over 4 MB are only listed as changed. No program is run, and no link is followed.

    \b
    cloche diff --mark project
    cloche bash -w project -c 'sed -i s/old/new/ *.py'
    cloche diff project

    To see what a single run changes, use the option --diff of `cloche run` and `cloche bash`.

    Exit codes: 0 ok, 2 usage.
    """
    from pathlib import Path

    from cloche.cli.result_output import write_output
    from cloche.errors import ConfigError
    from cloche.sandbox.changes import stored_marks

    try:
        if mark:
            name = stored_marks.save_mark(Path(folder))
            write_output("stdout", f"{_encode_json({'folder': folder, 'point': name})}\n" if as_json else f"{name}\n")
            return
        name, found = stored_marks.diff_since_mark(Path(folder), since)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        write_output("stdout", f"{_encode_json({'folder': folder, 'since': name, **as_dict(found)})}\n")
    else:
        write_output("stdout", found.stat() if as_stat else found.patch)


def as_dict(found: "Diff") -> dict[str, Any]:
    """The fields that `--json` prints."""
    from msgspec.structs import asdict

    # A name that is no text is shown as Python shows it.
    files = [{**asdict(each), "path": each.path.encode(errors="backslashreplace").decode()} for each in found.files]
    return {"complete": found.complete, "files": files, "patch": found.patch}


def _encode_json(data: dict[str, Any]) -> str:
    import msgspec

    return msgspec.json.encode(data).decode()
