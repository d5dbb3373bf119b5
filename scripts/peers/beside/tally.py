"""Counts what both sides did alike, and tells of the rest."""

import difflib
from collections import Counter
from collections.abc import Sequence

import msgspec

from beside.cases import Case, Outcome, Suite

SHOWN = 4000
"""Characters shown of the differences of one case."""


class Judged(msgspec.Struct, frozen=True):
    """A case that the real tools pass, at least in part."""

    case: Case
    real: Outcome
    ours: Outcome
    applying: Sequence[str]
    passed: Sequence[str]

    @property
    def whole(self) -> bool:
        return len(self.passed) == len(self.applying)


def judge(suite: Suite, case: Case, real: Outcome, ours: Outcome) -> Judged:
    """Which points apply, since the real tools have them, and which of these the sandbox has too."""
    applying = suite.find_points(case, real)
    found = set(suite.find_points(case, ours))
    return Judged(case, real, ours, applying, [point for point in applying if point in found])


class Tally(msgspec.Struct, frozen=True):
    """The counts of a suite."""

    name: str
    passed: int
    applying: int
    whole: int
    files: int

    @property
    def share(self) -> float:
        """How much of what applies passed, in per cent."""
        return 100 * self.passed / self.applying if self.applying else 0.0

    def __str__(self) -> str:
        share, files = f"{self.share:.1f} %", f"{self.whole} of {self.files} files whole"
        return f"{self.name}: {self.passed} of {self.applying} that apply passed ({share}); {files}"


def count(name: str, judged: Sequence[Judged]) -> Tally:
    """Count points, and files of which every point passed."""
    files: dict[str, bool] = {}
    for each in judged:
        file = each.case.group or each.case.name
        files[file] = files.get(file, True) and each.whole
    passed, applying = sum(len(each.passed) for each in judged), sum(len(each.applying) for each in judged)
    return Tally(name, passed, applying, sum(files.values()), len(files))


def list_files(judged: Sequence[Judged]) -> str:
    """How many points the files lack that are not whole, the worst first."""
    passed, applying = Counter[str](), Counter[str]()
    for each in judged:
        file = each.case.group or each.case.name
        passed[file] += len(each.passed)
        applying[file] += len(each.applying)
    lacking = [file for file in applying if passed[file] < applying[file]]
    worst = sorted(lacking, key=lambda file: passed[file] - applying[file])
    return "\n".join(f"{applying[file] - passed[file]:5} lost of {applying[file]:5}  {file}" for file in worst)


def describe(judged: Judged) -> str:
    """Where the sandbox differs from the real tools in a case that it fails."""
    case, real, ours = judged.case, judged.real, judged.ours
    lost = [point for point in judged.applying if point not in set(judged.passed)]
    lines = [f"==== {case.name}", case.code.rstrip("\n")]
    if lost != [case.name]:
        lines += [f"lost {len(lost)}: {', '.join(lost[:20])}"]
    told = difflib.unified_diff(real.stdout.splitlines(), ours.stdout.splitlines(), "real", "ours", n=1, lineterm="")
    if difference := "\n".join(told):
        lines += ["-- stdout", difference[:SHOWN]]
    if real.status != ours.status or ours.late:
        late = " (took too long, or lost its sandbox)" if ours.late else ""
        lines += [f"-- status: real {real.status}, ours {ours.status}{late}"]
    if real.stderr.strip() != ours.stderr.strip():
        for whose, text in (("the real one", real.stderr), ("ours", ours.stderr)):
            lines += [f"-- stderr of {whose}", text[-SHOWN // 8 :].rstrip()]
    return "\n".join([*lines, ""])
