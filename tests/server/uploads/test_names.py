"""Names of uploaded files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.server.uploads.names import LONGEST_PART, clean_name


@given(st.text(st.sampled_from("ab./\\ :\0\t\n\u202e\u00e9C-"), max_size=40))
def test_a_name_that_is_taken_stays_in_its_folder(name: str) -> None:
    try:
        kept = clean_name(name)
    except ValueError:
        return
    parts = kept.split("/")
    assert not {"", ".", ".."} & set(parts)
    assert all(len(part.encode()) <= LONGEST_PART for part in parts)
    assert not set(kept) & set("\0\t\n\\\u202e")
    assert clean_name(kept) == kept


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("tab\there", "tabhere"),
        ("e\u0301", "\u00e9"),
        ("\u00fc" * 200 + ".csv", "\u00fc" * 125 + ".csv"),
        (". .", ". ."),
    ],
)
def test_what_is_kept_of_a_name(name: str, kept: str) -> None:
    assert clean_name(name) == kept
