"""Tables in HTML."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.limits import TABLE_CELLS, TABLE_CHARACTERS, TABLE_ROWS
from cloche.sandbox.results.html_tables import Table, find_tables

PIECES = ["<table>", "</table>", "<thead>", "</thead>", "<tr>", "</tr>", "<td>", "</th>", "<th rowspan=2 colspan=3>"]
OTHERS = ["<![", "x", "<", ">", "...", "shape: (1, 2)", "9 rows"]
FRAME = """<style>td { color: red }</style><table border="1">
<thead><tr style="text-align: right;"><th></th><th>a</th></tr>
</thead><tbody><tr><th>0</th><td>1 &lt; 2</td></tr><tr><th>1</th><td><b>x</b><br>y</td></tr></tbody></table>"""


def read(*lines: str, after: str = "", before: str = "") -> Table:
    """The only table of a page, as it is written between its first and last tag."""
    (table,) = find_tables([before + "<table>" + "".join(lines) + "</table>" + after])
    return table


def line(*cells: object, tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def head(*lines: str) -> str:
    return f"<thead>{''.join(lines)}</thead>"


def test_a_data_frame_gives_its_columns_and_rows() -> None:
    assert find_tables([FRAME]) == [Table(["", "a"], [["0", "1 < 2"], ["1", "xy"]])]


def test_tables_of_several_pages_are_all_found() -> None:
    assert [table.columns for table in find_tables([FRAME, FRAME, ""])] == [["", "a"]] * 2


def test_a_table_without_headings_has_rows_only() -> None:
    assert find_tables(["<TABLE><TR><TD>1</TD></TR></TABLE>"]) == [Table([], [["1"]])]


def test_headings_of_several_levels_are_joined() -> None:
    upper = "<tr><th></th><th colspan='2' halign=\"left\">a</th><th>b</th></tr>"
    table = read(head(upper, line("", "x", "y", "x", tag="th"), line("id", "", "", "", tag="th")), line(0, 1, 2, 3))
    assert table == Table(["id", "a, x", "a, y", "b, x"], [["0", "1", "2", "3"]])


def test_a_cell_of_several_rows_is_repeated_in_each() -> None:
    first = '<tr><th rowspan="2" valign="top">a</th><th>1</th><td>x</td></tr>'
    table = read(head(line("", "", "v", tag="th")), first, line(2, "y"), line("b", 1, "z"))
    assert table.rows == [["a", "1", "x"], ["a", "2", "y"], ["b", "1", "z"]]


def test_types_below_the_headings_are_no_row() -> None:
    table = read(head(line("a", tag="th"), line("i64")), line(1), before="<small>shape: (1, 1)</small>")
    assert table == Table(["a"], [["1"]], cut=False, total_rows=1)


@pytest.mark.parametrize("dots", ["...", "&hellip;"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "<p>10000 rows \N{MULTIPLICATION SIGN} 21 columns</p>"),
        ("", "\n<p>10000 rows &times; 21 columns</p>"),
        ("<small>shape: (10_000, 21)</small>", ""),
    ],
)
def test_rows_and_columns_that_were_left_out_are_told(dots: str, before: str, after: str) -> None:
    lines = head(line("", "a", dots, "z", tag="th")), line(0, 1, dots, 2), line(*[dots] * 4), line(9999, 3, dots, 4)
    table = read(*lines, before=before, after=after)
    assert table == Table(["", "a", "z"], [["0", "1", "2"], ["9999", "3", "4"]], cut=True, total_rows=10_000)


def test_dots_may_be_on_all_levels_of_the_headings() -> None:
    levels = line("", "a", "...", tag="th"), line("", "x", "...", tag="th")
    table = read(head(*levels), line(0, 1, "..."), after="<p>1 rows \N{MULTIPLICATION SIGN} 30 columns</p>")
    assert table == Table(["", "a, x"], [["0", "1"]], cut=True, total_rows=1)


@pytest.mark.parametrize("note", ["10000 rows", "9999 more of 10000 rows"])
def test_the_number_of_all_rows_is_known(note: str) -> None:
    assert read(line("1"), after=f"<p>{note}</p>") == Table([], [["1"]], cut=True, total_rows=10_000)


def test_dots_that_stand_for_nothing_are_kept() -> None:
    assert read(head(line("...", tag="th")), line("..."), after="<p>2 rows left</p>").rows == [["..."]]


def test_very_many_rows_are_cut() -> None:
    table = read("<tr><td>1</td></tr>" * 5000)
    assert (len(table.rows), table.cut) == (TABLE_ROWS, True)


def test_of_a_very_long_page_what_was_read_is_kept() -> None:
    table = read(line("a", tag="th"), *[line("x" * 5000)] * 100)
    assert (table.columns, len(table.rows) > 30, table.cut) == (["a"], True, True)


@pytest.mark.parametrize("span", ["colspan", "rowspan"])
def test_cells_that_span_very_much_are_not_repeated_for_ever(span: str) -> None:
    cell = f"<td {span}='999999'>{'x' * 1000}</td>"
    page = f"<table>{'<tr>' + cell + '</tr>'}{line(1) * 1000}</table>" + f"<table><tr>{cell * 3}</tr></table>" * 30
    found = find_tables([page])
    assert sum(len(cell) for table in found for row in table.rows for cell in row) < 2 * TABLE_CHARACTERS
    assert sum(len(row) for table in found for row in table.rows) <= TABLE_CELLS
    assert any(table.cut for table in found)


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<![", "</", "<table><tr><td>", "<", "&#", "<a b='", "</table>", "<p>9 rows</p>"]
)
def test_hostile_html_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    wide = f"<table>{line(*range(1000)) * 10}</table>"
    find_tables([(wide + piece * 200_000)[:TABLE_CHARACTERS]])
    assert time.process_time() - begun < 2


@given(st.lists(st.sampled_from(PIECES + OTHERS)))
def test_any_order_of_tags_is_read(pieces: list[str]) -> None:
    for table in find_tables(["".join(pieces)]):
        assert all(isinstance(cell, str) for row in [table.columns, *table.rows] for cell in row)
