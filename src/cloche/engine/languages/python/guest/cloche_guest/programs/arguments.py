"""The command line of `python3`."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field

_FLAGS = set("bBdEhiIOPqsSuvVx")
_USAGE = "usage: python3 [option] ... [-c cmd | -m mod | file | -] [arg] ..."
_HELP = f"""{_USAGE}
Options: -c, -m, -V, -u, -B, -E, -i, -I, -O, -OO, -P, -q, -s, -x, -W arg, -X opt"""


@dataclass
class CommandPlan:
    """What a command line asks for."""

    kind: str = "stdin"
    target: str = ""
    source: str | bytes = ""
    args: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    implementation: list[str] = field(default_factory=list)
    """The values of -X."""
    unbuffered: bool = False
    isolated: bool = False
    no_user: bool = False
    """Isolated in every way: -I."""
    safe_path: bool = False
    """The program's folder is not searched for modules."""
    optimize: int = 0
    skip_line: bool = False
    quiet: bool = False
    session: bool = False
    """Whether what is typed is run, after the program."""
    message: str | None = None
    exit: int = 0


def parse_arguments(words: list[str]) -> CommandPlan:
    """Read the words after `python3`."""
    plan = CommandPlan()
    rest = list(words)
    while rest and plan.message is None:
        word = rest.pop(0)
        if word == "-" or not word.startswith("-"):
            plan.target, plan.args = word, rest
            plan.kind = "stdin" if word == "-" else "file"
            return plan
        if word.startswith("--"):
            _long(plan, word, rest)
        elif _short(plan, word, rest):
            return plan
    return plan


def _long(plan: CommandPlan, word: str, rest: list[str]) -> None:
    if word == "--version":
        plan.message = f"Python {platform.python_version()}"
    elif word in ("--help", "--help-all"):
        plan.message = _HELP
    elif word == "--check-hash-based-pycs":
        rest[:1] = []
    else:
        _refuse(plan, f"unknown option {word}")


def _short(plan: CommandPlan, word: str, rest: list[str]) -> bool:
    """Read one group of letters; true when it ends the options."""
    for index, letter in enumerate(word[1:], 1):
        if letter in "cmWX":
            value = word[index + 1 :] or (rest.pop(0) if rest else None)
            if value is None:
                _refuse(plan, f"Argument expected for the -{letter} option")
                return True
            if letter == "W":
                plan.warnings.append(value)
            if letter == "X":
                plan.implementation.append(value)
            if letter in "WX":
                return False
            plan.kind, plan.source = ("code" if letter == "c" else "module"), value
            plan.target, plan.args = f"-{letter}", rest
            return True
        if not _flag(plan, letter, word):
            return True
    return False


def _flag(plan: CommandPlan, letter: str, word: str) -> bool:
    if letter == "V":
        plan.message = f"Python {sys.version}" if "VV" in word else f"Python {platform.python_version()}"
    elif letter == "h":
        plan.message = _HELP
    elif letter not in _FLAGS:
        _refuse(plan, f"Unknown option: -{letter}")
    plan.unbuffered = plan.unbuffered or letter == "u"
    plan.isolated = plan.isolated or letter in "EI"
    plan.no_user = plan.no_user or letter == "I"
    plan.safe_path = plan.safe_path or letter in "IP"
    plan.optimize += letter == "O"
    plan.skip_line = plan.skip_line or letter == "x"
    plan.quiet = plan.quiet or letter == "q"
    plan.session = plan.session or letter == "i"
    return plan.message is None


def _refuse(plan: CommandPlan, message: str) -> None:
    plan.message, plan.exit = f"{message}\n{_USAGE}\nTry `python -h' for more information.", 2
