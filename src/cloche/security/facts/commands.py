"""What a simple command does: its own facts, and those of what it starts."""

import posixpath
from collections.abc import Callable, Sequence

from cloche.security.facts.command_table import FETCHERS
from cloche.security.facts.evaluation import UNKNOWN_WORD, Evaluator
from cloche.security.facts.fact import Command, Fact, shorten
from cloche.security.facts.operands import Argument, list_arguments, list_files, list_hosts, read_flags
from cloche.security.facts.places import Place
from cloche.security.facts.reading import At, Reading, Run, TextReader
from cloche.security.facts.shell_state import ShellFunction, ShellState
from cloche.security.facts.spelling import split_words
from cloche.security.facts.starting import Starter
from cloche.security.facts.words import Value, Word
from cloche.security.facts.wrappers import base_name

FunctionCaller = Callable[[ShellFunction, At], None]

_ENTERING = frozenset({"cd", "pushd", "chdir"})
_SETTERS = split_words("read mapfile readarray getopts printf let unset declare local typeset select")
"""Builtins that change variables: their guesses no longer hold."""
_COPIERS = ("cp", "mv", "install", "tee")
_NAMING = ("wget", "curl", "aria2c", "axel")
_LISTS = ("$@", "$*", "${@}", "${*}")
_NESTED = 12
"""How many functions, wrappers and aliases may lead to a command."""


