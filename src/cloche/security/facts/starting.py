"""Commands that start other commands: shells, interpreters, wrappers."""

from collections.abc import Sequence

from cloche.security.facts.command_table import INTERPRETERS
from cloche.security.facts.evaluation import STDIN_FILES, Evaluator
from cloche.security.facts.fact import Fact, shorten
from cloche.security.facts.operands import Argument, read_flags
from cloche.security.facts.other_code import read_code
from cloche.security.facts.programs.escapes import CommandReading, EscapeReader
from cloche.security.facts.reading import At, Run, Stream
from cloche.security.facts.words import Word
from cloche.security.facts.wrappers import base_name, find_mark, is_shell, list_found, unwrap

_APPENDED = 20
"""Words of a known input that are looked at."""
_AWKS = ("awk", "gawk", "mawk", "nawk")
_VERSIONS = frozenset({"--version", "--help", "-V", "-v", "-h"})


class Starter:
    """Reads what a command starts; `read` reads a simple command."""

    def __init__(self, evaluator: Evaluator, read: CommandReading) -> None:
        self._evaluator = evaluator
        self._reading = evaluator.reading
        self._read = read
        self._escapes = EscapeReader(evaluator, read)

    def start(self, name: str, run: Run) -> None:
        """Read what is started, if this command starts something."""
        self._escapes.find(name, run)
        if name in (".", "source"):
            self._source(run)
        elif name == "trap":
            self._trap(run)
        elif name == "alias":
            self._define_aliases(run)
        elif is_shell(name):
            self._start_shell(run)
        elif name in INTERPRETERS:
            self._start_interpreter(name, run)
        elif name in _AWKS:
            self._read_awk(run)
        elif name == "ssh":
            self._evaluator.evaluate_words(_operands(run.arguments)[1:], run.at, name, run.source)
        else:
            self._start_wrapped(name, run)

    def _source(self, run: Run) -> None:
        if run.arguments:
            self._evaluator.run_file(run.arguments[0].word, run.at, run.source, "bash")

    def _trap(self, run: Run) -> None:
        operands = [word for word in _operands(run.arguments) if not (word.likely or "").startswith("-")]
        if operands and operands[0].likely != "":
            self._evaluator.evaluate_words(operands[:1], run.at, "trap", run.source)

    def _define_aliases(self, run: Run) -> None:
        for word in _operands(run.arguments):
            name, sign, text = (word.likely or word.prefix).partition("=")
            if word.text is None:
                self._evaluator.report_computed([word], "alias", run.source)
            if sign:
                self._reading.add_construct("alias", run.source, f"`{name}` will mean something else from now on")
                self._evaluator.state.aliases[name] = text
                self._evaluator.evaluate(text, run.at, "alias")

    def _start_shell(self, run: Run) -> None:
        words = run.words
        coded = [at for at, word in enumerate(words) if _has_letter(word, "c")]
        if coded:
            rest = [word for word in words[coded[0] + 1 :] if not (word.likely or "x").startswith(("-", "+"))]
            self._evaluator.evaluate_apart(rest[:1], run.at, "sh -c", run.source)
            return
        operands = _operands(run.arguments)
        reads_input = any(_has_letter(word, "s") for word in words)
        if operands and not reads_input and operands[0].likely not in STDIN_FILES:
            self._evaluator.run_file(operands[0], run.at, run.source, "bash")
        elif not any(word.likely in _VERSIONS for word in words[1:]):
            self._evaluator.run_input(run.at.stdin, run.at, run.source, "bash")

    def _start_interpreter(self, name: str, run: Run) -> None:
        language, options = INTERPRETERS[name]
        coded = [after for word, after in zip(run.words, run.words[1:], strict=False) if _is_code_option(word, options)]
        for word in coded:
            if word.text is None:
                self._evaluator.report_computed([word], name, run.source)
            if word.likely is not None:
                read_code(language, word.likely, self._reading, run.at, self._evaluator.read_text)
        if coded or "m" in read_flags(run.words) or any(word.likely in _VERSIONS for word in run.words):
            return
        operands = _operands(run.arguments)
        if operands and operands[0].likely not in STDIN_FILES:
            self._evaluator.run_file(operands[0], run.at, run.source, language)
        else:
            self._evaluator.run_input(run.at.stdin, run.at, run.source, language)

    def _read_awk(self, run: Run) -> None:
        given = [each.word.likely for each in run.arguments if each.option in ("-e", "--source")]
        texts = [word.likely for word in _operands(run.arguments)[:1]] + given
        for text in filter(None, texts):
            read_code("awk", text, self._reading, run.at, self._evaluator.read_text)

    def _start_wrapped(self, name: str, run: Run) -> None:
        """The command that a wrapper starts, with the wrapper's own input."""
        started = unwrap(name, run.words)
        if started is None:
            return
        if name == "coproc":
            self._reading.add_construct("coproc", run.source, "a process runs beside the shell")
        if started.unclear:
            self._reading.add_construct("computed_command", run.source, f"which command {name} starts is not clear")
        for variable in started.variables:
            self._reading.add(Fact(kind="variable", value=variable, excerpt=shorten(run.source), language="bash"))
        for text in started.texts:
            self._evaluator.evaluate_words([text], run.at, name, run.source)
        inner = At(place=run.at.place, via=(*run.at.via, name), stdin=run.at.stdin)
        for command in started.commands:
            self._read_wrapped(name, command, inner, run)

    def _read_wrapped(self, name: str, command: Sequence[Word], at: At, run: Run) -> None:
        words, source = run.words, run.source
        if name == "parallel" and " " in (command[0].likely or ""):
            self._evaluator.evaluate_words(command[:1], at, name, source)
            return
        if name in ("xargs", "parallel", "find") and is_shell(base_name(command[0])):
            self._read_fed_shell(command, at, run)
        if (mark := find_mark(name, words)) is not None:
            for each in _list_lines(at.stdin):
                self._read([_fill(word, mark, each) for word in command], At(place=at.place, via=at.via), source)
            return
        if name == "xargs":
            # It appends words that are not known, and keeps its input to itself.
            command = (*command, *_list_appended(at.stdin))
            at = At(place=at.place, via=at.via)
        elif name == "find":
            commands = [[found if word.likely == "{}" else word for word in command] for found in list_found(words)]
            for each in commands:
                self._read(each, at, source)
            return
        self._read(command, at, source)

    def _read_fed_shell(self, command: Sequence[Word], at: At, run: Run) -> None:
        """A shell to which another command gives words: as its script, or inside its text."""
        name, source = at.via[-1], run.source
        if not any(_has_letter(word, "c") for word in command):
            self._evaluator.run_input(Stream(origin=at.stdin.origin or "pipe"), at, source, "bash")
        elif any(_has_mark(word, find_mark(name, run.words)) for word in command) or _has_letter(command[-1], "c"):
            self._evaluator.report_computed(command, name, source)
            if at.stdin.origin in ("network", "decoded"):
                self._reading.add_code(at.stdin.origin, source)


