"""The report of the benchmarks, and the picture in it."""

from xml.etree import ElementTree

import pytest

from benchmarks.chart import draw
from benchmarks.machine import Machine
from benchmarks.measure import Row, Target, alternate
from benchmarks.peer_table import OURS, Column, PeerTable
from benchmarks.report import grid, render

COLD = Column("cold `1+1`", "cold", "ms", {"slow": Target("ratio", 0.5)}, own=Target("median", 300))
BASH = Column("bash", "bash", "ms")


@pytest.fixture
def board() -> PeerTable:
    """Three peers: one that is slower, one that could not be installed."""
    board = PeerTable([COLD, BASH], [OURS, "slow & old", "absent"])
    board.cell(COLD, OURS).values = [200, 250, 300]
    board.cell(COLD, "slow & old").values = [900, 1000]
    board.cell(BASH, OURS).values = [0.5]
    board.versions["slow & old"] = "1.2"
    board.absent["absent"] = "not installed: no wheel"
    for column in (COLD, BASH):
        board.cell(column, "absent").why = board.absent["absent"]
    return board


def test_each_comparison_is_a_row(board: PeerTable) -> None:
    rows = [(row.name, row.peer, row.ratio, row.note) for row in board.rows()]
    assert rows == [
        ("cold `1+1`", "", None, ""),
        ("cold `1+1`", "slow & old", 250 / 950, ""),
        ("cold `1+1`", "absent", None, "not installed: no wheel"),
        ("bash", "", None, ""),
        ("bash", "absent", None, "not installed: no wheel"),
    ]


def test_a_target_against_a_peer_that_is_missing_is_not_judged() -> None:
    board = PeerTable([COLD], [OURS, "slow"])
    board.cell(COLD, OURS).values = [200]
    board.cell(COLD, "slow").why = "failed: no answer"
    row = board.rows()[1]
    assert (row.target, row.met, row.note) == (None, None, "target not judged; failed: no answer")


def test_failing_ourselves_misses_the_target() -> None:
    board = PeerTable([COLD], [OURS])
    board.cell(COLD, OURS).why = "no answer in time"
    (row,) = board.rows()
    assert (row.met, list(row.broken)) == (False, ["no answer in time"])


def test_the_matrix_has_medians_ratios_and_reasons(board: PeerTable) -> None:
    assert board.matrix() == [
        ("", "cold", "bash"),
        ("Cloche", "250 ms", "0.50 ms"),
        ("slow & old 1.2", "950 ms (0.26x)", "-"),
        ("absent", "not installed: no wheel", ""),
    ]


def test_the_report_says_what_was_met_and_missed(board: PeerTable) -> None:
    rows = [*board.rows(), Row(name="slow thing", unit="s", ours=[9], target=Target("p95", 1))]
    text = render(Machine({"cpu": "some"}), rows, board)
    assert "- cpu: some" in text
    assert "1 of 2 targets met. Missed: slow thing." in text
    assert "![Cloche and its peers](results.svg)" in text
    assert "| absent " in text


def test_a_report_without_peers_has_no_picture() -> None:
    assert "results.svg" not in render(Machine({}), [], None)


def test_columns_are_aligned() -> None:
    assert grid([("a", "long"), ("longer", "b")]) == "| a      | long |\n|--------|------|\n| longer | b    |"


def test_the_picture_is_valid_and_shows_every_value(board: PeerTable) -> None:
    root = ElementTree.fromstring(draw(board, [COLD, BASH], "somewhere <here>"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"cold 1+1", "bash", "Cloche", "slow & old", "250 ms", "950 ms", "0.50 ms", "none"} <= set(texts)
    assert "absent" not in texts
    assert any("somewhere <here>" in (text or "") for text in texts)


def test_better_values_have_shorter_bars_within_the_picture(board: PeerTable) -> None:
    root = ElementTree.fromstring(draw(board, [COLD], ""))
    bars = [element for element in root.iter("{http://www.w3.org/2000/svg}rect") if element.get("class") != "paper"]
    ours, theirs = (float(bar.get("width", "0")) for bar in bars)
    assert [bar.get("class") for bar in bars] == ["ours", "bar"]
    assert 0 < ours < theirs < 480


def test_the_picture_is_readable_in_the_dark(board: PeerTable) -> None:
    assert "prefers-color-scheme: dark" in draw(board, [COLD], "")


@pytest.mark.parametrize(
    ("target", "met"),
    [
        (Target("median", 2), True),
        (Target("p95", 2), False),
        (Target("tail", 1.5), True),
        (Target("tail", 1.4), False),
        (Target("median", 3, at_least=True), False),
        (Target("ratio", 0.5), True),
    ],
)
def test_targets_are_judged_by_what_they_name(target: Target, met: bool) -> None:
    row = Row(name="x", unit="ms", ours=[1, 2, 3], peer="y", theirs=[4], target=target)
    assert row.met is met


async def test_sides_take_turns() -> None:
    seen: list[str] = []

    async def side(name: str) -> float:
        seen.append(name)
        return 1.0

    series = await alternate(lambda: side("a"), lambda: side("b"), count=3, block=2)
    assert seen == ["a", "a", "b", "b", "a", "b"]
    assert [len(values) for values in series] == [3, 3]
