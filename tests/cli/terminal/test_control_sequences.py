"""Which control sequences reach a terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.cli.terminal.control_sequences import ControlFilter, strip_control

HARMLESS = re.compile(r"\x1b\[(?:[0-9;:]*m|[0-9;]*[A-HJKf]|\?25[hl])")
PIECES = [
    "\x1b",
    "[",
    "]",
    "P",
    "6n",
    "31m",
    "c",
    "0;t",
    "\x07",
    "\x1b\\",
    "?1049h",
    "\x05",
    "\x9b",
    "a",
    "\n",
    "2K",
    "ü",
]


@pytest.mark.parametrize(
    "text",
    ["plain\n\ttext\r\b", "\x1b[31mred\x1b[0m", "\x1b[2K\x1b[1A", "\x1b[38;2;1;2;3m", "\x1b[?25l\x1b[?25h", "漢"],
)
def test_colours_and_moves_pass(text: str) -> None:
    assert ControlFilter().feed(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "\x1b[6n",
            "\x1b[c",
            "\x1b[>q",
            "\x1b[21t",
            "\x1b[?1049h",
            "\x1bc",
            "\x1b(0",
            "\x1b[!p",
            "\x05",
            "\x0e",
            "\x9b6n",
        ),
        *("\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1bP$qm\x1b\\", "\x1b_G\x1b\\", "\x1b^x\x07", "\x1b[?1000h"),
    ],
)
def test_what_a_terminal_answers_or_obeys_is_dropped(text: str) -> None:
    assert ControlFilter().feed(f"a{text}b").replace("6n", "") == "ab"


def test_a_sequence_may_come_in_pieces() -> None:
    each = ControlFilter()
    assert [each.feed(part) for part in ("a\x1b", "[3", "1mb\x1b]0;", "title", "\x1b", "\\c")] == [
        *("a", "", "\x1b[31mb", "", "", "c")
    ]


def test_a_sequence_without_end_is_not_waited_for_and_does_not_reach_the_next_cell() -> None:
    each = ControlFilter()
    assert each.feed("\x1b[" + "1" * 1000) == "[" + "1" * 1000
    assert each.feed("\x1b]0;never") == ""
    each.end()
    assert each.feed("next") == "next"


@given(st.lists(st.sampled_from(PIECES)), st.integers(1, 5))
def test_whatever_comes_only_harmless_sequences_pass(parts: list[str], size: int) -> None:
    text = "".join(parts)
    each = ControlFilter()
    out = "".join(each.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert not re.search(r"[\x00-\x06\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]", out)
    assert "\x1b" not in HARMLESS.sub("", out)
    assert out == ControlFilter().feed(text)


def test_plain_text_has_no_sequences() -> None:
    assert strip_control("a\x1b[31mb\x1b[0m\x1b]0;t\x07c\x1b[2J") == "abc"
