"""Compares limits.py with the pages that quote it and with what the engine has of it."""

import re
from pathlib import Path

import pytest

from cloche import limits
from scripts.engine_limits import TARGET, render_limits

DOCS = Path(__file__).parent.parent / "docs"
UNITS = {"KB": limits.KB, "K": limits.KB, "MB": limits.MB, "M": limits.MB, "GB": limits.GB}
PAGES = {"limits.md": "| limit |", "network.md": "| | default |"}
"""Each table has the names of its numbers in comments beside them, and begins so."""


def rows(page: str) -> list[str]:
    (table,) = re.findall(
        rf"^{re.escape(PAGES[page])}.*\n\|[-|]+\n((?:\|.*\n)+)", (DOCS / page).read_text(), re.MULTILINE
    )
    return table.splitlines()


def value(name: str) -> float:
    return getattr(limits, name) * (limits.MB if name.endswith("_MB") else 1)


def numbers(text: str) -> list[float]:
    found = re.findall(r"(\d[\d,]*(?:\.\d+)?)(?: ([KMG]B?)\b)?", text)
    return [float(number.replace(",", "")) * UNITS.get(unit, 1) for number, unit in found]


@pytest.mark.parametrize("row", [row for page in PAGES for row in rows(page)])
def test_a_number_in_the_docs_is_that_of_its_limit(row: str) -> None:
    shown = row.split(" | ")[1]
    written = re.fullmatch(r"(.*) <!-- ([A-Z0-9_ ]+) -->", shown)
    assert written is not None, f"name the limit in a comment: {shown}"
    assert numbers(written[1]) == [value(name) for name in written[2].split()]


def test_the_engine_has_the_limits_of_the_host() -> None:
    assert TARGET.read_text() == render_limits()
    assert limits.engine_limits()["fileNames"] == limits.FILE_NAMES
    assert not set(limits.RUN_LIMITS) & set(limits.FIXED_LIMITS)


def test_no_other_file_names_a_limit_of_its_own_the_same() -> None:
    """A second constant of the same name would be a second truth."""
    names = "|".join(name for name in vars(limits) if name.isupper() and "_" in name)
    source = Path(limits.__file__).parent
    doubled = [
        f"{path.relative_to(source)}: {found}"
        for path in [*source.rglob("*.py"), *source.rglob("*.ts")]
        if path.name not in {"limits.py", "limits.ts"}
        for found in re.findall(
            rf"^(?:export )?(?:const )?_?(?:{names})(?:: \w+)? = \d.*", path.read_text(), re.MULTILINE
        )
    ]
    assert doubled == []
