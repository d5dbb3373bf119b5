"""Extracts tables from the HTML that code shows, as rows of text."""

import re
from html import unescape

import msgspec

MOST_ROWS = 1000
MOST_CELLS = 20_000
MOST_CHARACTERS = 200_000

# The HTML is the guest's: each piece is looked at once, and nothing in it is an error.
_PIECE = re.compile(r"<(?P<end>/?)(?P<tag>table|tr|td|th)\b[^<>]*>|<[^<>]*>|(?P<text>[^<]+|<)", re.IGNORECASE)

Found = tuple[list[str], list[list[str]]]


class Table(msgspec.Struct, frozen=True):
    """A table that code has shown, as text."""

    columns: list[str]
    """Empty when it has no row of headings."""
    rows: list[list[str]]


class Reader:
    """Collects the tables of a page: a first row of headings names the columns."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self._columns: list[str] = []
        self._rows: list[list[str]] | None = None
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._headings = True
        self._cells = 0

    def begin(self, tag: str) -> None:
        """A table, row or cell begins."""
        if tag == "table":
            self._columns, self._rows = [], []
        elif tag == "tr" and self._rows is not None:
            self._row, self._headings = [], True
        elif tag in ("td", "th") and self._row is not None:
            self._cell = []
            self._headings = self._headings and tag == "th"

    def end(self, tag: str) -> None:
        """It ends."""
        if tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        elif self._rows is not None:
            if self._rows or self._columns:
                self.found.append((self._columns, self._rows))
            self._rows = self._row = self._cell = None

    def add(self, text: str) -> None:
        """Text, which counts where it is in a cell."""
        if self._cell is not None:
            self._cell.append(text)

    def _end_cell(self) -> None:
        if self._row is not None and self._cell is not None:
            self._row.append(unescape("".join(self._cell)).strip())
            self._cell = None
            self._cells += 1

    def _end_row(self) -> None:
        row, self._row = self._row, None
        if not row or self._rows is None or len(self._rows) >= MOST_ROWS or self._cells > MOST_CELLS:
            return
        if self._headings and not self._columns and not self._rows:
            self._columns = row
        else:
            self._rows.append(row)


def find_tables(html: str) -> list[Found]:
    """The columns and rows of each table in a piece of HTML, as far as it is read."""
    reader = Reader()
    for piece in _PIECE.finditer(html[:MOST_CHARACTERS]):
        if piece["tag"]:
            (reader.end if piece["end"] else reader.begin)(piece["tag"].lower())
        elif piece["text"]:
            reader.add(piece["text"])
    return reader.found