class CommandReader:
    """Reads the simple commands of one text; `read_text` reads what they evaluate."""

    def __init__(self, reading: Reading, state: ShellState, read_text: TextReader, call: FunctionCaller) -> None:
        self._reading = reading
        self._state = state
        self._call = call
        self._evaluator = Evaluator(reading, state, read_text)
        self._starter = Starter(self._evaluator, self.read)

    def read(self, words: Sequence[Word], at: At, source: str) -> Place:
        """Add the facts of a command; returns the place after it."""
        self._reading.count()
        words = [words[0], *(each for word in words[1:] for each in _split_list(word))]
        if len(at.via) > _NESTED:
            self._reading.add_construct("too_deep", source, "commands start each other too many times over")
            return at.place
        name = base_name(words[0])
        self._report_computed(words, at, source)
        command = self._make_command(name, words, at, source)
        self._reading.add(Fact(kind="command", value=name, excerpt=command.excerpt, command=command, language="bash"))
        if name is None:
            return at.place
        run = Run(words=words, arguments=list_arguments(name, words), at=at, source=source)
        self._add_uses(command, run)
        self._expand_name(name, run)
        return self._dispatch(name, run)

    def _make_command(self, name: str | None, words: Sequence[Word], at: At, source: str) -> Command:
        return Command(
            name=name,
            words=tuple(word.likely for word in words),
            via=at.via,
            flags=read_flags(words),
            excerpt=shorten(source),
        )

    def _report_computed(self, words: Sequence[Word], at: At, source: str) -> None:
        """Say that the name of a command is computed, and look at what follows it as a command."""
        first = words[0]
        if first.text is not None and not first.pattern:
            return
        self._reading.add_construct("computed_command", source, "which command runs is decided while it runs")
        if first.origin in ("network", "decoded"):
            self._reading.add_code(first.origin, source)
        rest = words[1:]
        if first.likely is None and rest and rest[0].likely is not None and not rest[0].likely.startswith("-"):
            self.read(rest, At(place=at.place, via=(*at.via, "computed"), stdin=at.stdin), source)
        elif first.guess is not None and " " in first.guess.strip():
            # An unquoted variable becomes several words.
            text = " ".join([first.guess, *(word.likely or UNKNOWN_WORD for word in rest)])
            self._evaluator.evaluate(text, at, "computed")

    def _add_uses(self, command: Command, run: Run) -> None:
        """The files and hosts that a command names."""
        name, written = command.name or "", list[Word]()
        for word, access in list_files(name, run.arguments, command.flags):
            self._reading.add_file(word, access, run.at.place, run.source, command=command)
            if access == "write":
                written.append(word)
        if self._reading.origins:
            # A plain name could be any word, unless the same action has fetched or decoded a file of that name.
            for each in run.arguments:
                plain = not each.option and "/" not in (each.word.likely or "/")
                if plain and self._evaluator.find_origin(each.word, run.at):
                    self._reading.add_file(each.word, "read", run.at.place, run.source, command=command)
        hosts = dict.fromkeys(list_hosts(name, run.arguments))
        for host in hosts:
            self._reading.add_host(host, run.source, command=command)
        if hosts and name in FETCHERS:
            self._note_origin(name, written, run, "network")
        elif name in _COPIERS and (origin := self._find_origin(run)):
            self._note_origin(name, written, run, origin)

    def _find_origin(self, run: Run) -> str:
        """Where what a command copies has come from."""
        found = {run.at.stdin.origin, *(self._evaluator.find_origin(each.word, run.at) for each in run.arguments)}
        return "network" if "network" in found else "decoded" if "decoded" in found else ""

    def _note_origin(self, name: str, written: Sequence[Word], run: Run, origin: str) -> None:
        """Remember the files that a command fills with what it fetches or copies."""
        texts = [word.likely for word in written if word.likely is not None]
        if name in _NAMING:
            # Without a name for the file, that at the end of the address.
            texts += [posixpath.basename(each.word.likely or "") for each in run.arguments if not each.option]
        for text in filter(None, texts):
            self._reading.note_origin(run.at.place.resolve(text), origin)

    def _expand_name(self, name: str, run: Run) -> None:
        """Functions and aliases of the same text, and files that were fetched before."""
        if origin := self._evaluator.find_origin(run.words[0], run.at):
            self._reading.add_code(origin, run.source)
        if "/" in (run.words[0].likely or ""):
            self._evaluator.run_written(run.words[0], run.at, "bash")
        if name in self._state.active:
            return
        self._state.active.add(name)
        inner = At(place=run.at.place, via=(*run.at.via, "function"), stdin=run.at.stdin)
        try:
            if function := self._state.functions.get(name):
                self._call_function(function, run.words, inner)
            if (alias := self._state.aliases.get(name)) is not None:
                rest = " ".join(_quote(word) for word in run.words[1:])
                self._evaluator.evaluate(f"{alias} {rest}", run.at, "alias")
        finally:
            self._state.active.discard(name)

    def _call_function(self, function: ShellFunction, words: Sequence[Word], at: At) -> None:
        values, saved = self._state.values, dict(self._state.values)
        values.update({str(number): _to_value(word) for number, word in enumerate(words[1:10], 1)})
        values["@"] = values["*"] = values["1"] if len(words) == 2 else Value()
        try:
            self._call(function, at)
        finally:
            values.clear()
            values.update(saved)

    def _dispatch(self, name: str, run: Run) -> Place:
        """What a command does besides using files and hosts."""
        if name in _ENTERING:
            return self._enter(name, run)
        if name == "popd":
            return Place(frozenset({None}))
        if name == "eval":
            return self._evaluator.evaluate_words(run.words[1:], run.at, "eval", run.source)
        if name in _SETTERS:
            self._forget(run.arguments)
        if name == "set":
            self._set(run)
        else:
            self._starter.start(name, run)
        return run.at.place

    def _set(self, run: Run) -> None:
        """`set -e`, and `set -- a b`, which changes the parameters."""
        given = any(each.word.likely == "errexit" for each in run.arguments)
        self._state.stops_at_errors |= given or "e" in read_flags(run.words)
        texts = [word.likely for word in run.words]
        if "--" in texts:
            self._set_parameters(run.words[texts.index("--") + 1 :])

    def _set_parameters(self, words: Sequence[Word]) -> None:
        values = self._state.values
        values.update({str(number): Value(guess=word.likely) for number, word in enumerate(words[:9], 1)})
        known = [word.likely for word in words]
        guess = " ".join(text for text in known if text is not None) if None not in known else None
        values["@"] = values["*"] = Value(guess=guess)

    def _enter(self, name: str, run: Run) -> Place:
        """The place after `cd`, if it succeeds."""
        place = run.at.place
        operands = [each.word for each in run.arguments if each.word.likely != "--"]
        if not operands:
            return place.enter(self._reading.surroundings.home if name == "cd" else None)
        target = operands[-1]
        if target.likely is None or target.pattern or target.likely[:1] in ("-", "+"):
            return place.enter(None)
        entered = place.enter(target.likely)
        # A guess may be wrong.
        return entered if target.text is not None else entered.join(Place(frozenset({None})))

    def _forget(self, arguments: Sequence[Argument]) -> None:
        for each in arguments:
            self._state.forget((each.word.likely or "").partition("=")[0].partition("[")[0])


def _split_list(word: Word) -> list[Word]:
    """The words that all parameters of a shell are, if they are known."""
    if word.guess is None or word.source.strip('"') not in _LISTS or " " not in word.guess:
        return [word]
    return [Word(text=None, guess=text, source=word.source, origin=word.origin) for text in word.guess.split()]


def _to_value(word: Word) -> Value:
    return Value(text=word.text, guess=word.likely, origin=word.origin or "computed")


def _quote(word: Word) -> str:
    """A word as text that the shell reads as the same word."""
    if word.likely is None:
        return UNKNOWN_WORD
    return "'" + word.likely.replace("'", "'\\''") + "'" if not word.pattern else word.likely
