"""Suites whose scripts print a line for each test that passes."""

import re
from collections import Counter
from collections.abc import Sequence

from beside.cases import Case, Outcome

PASSED = re.compile(r"^PASS: (.*)$", re.MULTILINE)


def find_passed(case: Case, outcome: Outcome) -> Sequence[str]:
    """The tests that passed; those of one name are numbered."""
    seen = Counter[str]()
    points: list[str] = []
    for name in PASSED.findall(outcome.stdout):
        seen[name] += 1
        points.append(f"{case.name}: {name}{f' ({seen[name]})' if seen[name] > 1 else ''}")
    return points
