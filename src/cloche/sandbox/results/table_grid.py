"""The rows of a table in which cells may span several rows or columns, as plain rows."""

import msgspec

LEVELS = 10


class Cell(msgspec.Struct, frozen=True):
    """A cell as it is written."""

    text: str
    is_heading: bool = False
    columns: int = 1
    rows: int = 1


class TableRoom(msgspec.Struct):
    """How much more may be kept of all tables: a cell that the guest writes once may span very many places."""

    cells: int
    copied_characters: int


class TableGrid:
    """Collects the rows of one table; its first rows of headings name the columns."""

    def __init__(self, room: TableRoom, most_rows: int) -> None:
        self.rows: list[list[str]] = []
        self.in_head = False
        self.cut = False
        """Whether it has more than was kept."""
        self._room = room
        self._most_rows = most_rows
        self._levels: list[list[str]] = []
        self._hanging: dict[int, tuple[str, int]] = {}

    @property
    def columns(self) -> list[str]:
        """The names of the columns: the names of several levels are joined; often all but one are empty."""
        width = max(map(len, self._levels), default=0)
        levels = [level + [""] * (width - len(level)) for level in self._levels]
        return [", ".join(name for name in names if name) for names in zip(*levels, strict=True)]

    def add_row(self, cells: list[Cell]) -> None:
        """Add a row, with the cells of rows above that reach into it."""
        if len(self.rows) >= self._most_rows or self._room.cells <= 0:
            self.cut = True
            return
        row = self._spread(cells)
        if not self.rows and all(cell.is_heading for cell in cells) and len(self._levels) < self._most_levels:
            self._levels.append(row)
        # Other rows in a head, such as the types of polars, are not data.
        elif not (self.in_head and self._levels):
            self.rows.append(row)

    @property
    def _most_levels(self) -> int:
        return LEVELS if self.in_head else 1

    def _spread(self, cells: list[Cell]) -> list[str]:
        row: list[str] = []
        for cell in cells:
            self._repeat_hanging(row)
            for copy in range(max(cell.columns, 1)):
                if cell.rows > 1:
                    self._hanging[len(row)] = (cell.text, cell.rows - 1)
                if not self._place(row, cell.text, is_copy=copy > 0):
                    break
        self._repeat_hanging(row)
        return row

    def _repeat_hanging(self, row: list[str]) -> None:
        while (at := len(row)) in self._hanging:
            text, left = self._hanging.pop(at)
            if left > 1:
                self._hanging[at] = (text, left - 1)
            if not self._place(row, text, is_copy=True):
                break

    def _place(self, row: list[str], text: str, *, is_copy: bool) -> bool:
        """Whether there was room for a cell."""
        room = self._room
        copied = len(text) if is_copy else 0
        if room.cells <= 0 or room.copied_characters < copied:
            self.cut = True
            return False
        room.cells -= 1
        room.copied_characters -= copied
        row.append(text)
        return True
