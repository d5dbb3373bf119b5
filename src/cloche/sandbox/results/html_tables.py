"""Extracts tables from the HTML that code shows, as rows of text."""

import re
from html import unescape

import msgspec

from cloche.limits import TABLE_CELLS, TABLE_CHARACTERS, TABLE_ROWS
from cloche.sandbox.results.table_grid import Cell, TableGrid, TableRoom

# The HTML is the guest's: each piece is looked at once, and nothing in it is an error.
_PIECE = re.compile(
    r"<(?P<end>/?)(?P<tag>table|thead|tr|td|th)\b(?P<attributes>[^<>]*)>|<[^<>]*>|(?P<text>[^<]+|<)", re.IGNORECASE
)
_SPAN = re.compile(r"\b(?P<way>col|row)span\s*=\s*[\"']?(?P<count>\d{1,6})", re.IGNORECASE)
_NUMBER = r"\d[\d,_]{0,17}"
# Polars writes the first before a table; pandas, R and SQL write the second after a table that they have cut.
_SHAPE = re.compile(rf"shape: \((?P<rows>{_NUMBER}), ?(?P<columns>{_NUMBER})?\)")
_COUNTS = re.compile(rf"(?:{_NUMBER} more of )?(?P<rows>{_NUMBER}) rows?(?: \u00d7 (?P<columns>{_NUMBER}) columns?)?")


class Table(msgspec.Struct, frozen=True):
    """A table that code has shown, as text."""

    columns: list[str]
    """Empty if it has no row of headings. Names of several levels are joined by commas."""
    rows: list[list[str]]
    cut: bool = False
    """Whether it is known to have more rows or columns than these."""
    total_rows: int | None = None
    """How many rows it has in all, if the output says so."""


class PageReader:
    """Collects the tables of a page."""

    def __init__(self, room: TableRoom) -> None:
        self.found: list[Table] = []
        self._room = room
        self._shape: tuple[int, int] | None = None
        self._has_size = True
        self._grid: TableGrid | None = None
        self._row: list[Cell] | None = None
        self._text: list[str] | None = None
        self._spans: dict[str, int] = {}
        self._is_heading = False

    def begin(self, tag: str, attributes: str) -> None:
        """Handle the start of a table, its head, a row or a cell."""
        if tag == "table":
            self._grid = TableGrid(self._room, TABLE_ROWS)
            self._row = self._text = None
        elif self._grid is None:
            return
        elif tag == "thead":
            self._grid.in_head = True
        elif tag == "tr":
            self._row = []
        elif self._row is not None:
            self._text, self._is_heading = [], tag == "th"
            self._spans = {each["way"].lower(): int(each["count"]) for each in _SPAN.finditer(attributes)}

    def end(self, tag: str) -> None:
        """Handle the end of one."""
        if tag == "table":
            self.close()
        elif self._grid is None:
            return
        elif tag == "thead":
            self._grid.in_head = False
        elif tag == "tr":
            if self._row:
                self._grid.add_row(self._row)
            self._row = None
        elif self._row is not None and self._text is not None:
            text = unescape("".join(self._text)).strip()
            self._row.append(Cell(text, self._is_heading, self._spans.get("col", 1), self._spans.get("row", 1)))
            self._text = None

    def add(self, text: str) -> None:
        """Keep text in a cell, and text outside of tables if it gives the size of one."""
        if self._text is not None:
            self._text.append(text)
        elif self._grid is None and (shape := _SHAPE.fullmatch(text.strip())):
            self._shape = _read_numbers(shape)
        elif self._grid is None and not self._has_size and (counts := _COUNTS.fullmatch(unescape(text).strip())):
            self._set_size(*_read_numbers(counts))

    def close(self, *, cut: bool = False) -> None:
        """Keep the table that is being read; `cut` if its end was not seen."""
        grid, self._grid, self._row, self._text = self._grid, None, None, None
        shape, self._shape = self._shape, None
        if grid is None or not (grid.rows or grid.columns):
            return
        self.found.append(Table(grid.columns, grid.rows, cut or grid.cut))
        self._has_size = False
        if shape:
            self._set_size(*shape)

    def _set_size(self, total_rows: int, total_columns: int) -> None:
        """Drop the dots that stand for what was left out; `total_columns` is 0 if it is not known."""
        self._has_size = True
        table = self.found[-1]
        rows = [row for row in table.rows if not _is_dots(row)] if total_rows >= len(table.rows) else table.rows
        lines = [table.columns, *rows]
        width = max(map(len, lines))
        dots = {at for at in range(width) if total_columns and _is_dots([line[at] for line in lines if at < len(line)])}
        if dots:
            lines = [[cell for at, cell in enumerate(line) if at not in dots] for line in lines]
        cut = table.cut or bool(dots) or len(rows) < total_rows or width < total_columns
        self.found[-1] = Table(lines[0], lines[1:], cut, total_rows)


def find_tables(pages: list[str]) -> list[Table]:
    """The tables in pieces of HTML, as far as they are read."""
    found: list[Table] = []
    characters, room = TABLE_CHARACTERS, TableRoom(TABLE_CELLS, TABLE_CHARACTERS)
    for page in pages:
        found += _read_page(page[:characters], room)
        characters = max(0, characters - len(page))
    return found


def _read_page(page: str, room: TableRoom) -> list[Table]:
    reader = PageReader(room)
    for piece in _PIECE.finditer(page):
        if piece["tag"] and piece["end"]:
            reader.end(piece["tag"].lower())
        elif piece["tag"]:
            reader.begin(piece["tag"].lower(), piece["attributes"])
        elif piece["text"]:
            reader.add(piece["text"])
    reader.close(cut=True)
    return reader.found


def _read_numbers(found: re.Match[str]) -> tuple[int, int]:
    rows, columns = (int(re.sub("[,_]", "", found[name] or "0")) for name in ("rows", "columns"))
    return rows, columns


def _is_dots(cells: list[str]) -> bool:
    return bool(cells) and all(part in ("...", "…") for cell in cells for part in cell.split(", "))
