"""Tables in HTML."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.sandbox.results.html_tables import MOST_ROWS, find_tables

FRAME = """<style>td { color: red }</style><table border="1">
<thead><tr style="text-align: right;"><th></th><th>a</th></tr>
</thead><tbody><tr><th>0</th><td>1 &lt; 2</td></tr><tr><th>1</th><td><b>x</b><br>y</td></tr></tbody></table>"""


def test_a_data_frame_gives_its_columns_and_rows() -> None:
    assert find_tables(FRAME) == [(["", "a"], [["0", "1 < 2"], ["1", "xy"]])]


def test_a_table_without_headings_has_rows_only() -> None:
    assert find_tables("<TABLE><TR><TD>1</TD></TR></TABLE>") == [([], [["1"]])]


def test_very_many_rows_are_cut() -> None:
    (table,) = find_tables("<table>" + "<tr><td>1</td></tr>" * 5000 + "</table>")
    assert len(table[1]) == MOST_ROWS


@pytest.mark.parametrize("piece", ["<a ", "<!--", "<![", "</", "<table><tr><td>", "<", "&#", "<a b='", "</table>"])
def test_hostile_html_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    find_tables((piece * 200_000)[:200_000])
    assert time.process_time() - begun < 2


@given(
    st.lists(st.sampled_from(["<table>", "</table>", "<tr>", "</tr>", "<td>", "</th>", "<th>", "x", "<", ">", "<!["]))
)
def test_any_order_of_tags_is_read(pieces: list[str]) -> None:
    for columns, rows in find_tables("".join(pieces)):
        assert all(isinstance(cell, str) for row in [columns, *rows] for cell in row)
