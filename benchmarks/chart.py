"""Draws the board as an SVG file: one panel for each column, one bar for each peer."""

import math
from collections.abc import Sequence
from html import escape

from benchmarks.peer_table import OURS, Column, PeerTable
from cloche.cli.bench.figures import format_number

WIDTH, MARGIN, GAP = 960, 24, 36
COLUMNS = 2
LABEL, VALUE = 150, 78
BAR, STEP = 14, 22
HEAD = 64
TITLE = 26

STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.paper { fill: #ffffff } .title { font-size: 18px; font-weight: 600 } .panel { font-weight: 600 }
.small { font-size: 12px; fill: #59636e } .bar { fill: #b1bac4 } .ours { fill: #1a7f5a } .strong { font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .paper { fill: #0d1117 } .small { fill: #9198a1 }
  .bar { fill: #4b535d } .ours { fill: #3fb98a }
}
"""


def draw(board: PeerTable, columns: Sequence[Column], caption: str) -> str:
    """The whole picture; columns that nobody has a value in are left out."""
    shown = [column for column in columns if any(board.median(column, peer) for peer in board.peers)]
    peers = [peer for peer in board.peers if peer not in board.absent]
    height_of = TITLE + STEP * len(peers) + GAP
    lines = -(-len(shown) // COLUMNS)
    height = HEAD + lines * height_of - GAP + MARGIN
    width = (WIDTH - 2 * MARGIN - GAP) / COLUMNS
    panels = [
        _panel(board, column, peers, MARGIN + (at % COLUMNS) * (width + GAP), HEAD + (at // COLUMNS) * height_of, width)
        for at, column in enumerate(shown)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' role="img" aria-label="Cloche and its peers">',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>',
            _text(MARGIN, 30, "Cloche and its peers: shorter is better", "title"),
            _text(MARGIN, 49, f"Medians; the length of a bar is logarithmic. {caption}", "small"),
            *panels,
            "</svg>",
            "",
        ]
    )


def _panel(board: PeerTable, column: Column, peers: Sequence[str], x: float, y: float, width: float) -> str:
    found = {peer: value for peer in peers if (value := board.median(column, peer))}
    parts = [_text(x, y + 14, f"{column.title}".replace("`", ""), "panel")]
    for line, peer in enumerate(peers):
        top = y + TITLE + line * STEP
        kind = "ours" if peer == OURS else "bar"
        parts.append(_text(x, top + BAR - 2, peer, "strong" if peer == OURS else ""))
        if peer not in found:
            parts.append(_text(x + LABEL, top + BAR - 2, "none", "small"))
            continue
        length = _length(found[peer], list(found.values()), width - LABEL - VALUE)
        parts.append(f'<rect class="{kind}" x="{x + LABEL:.1f}" y="{top}" width="{length:.1f}" height="{BAR}" rx="2"/>')
        parts.append(_text(x + LABEL + length + 6, top + BAR - 2, format_number(found[peer], column.unit), "small"))
    return "\n".join(parts)


def _length(value: float, values: Sequence[float], most: float) -> float:
    """A bar of the smallest value is still seen: the scale begins at half of it."""
    low, high = math.log(min(values) / 2), math.log(max(values))
    return most * (math.log(value) - low) / (high - low)


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}>{escape(text)}</text>'
