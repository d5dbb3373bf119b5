"""`cloche cache`: what is stored on this machine."""

import re
import time
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path

    from cloche.sandbox.cache.inventory import CacheEntry

GROUP, RANK = "This machine", 32
HELP = "Show, prune and verify what is stored on this machine."

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SHOWN = 20
"""Entries of one kind that are listed."""

_TITLES = {
    "assets": "Engine's files",
    "snapshot": "Snapshots",
    "code": "Compiled code of the engine",
    "pack": "Languages",
    "package": "Packages",
    "resolution": "What packages need",
    "index": "What registries tell",
    "point": "Marks of cloche diff",
    "probe": "Results of self-tests",
    "leftover": "Leftovers",
}


def _read_age(_: click.Context, __: click.Parameter, value: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", value.strip())
    if found is None:
        raise click.BadParameter(f"'{value}' is not an age such as 30d, 12h or 2w")
    return float(found[1]) * _UNITS[found[2]]


_json = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")


@click.group(invoke_without_command=True)
@_json
@click.pass_context
def cache(ctx: click.Context, as_json: bool) -> None:
    """Show what is stored on this machine, how large it is, when it was used, and by whom.

    Everything in it can be fetched or built again. CLOCHE_CACHE chooses another folder.

    \b
    cloche cache
    cloche cache prune --older-than 7d --dry-run
    cloche cache verify --fix

    Exit codes: 0 ok, 1 something is broken (verify), 2 usage.
    """
    if ctx.invoked_subcommand is not None:
        return None
    from cloche.sandbox.cache.inventory import cache_dir, list_entries

    found = list_entries()
    if as_json:
        return _print_json({"path": str(cache_dir()), "size": _add_sizes(found), "entries": found})
    click.echo(f"{cache_dir()}: {_format_size(_add_sizes(found))}")
    for kind, title in _TITLES.items():
        _print_entries(title, sorted((each for each in found if each.kind == kind), key=lambda each: -each.size))
    return None


@cache.command()
@click.option(
    "--older-than", default="30d", show_default=True, metavar="AGE", callback=_read_age, help="Not used for this long."
)
@click.option("--other-versions", is_flag=True, help="Also what other versions of Cloche use, however old.")
@click.option("--all", "everything", is_flag=True, help="All that no process uses, this version's files too.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@_json
def prune(older_than: float, other_versions: bool, everything: bool, dry_run: bool, as_json: bool) -> None:
    """Remove what has not been used for a while; never what a process is using, nor what this version needs.

    \b
    cloche cache prune --dry-run
    cloche cache prune --older-than 7d
    cloche cache prune --all

    Exit codes: 0 ok, 2 usage.
    """
    import anyio

    from cloche.sandbox.cache.inventory import find_prunable, list_entries

    chosen = find_prunable(list_entries(), older_than=older_than, versions=other_versions, everything=everything)
    gone = chosen if dry_run else anyio.run(_remove_entries, chosen)
    if as_json:
        return _print_json({"removed": gone, "size": _add_sizes(gone), "dry_run": dry_run})
    for each in gone:
        click.echo(f"{each.kind:10}  {_format_size(each.size):>9}  {_label_entry(each)}")
    click.echo(f"{'Would free' if dry_run else 'Freed'} {_format_size(_add_sizes(gone))}.")
    return None


@cache.command()
@click.option("--fix", is_flag=True, help="Fetch or build what is broken again, or remove it until it is needed.")
@_json
@click.pass_context
def verify(ctx: click.Context, fix: bool, as_json: bool) -> None:
    """Read everything that is stored and compare it with its hashes.

    \b
    cloche cache verify
    cloche cache verify --fix

    Exit codes: 0 all is whole, or --fix repaired the rest, 1 something is broken.
    """
    import anyio

    from cloche.sandbox.cache.inventory import list_entries
    from cloche.sandbox.cache.verify import describe_fault

    found = list_entries()
    faults = {each.path: reason for each in found if (reason := describe_fault(each)) is not None}
    broken = [each for each in found if each.path in faults]
    done = anyio.run(_repair_entries, broken) if fix else {}
    left = [each for each in broken if done.get(each.path, "") not in ("made again", "removed")]
    if as_json:
        listed = [{"path": each.path, "fault": faults[each.path], "fixed": each not in left} for each in broken]
        _print_json({"checked": len(found), "broken": listed})
    else:
        for each in broken:
            end = f"; {done[each.path] or 'in use, not removed'}" if fix else ""
            click.echo(f"{each.kind}: {each.path}: {faults[each.path]}{end}")
        click.echo(f"{len(found)} checked, {len(broken)} broken.")
    ctx.exit(1 if left else 0)


@cache.command()
def path() -> None:
    """Print the folder.

    \b
    du -sh "$(cloche cache path)"
    """
    from cloche.sandbox.cache.assets import cache_dir

    click.echo(cache_dir())


async def _repair_entries(broken: "list[CacheEntry]") -> "dict[Path, str]":
    from cloche.sandbox.cache.verify import repair_entry

    return {each.path: await repair_entry(each) for each in broken}


async def _remove_entries(chosen: "list[CacheEntry]") -> "list[CacheEntry]":
    from cloche.sandbox.cache.inventory import remove_entry

    return [each for each in chosen if await remove_entry(each)]


def _print_entries(title: str, found: "list[CacheEntry]") -> None:
    if not found:
        return
    click.secho(f"\n{title}: {_format_size(_add_sizes(found))}", bold=True)
    for each in found[:_SHOWN]:
        notes = [note for note, holds in (("this version", each.current), ("in use", each.in_use)) if holds]
        if each.kind not in ("assets", "snapshot", "code", "pack"):
            notes = notes[1:] if each.current else notes
        line = f"  {_format_size(each.size):>9}  {_label_entry(each):40} used {_format_age(each.used)}"
        click.echo(", ".join([line, *notes]))
    if len(found) > _SHOWN:
        click.echo(f"  {_format_size(_add_sizes(found[_SHOWN:])):>9}  in {len(found) - _SHOWN} more")


def _label_entry(entry: "CacheEntry") -> str:
    """A name that says something to a person."""
    if entry.kind != "package":
        return entry.name
    from cloche.errors import PackageError
    from cloche.sandbox.packages.blobs import describe_blob
    from cloche.sandbox.packages.wheels import BROKEN
    from cloche.sandbox.registries.library_store import describe_library as describe_other

    if words := describe_other(entry.path):
        return words
    try:
        package = describe_blob(entry.path)
    except (PackageError, OSError, TypeError, ValueError, *BROKEN):
        # A broken file; `verify` reports it.
        return entry.name[:16]
    return f"{package.name} {package.version}"


def _format_age(used: float) -> str:
    days = (time.time() - used) / 86400
    if days < 1:
        return "today"
    return "yesterday" if days < 2 else f"{days:.0f} days ago"


def _format_size(size: int) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size = size / 1024  # pyright: ignore[reportAssignmentType] - grows into a float
    return f"{size:.1f} GB"


def _add_sizes(found: "list[CacheEntry]") -> int:
    return sum(each.size for each in found)


def _print_json(data: dict[str, Any]) -> None:
    import msgspec

    click.echo(msgspec.json.encode(data, enc_hook=str))
