"""What the peers did, column by column."""

import statistics
from collections.abc import Sequence

import msgspec

from benchmarks.measure import Row, Target
from cloche.cli.bench.figures import format_number

OURS = "Cloche"


class Column(msgspec.Struct, frozen=True):
    """Something that all peers are asked to do."""

    title: str
    short: str
    """For the head of the table and the picture."""
    unit: str
    targets: dict[str, Target] = {}
    """Bounds of our ratio, by the peer they refer to."""
    own: Target | None = None
    """A bound of ours alone."""


class Cell(msgspec.Struct):
    """The values of one peer in one column, or why there are none."""

    values: list[float] = []
    why: str = ""
    note: str = ""


class PeerTable:
    """All cells of one run."""

    def __init__(self, columns: Sequence[Column], peers: Sequence[str]) -> None:
        self.columns = list(columns)
        self.peers = list(peers)
        self._cells = {(column.short, peer): Cell() for column in columns for peer in peers}
        self.versions: dict[str, str] = {}
        self.absent: dict[str, str] = {}
        """Peers that could not be had, and why."""

    def cell(self, column: Column, peer: str) -> Cell:
        return self._cells[column.short, peer]

    def median(self, column: Column, peer: str) -> float | None:
        values = self.cell(column, peer).values
        return statistics.median(values) if values else None

    def ratio(self, column: Column, peer: str) -> float | None:
        """Ours over the peer's: below 1 we are better."""
        ours, theirs = self.median(column, OURS), self.median(column, peer)
        return ours / theirs if ours is not None and theirs else None

    def rows(self) -> list[Row]:
        """Every comparison as a row of the long table."""
        return [row for column in self.columns for row in self._rows(column)]

    def _rows(self, column: Column) -> list[Row]:
        mine = self.cell(column, OURS)
        broken = [mine.why] if mine.why else []
        found = [
            Row(name=column.title, unit=column.unit, ours=mine.values, target=column.own, broken=broken, note=mine.note)
        ]
        for peer in self.peers:
            theirs = self.cell(column, peer)
            if peer == OURS or (not theirs.values and theirs.why == ""):
                continue
            target = column.targets.get(peer)
            note = theirs.note or theirs.why
            if target is not None and not theirs.values:
                target, note = None, f"target not judged; {note}"
            found.append(
                Row(
                    name=column.title,
                    unit=column.unit,
                    ours=mine.values,
                    peer=peer,
                    theirs=theirs.values,
                    target=target,
                    note=note,
                )
            )
        return found

    def matrix(self) -> list[tuple[str, ...]]:
        """Peers by columns: medians, and how many times theirs ours is."""
        lines = [("", *(column.short for column in self.columns))]
        for peer in self.peers:
            name = f"{peer} {self.versions.get(peer, '')}".strip()
            if peer in self.absent:
                lines.append((name, self.absent[peer], *("" for _ in self.columns[1:])))
            else:
                lines.append((name, *(self._text(column, peer) for column in self.columns)))
        return lines

    def _text(self, column: Column, peer: str) -> str:
        median = self.median(column, peer)
        if median is None:
            return "failed" if self.cell(column, peer).why else "-"
        ratio = self.ratio(column, peer)
        text = format_number(median, column.unit)
        state = self.cell(column, peer).note
        text += f", {state}" if state in ("kept", "lost") else ""
        return text if peer == OURS or ratio is None else f"{text} ({ratio:.2g}x)"