def _has_mark(word: Word, mark: str | None) -> bool:
    return (mark or "{}") in (word.likely or "")


def _list_lines(stdin: Stream) -> list[str | None]:
    """The lines of a known input; one that is not known if it is not."""
    lines: list[str | None] = list((stdin.likely or "").splitlines()[:_APPENDED])
    return lines or [None]


def _fill(word: Word, mark: str, line: str | None) -> Word:
    """A word with a line of the input in place of the mark."""
    if word.likely is None or mark not in word.likely:
        return word
    guess = None if line is None else word.likely.replace(mark, line)
    return Word(text=None, guess=guess, prefix=word.likely.partition(mark)[0], source=word.source, origin="computed")


def _list_appended(stdin: Stream) -> list[Word]:
    """What xargs appends: words of its input, if that is known."""
    known = (stdin.likely or "").split()[:_APPENDED]
    words = [Word(text=None, guess=text, source="...", origin="computed") for text in known]
    return words or [Word(text=None, source="...", origin="computed")]


def _operands(arguments: Sequence[Argument]) -> list[Word]:
    return [each.word for each in arguments if not each.option]


def _has_letter(word: Word, letter: str) -> bool:
    text = word.likely or ""
    return text[:1] in ("-", "+") and len(text) > 1 and not text.startswith("--") and letter in text[1:]


def _is_code_option(word: Word, options: frozenset[str]) -> bool:
    """Whether the next word is code: `-c`, or the last of several letters."""
    text = word.likely or ""
    joined = text[:1] == "-" and text[1:2] != "-" and len(text) > 2 and text[1:].isalnum()
    return text in options or (joined and f"-{text[-1]}" in options)
