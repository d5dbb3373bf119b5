"""Writes the rows as a table."""

import statistics
from collections.abc import Sequence

from benchmarks.machine import Machine
from benchmarks.measure import Row, Target, p95
from benchmarks.peer_table import PeerTable
from cloche.cli.bench.figures import format_number

HEADER = ("what", "median", "p95", "n", "against", "its median", "its p95", "ratio", "target", "met", "notes")
INTRO = (
    "Written by `make bench`; what each row means is in [docs/benchmarks.md](../docs/benchmarks.md). Ratios compare "
    "runs that took turns within this one run; a row without a target is for information."
)

PEERS = (
    "Medians; in brackets how many times theirs ours is, so below 1x we are better. What is not fair about it stands "
    "in the same document."
)
PICTURE = "results.svg"


def render(machine: Machine, rows: Sequence[Row], board: PeerTable | None) -> str:
    """The whole report as Markdown."""
    facts = [f"- {name}: {value}" for name, value in machine.facts.items()]
    parts = ["# Results", "", INTRO, "", *facts, "", _verdict(rows), ""]
    if board is not None:
        parts += ["## The peers", "", f"![Cloche and its peers]({PICTURE})", "", PEERS, "", grid(board.matrix()), ""]
    return "\n".join([*parts, "## All rows", "", table(rows), ""])


def table(rows: Sequence[Row]) -> str:
    """All rows."""
    return grid([HEADER, *(_cells(row) for row in rows)])


def grid(cells: Sequence[tuple[str, ...]]) -> str:
    """A table whose columns are aligned, so that it reads well as plain text too; the first line is its head."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _verdict(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row.met is not None]
    missed = [row.name for row in judged if not row.met]
    text = f"{len(judged) - len(missed)} of {len(judged)} targets met."
    return f"{text} Missed: {', '.join(missed)}." if missed else text


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "yes", False: "no", None: ""}[row.met]
    return (
        row.name,
        *_summary(row.ours, row.unit),
        str(len(row.ours) or ""),
        row.peer,
        *_summary(row.theirs, row.unit),
        f"{row.ratio:.3g}x" if row.ratio is not None else "",
        _target(row.target, row.unit) if row.target else "",
        met,
        "; ".join([*(f"BROKEN: {fault}" for fault in row.broken), *([row.note] if row.note else [])]),
    )


def _summary(values: Sequence[float], unit: str) -> tuple[str, str]:
    if not values:
        return "", ""
    return format_number(statistics.median(values), unit), format_number(p95(values, rate=unit.endswith("/s")), unit)


def _target(target: Target, unit: str) -> str:
    sign = ">=" if target.at_least else "<="
    match target.kind:
        case "ratio":
            return f"{sign} {target.limit:g}x"
        case "tail":
            return f"p95 {sign} {target.limit:g}x median"
        case _:
            return f"{target.kind} {sign} {target.limit:g} {unit}".strip()
