"""What a case of a suite is, and what came of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

SUITE = "/mnt/suite"
"""Where both sides have the checkout, which they cannot change."""
WORK = "/mnt/work"
"""Where both sides have the folders of the cases."""
FOLDER = f"{WORK}/case"
"""The folder of the case that runs."""
TOOLS = f"{WORK}/tools"
"""Where both sides have the programs that a suite brings with it."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A script for bash, and what its suite expects of it."""

    name: str
    code: str
    real: str = ""
    """What the real bash runs, if that has to be something else."""
    group: str = ""
    """The file of the suite that it comes from; empty if it is a whole file itself."""
    stdin: str = ""
    folders: Sequence[str] = ()
    """Folders that the case finds in its own."""
    env: Mapping[str, str] = {}
    files: Path | None = None
    """A folder whose content the case finds in its own folder."""
    output: str = ""
    """A file in its folder that it prints to, instead of its standard output."""
    seconds: float = 10.0
    expected: Any = None


class Outcome(msgspec.Struct, frozen=True):
    """What a case has printed, and how it ended."""

    stdout: str = ""
    stderr: str = ""
    status: int = -1
    late: bool = False
    """Whether it was stopped because it took too long, or lost its sandbox."""


class Suite(Protocol):
    """What the module of a suite has."""

    NAME: str
    FOLDER: str
    """What a checkout has, by which it is known."""
    TOOLS: Mapping[str, str]
    """Programs that the cases call, by name: scripts of ours in place of theirs, the same on both sides."""
    ENV: Mapping[str, str]
    FRESH: bool
    """Whether each case gets a new bash; otherwise it starts one itself."""

    def list_cases(self, checkout: Path) -> list[Case]:
        """All cases that could apply."""
        ...

    def find_points(self, case: Case, outcome: Outcome) -> Sequence[str]:
        """What of the case went as the suite expects: its name, or the names of its parts."""
        ...


def choose_cases(cases: Sequence[Case], wanted: Sequence[str]) -> list[Case]:
    """Those whose name has one of the words; all if there is none."""
    return [case for case in cases if not wanted or any(word in case.name for word in wanted)]
