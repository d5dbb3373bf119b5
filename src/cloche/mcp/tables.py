"""Tables in the HTML that code shows, as rows of text."""

from html.parser import HTMLParser

MOST_ROWS = 1000
MOST_CELLS = 20_000
MOST_CHARACTERS = 200_000


class Tables(HTMLParser):
    """Gathers the tables of a page: the first row of headings names the columns."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[list[str], list[list[str]]]] = []
        self._rows: list[list[str]] | None = None
        self._columns: list[str] = []
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._headings = True
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._rows, self._columns = [], []
        elif tag == "tr" and self._rows is not None:
            self._row, self._headings = [], True
        elif tag in ("td", "th") and self._row is not None:
            self._cell = []
            self._headings = self._headings and tag == "th"

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._row is not None and self._cell is not None:
            self._row.append("".join(self._cell).strip())
            self._cell = None
            self._cells += 1
        elif tag == "tr":
            self._end_row()
        elif tag == "table" and self._rows is not None:
            if self._rows or self._columns:
                self.found.append((self._columns, self._rows))
            self._rows = None

    def _end_row(self) -> None:
        row, self._row = self._row, None
        if not row or self._rows is None or len(self._rows) >= MOST_ROWS or self._cells > MOST_CELLS:
            return
        if self._headings and not self._columns and not self._rows:
            self._columns = row
        else:
            self._rows.append(row)


def find_tables(html: str) -> list[tuple[list[str], list[list[str]]]]:
    """The columns and rows of each table in a piece of HTML, as far as it is read."""
    reader = Tables()
    reader.feed(html[:MOST_CHARACTERS])
    return reader.found
