"""Unwraps commands that start the command in their arguments: sudo, env, timeout, xargs..."""

import re
from collections.abc import Sequence

from msgspec import Struct

from cloche.security.facts.command_table import SHELLS, WRAPPERS, Wrapper
from cloche.security.facts.words import Word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_ENDS = frozenset({";", "+", "\\;"})


class Unwrapped(Struct, frozen=True):
    """What a wrapper starts: words, or commands in one text."""

    commands: tuple[tuple[Word, ...], ...] = ()
    texts: tuple[Word, ...] = ()
    unclear: bool = False
    """Whether it cannot be told where the command begins."""
    variables: tuple[str, ...] = ()
    """Variables that it sets for it."""


def base_name(word: Word | None) -> str | None:
    """The program of a command word, without its folder and version; None if it is computed."""
    if word is None or word.likely is None:
        return None
    name = word.likely.rpartition("/")[2]
    return _VERSIONED.sub(r"\1", name)


_VERSIONED = re.compile(r"^(python|pypy|pip|ruby|perl|php|lua|node|ipython)[0-9][0-9.]*$")


def unwrap(name: str, words: Sequence[Word]) -> Unwrapped | None:
    """What this command starts; None if it is no wrapper."""
    if name == "find":
        return Unwrapped(tuple(_find_commands(words)))
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return None
    found = _OptionReader(wrapper, words[1:])
    rest = found.read()
    if name == "coproc":
        rest = _skip_coproc_name(rest)
    commands = (tuple(rest),) if rest else ()
    return Unwrapped(commands, tuple(found.texts), found.unclear, tuple(found.variables))


class _OptionReader:
    """Reads the options of a wrapper up to the command."""

    def __init__(self, wrapper: Wrapper, words: Sequence[Word]) -> None:
        self._wrapper = wrapper
        self._words = words
        self._at = 0
        self._left = wrapper.skip
        """Its own operands that are still to come."""
        self._waits = bool(wrapper.after)
        """Whether the word before the command is still to come."""
        self.texts: list[Word] = []
        self.variables: list[str] = []
        self.unclear = False

    def read(self) -> Sequence[Word]:
        """The words of the command; none if there is no command."""
        while self._at < len(self._words):
            text = self._words[self._at].likely
            if text is None:
                # An option, or the command itself: from here on it is read as one.
                self.unclear = True
                break
            if text in self._wrapper.asks:
                return ()
            if not self._take(text):
                break
        return () if self._waits else self._words[self._at + self._left :]

    def _take(self, text: str) -> bool:
        """Take a word of the wrapper's own; False at the command."""
        taken = 1
        if text == "--":
            self._waits, self._left = False, 0
            self._at += 1
            return False
        if text.startswith("-") and len(text) > 1:
            taken = _take_option(self._wrapper, self._words, self._at, self.texts)
        elif _ASSIGNMENT.match(text):
            self.variables.append(text.partition("=")[0])
        elif self._waits:
            self._waits = text not in self._wrapper.after
        elif self._left:
            self._left -= 1
        else:
            return False
        self._at += taken
        return True


def _take_option(wrapper: Wrapper, words: Sequence[Word], at: int, texts: list[Word]) -> int:
    """How many words an option takes; a text in it is added to `texts`."""
    option = words[at].likely or ""
    short = option[:2] if not option.startswith("--") else option.partition("=")[0]
    follows = option == short
    takes = short in wrapper.values or short in wrapper.text
    if not takes and not option.startswith("--") and len(option) > 2 and f"-{option[-1]}" in wrapper.text:
        # The last of several letters: `su -lc 'text'`.
        short, takes, follows = f"-{option[-1]}", True, True
    if short in wrapper.text:
        if follows and at + 1 < len(words):
            texts.append(words[at + 1])
        elif not follows:
            texts.append(Word(text=option[len(short) :].lstrip("="), source=option))
    return 2 if takes and follows else 1


def _skip_coproc_name(words: Sequence[Word]) -> Sequence[Word]:
    """The words after `coproc NAME {`."""
    braces = [at for at, word in enumerate(words[:2]) if word.text == "{"]
    return words[braces[0] + 1 :] if braces else words


def _find_commands(words: Sequence[Word]) -> list[tuple[Word, ...]]:
    found: list[tuple[Word, ...]] = []
    at = 0
    while at < len(words):
        if words[at].likely in _FIND_RUNS:
            end = next((i for i in range(at + 1, len(words)) if words[i].likely in _FIND_ENDS), len(words))
            found.append(tuple(words[at + 1 : end]))
            at = end
        at += 1
    return [each for each in found if each]


def list_found(words: Sequence[Word]) -> list[Word]:
    """What `{}` stands for in a find: the name that it looks for in each of its folders, or the folder itself."""
    options = [at for at, word in enumerate(words) if word.likely in ("-name", "-iname")]
    name = words[options[0] + 1].likely if options and options[0] + 1 < len(words) else ""
    roots = [word for word in words[1 : _count_roots(words)] if word.likely is not None] or [Word(text=".", source=".")]
    if name is None:
        return [Word(text=None, source="{}", origin="computed")]
    wild = any(char in name for char in "*?[")
    return [Word(text=f"{root.likely}/{name}", source="{}", pattern=wild) for root in roots]


def _count_roots(words: Sequence[Word]) -> int:
    """Where the expression of a find begins."""
    ends = (at for at, word in enumerate(words) if at and (word.likely or "").startswith(("-", "(", "!")))
    return next(ends, len(words))


def find_mark(name: str, words: Sequence[Word]) -> str | None:
    """What xargs replaces by a line of its input, if it does."""
    if name != "xargs":
        return None
    for word, after in zip(words[1:], [*words[2:], None], strict=True):
        text = word.likely or ""
        if not text.startswith("-"):
            return None
        if text == "-I":
            return after.likely if after is not None else None
        if text in ("-i", "--replace"):
            return "{}"
        for sign in ("-I", "-i", "--replace="):
            if text.startswith(sign):
                return text[len(sign) :]
    return None


def is_shell(name: str | None) -> bool:
    """Whether a program is a shell."""
    return name in SHELLS
