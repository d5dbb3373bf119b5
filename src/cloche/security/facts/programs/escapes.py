"""Commands inside the arguments and the input of programs that are no shells: git, editors, databases, builtins."""

import re
from collections.abc import Callable, Sequence
from itertools import dropwhile, pairwise

from cloche.security.facts.evaluation import Evaluator
from cloche.security.facts.other_code import read_code
from cloche.security.facts.reading import At, Run
from cloche.security.facts.spelling import split_words
from cloche.security.facts.words import Word

CommandReading = Callable[[Sequence[Word], At, str], object]

_GIT_TEXTS: dict[str, tuple[str, ...]] = {
    "rebase": ("-x", "--exec"),
    "difftool": ("-x", "--extcmd"),
    "filter-branch": (
        "--setup", "--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter",
        "--commit-filter", "--tag-name-filter",
    ),
}  # fmt: skip
"""Options of git's commands whose value is a command in one text."""
_ESCAPES = re.compile(r"^[\d$%.,\s]*(?:[rw]\s*)?:?!(?P<editor>.+)$|^\s*\.(?:shell|system)\s+(?P<sql>.+)$", re.MULTILINE)
_ESCAPING = split_words("ed ex red vi vim nvim sqlite3 sqlite ftp mail less more")
_SUBSCRIPT = re.compile(r"\[[^\]]*(?:\$\(|`)")
_ARITHMETIC = split_words("let test [ unset read declare typeset local export readonly mapfile readarray wait")
"""Builtins that evaluate the subscript of a name that they are given."""


class EscapeReader:
    """Reads the commands that such programs start; `read` reads a simple command."""

    def __init__(self, evaluator: Evaluator, read: CommandReading) -> None:
        self._evaluator = evaluator
        self._read = read

    def find(self, name: str, run: Run) -> None:
        """Read what is started, if this program starts something."""
        if name == "git":
            self._read_git(run)
        elif name in _ESCAPING:
            self._read_input(name, run)
        elif name in ("python", "pypy"):
            self._read_module(run)
        elif name in _ARITHMETIC and any(_SUBSCRIPT.search(word.likely or "") for word in run.words[1:]):
            note = f"{name} executes what is in the brackets"
            self._evaluator.reading.add_construct("computed_code", run.source, note)

    def _read_git(self, run: Run) -> None:
        words = list(run.words[1:])
        texts = [word.likely for word in words]
        if "bisect" in texts and "run" in texts:
            self._start(words[texts.index("run") + 1 :], run)
        elif "submodule" in texts and "foreach" in texts:
            rest = [word for word in words[texts.index("foreach") + 1 :] if word.likely != "--recursive"]
            if len(rest) == 1:
                self._evaluator.evaluate_apart(rest, run.at, "git", run.source)
            else:
                self._start(rest, run)
        for command, options in _GIT_TEXTS.items():
            if command in texts:
                found = [word for text in options for word in _find_values(words, text)]
                for word in found:
                    self._evaluator.evaluate_apart([word], run.at, "git", run.source)

    def _start(self, words: Sequence[Word], run: Run) -> None:
        if words:
            self._read(words, At(place=run.at.place, via=(*run.at.via, "git"), stdin=run.at.stdin), run.source)

    def _read_input(self, name: str, run: Run) -> None:
        """Lines of a known input that leave the program for a shell."""
        for match in _ESCAPES.finditer(run.at.stdin.likely or ""):
            self._evaluator.evaluate(match["editor"] or match["sql"], run.at, name)

    def _read_module(self, run: Run) -> None:
        """`python -m timeit`, whose operands are code."""
        after = list(dropwhile(lambda word: word.likely != "timeit", run.words))[1:]
        if any(word.likely == "-m" for word in run.words) and after:
            code = "\n".join(word.likely for word in after if word.likely and not word.likely.startswith("-"))
            read_code("python", code, self._evaluator.reading, run.at, self._evaluator.read_text)


def _find_values(words: Sequence[Word], option: str) -> list[Word]:
    """The values of a long or short option, joined to it or after it."""
    after = [value for word, value in pairwise(words) if word.likely == option]
    sign = f"{option}=" if option.startswith("--") else option
    joined = [word.likely[len(sign) :] for word in words if word.likely and word.likely.startswith(sign)]
    return after + [Word(text=text, source=option) for text in joined if text]
