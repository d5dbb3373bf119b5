"""jq's own tests and those of its manual, of which those count that the jq of this machine passes."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from beside.cases import SUITE, Case, Outcome

NAME = "jq"
FOLDER = "tests/jq.test"
FRESH = False
ENV: Mapping[str, str] = {"PAGER": "less"}
TOOLS: Mapping[str, str] = {}
FILES = ("jq.test", "man.test")
MODULES = re.compile(r"\b(import|include|modulemeta|get_search_list)\b")
FAILING, SILENT = "%%FAIL", "%%FAIL IGNORE MSG"


def list_cases(checkout: Path) -> list[Case]:
    """The cases of both files."""
    cases: list[Case] = []
    for name in FILES:
        blocks = read_blocks((checkout / "tests" / name).read_text())
        cases += [_read_case(f"{name}:{line}", name, block) for line, block in blocks]
    return cases


def read_blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines that stand together, without comments, and the number of the first."""
    block: list[str] = []
    start = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.lstrip(" \t") == "" or line.lstrip(" \t").startswith("#"):
            if block:
                yield start, block
            block = []
        else:
            start = start if block else number
            block.append(line)


def _read_case(name: str, group: str, block: Sequence[str]) -> Case:
    fails = block[0] in (FAILING, SILENT)
    program, *rest = block[1:] if fails else block
    modules = f"-L {SUITE}/tests/modules " if MODULES.search(program) else ""
    code = f"jq -c {modules}{shlex.quote(program)}"
    given, outputs = ("null", rest) if fails else (rest[0] if rest else "null", rest[1:])
    expected = {"fails": fails, "message": block[0] == FAILING, "lines": outputs}
    return Case(name=name, group=group, code=code, stdin=f"{given}\n", expected=expected)


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """Its name, if it prints the same values, or if it fails as it should."""
    wanted = case.expected
    if outcome.late:
        return []
    if wanted["fails"]:
        told = wanted["lines"][0] if wanted["message"] and wanted["lines"] else ""
        return [case.name] if outcome.status != 0 and told in outcome.stderr else []
    same = [read_value(line) for line in outcome.stdout.splitlines()] == [read_value(line) for line in wanted["lines"]]
    return [case.name] if same else []


def read_value(line: str) -> Any:
    """A value that is equal to another where jq's are."""
    try:
        return _plain(json.loads(line))
    except ValueError:
        return None if line.strip().lower() in ("nan", "-nan") else line.strip()


def _plain(value: Any) -> Any:
    match value:
        case bool():
            return ("bool", value)
        case int() | float():
            return _number(value)
        case list():
            return [_plain(each) for each in cast("list[Any]", value)]
        case dict():
            return {key: _plain(each) for key, each in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
