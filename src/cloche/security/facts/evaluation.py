"""Text that a command has a shell or an interpreter execute."""

import re
from collections.abc import Sequence

from cloche.security.facts.command_table import INTERPRETERS
from cloche.security.facts.other_code import read_code
from cloche.security.facts.places import Place
from cloche.security.facts.reading import At, Reading, Stream, TextReader
from cloche.security.facts.shell_state import ShellState
from cloche.security.facts.words import Word

_SHEBANG = re.compile(r"#![ \t]*\S*?(?:/env[ \t]+(?:-S[ \t]+)?)?/?([a-zA-Z]+)[0-9.]*[ \t]*(?:[ \t].*)?(?:\n|$)")
STDIN_FILES = frozenset({"-", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"})
UNKNOWN_WORD = '"$_"'
"""A word of which nothing is known, as text for a shell."""


class Evaluator:
    """Reads what is executed; `read_text` reads bash."""

    def __init__(self, reading: Reading, state: ShellState, read_text: TextReader) -> None:
        self.reading = reading
        self.state = state
        self.read_text = read_text

    def evaluate(self, text: str, at: At, via: str) -> Place:
        """Read a text in the same shell."""
        inner = At(place=at.place, via=(*at.via, via), stdin=at.stdin)
        return self.read_text(text, self.reading, inner, self.state)

    def evaluate_words(self, words: Sequence[Word], at: At, via: str, source: str) -> Place:
        """Read words that become one text."""
        if any(word.text is None for word in words):
            self.report_computed(words, via, source)
        if not words or words[0].likely is None:
            return at.place
        # What is known of it may already be a command that a rule forbids.
        texts = [UNKNOWN_WORD if word.likely is None else word.likely for word in words]
        return self.evaluate(" ".join(texts), at, via)

    def evaluate_apart(self, words: Sequence[Word], at: At, via: str, source: str) -> None:
        """Read words as the text of a shell of its own, whose variables are not this one's."""
        saved = dict(self.state.values)
        self.evaluate_words(words, at, via, source)
        self.state.values.clear()
        self.state.values.update(saved)

    def report_computed(self, words: Sequence[Word], runner: str, source: str) -> None:
        """Say that what is executed is computed, and where it comes from."""
        self.reading.add_construct("computed_code", source, f"what {runner} executes is decided while it runs")
        for origin in {word.origin for word in words} & {"network", "decoded"}:
            self.reading.add_code(origin, source)

    def find_origin(self, word: Word, at: At) -> str:
        """Where the file that a word names has come from, if the same action has fetched or decoded it."""
        if word.likely is None or not self.reading.origins:
            return ""
        return self.reading.find_origin(at.place.resolve(word.likely))

    def run_file(self, word: Word, at: At, source: str, language: str) -> None:
        """A script is executed: what is in it is not known here, only where it comes from."""
        if word.likely in STDIN_FILES:
            self.run_input(at.stdin, at, source, language)
        elif origin := self.find_origin(word, at):
            self.reading.add_code(origin, source, language=language)
        elif word.text is None and word.origin in ("network", "decoded"):
            self.reading.add_code(word.origin, source, language=language)
        elif word.likely is None and word.source.startswith("<("):
            note = "what is executed comes out of another command"
            self.reading.add_construct("computed_code", source, note, language=language)
        else:
            self.reading.add_code("file", source, language=language)
            self.run_written(word, at, language)

    def run_written(self, word: Word, at: At, language: str) -> None:
        """Read a file that was written in the same action."""
        if word.likely is None or not self.reading.written:
            return
        for path in at.place.resolve(word.likely):
            # Removed while it is read: it may execute itself.
            text = self.reading.written.pop(path, None) if path is not None else None
            if path is not None and text is not None:
                inner = At(place=at.place, via=(*at.via, "file"))
                read_code(_find_shebang(text) or language, text, self.reading, inner, self.read_text)
                self.reading.written[path] = text

    def run_input(self, stdin: Stream, at: At, source: str, language: str) -> None:
        """What is read from the standard input is executed."""
        if stdin.origin:
            self.reading.add_code(stdin.origin, source, language=language)
        if stdin.origin in ("computed", "pipe", "decoded", "network"):
            note = "what is executed comes out of another command"
            self.reading.add_construct("computed_code", source, note, language=language)
        if stdin.likely is not None:
            inner = At(place=at.place, via=(*at.via, "stdin"))
            read_code(language, stdin.likely, self.reading, inner, self.read_text)


def _find_shebang(text: str) -> str | None:
    """The language that the first line of a script names."""
    match = _SHEBANG.match(text)
    return None if match is None else INTERPRETERS[match[1]][0] if match[1] in INTERPRETERS else "bash"
