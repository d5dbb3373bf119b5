"""What a shell remembers while a text is read: variables, functions, aliases."""

import re
from functools import cached_property
from typing import TYPE_CHECKING

from cloche.security.facts.places import Surroundings
from cloche.security.facts.spawning import find_spawned
from cloche.security.facts.words import UNKNOWN, Value, Word, worst_origin

if TYPE_CHECKING:
    from tree_sitter import Node

    from cloche.security.facts.bash_facts import BashWalk

_BESIDE = re.compile(r"(?<![|&>])[|&](?![|&>])|\|&")
"""A pipeline, or the background."""
_FIXED = ("HOME", "PWD", "TMPDIR")


class ShellFunction:
    """A function of the shell, and the walk through the text that defines it."""

    def __init__(self, body: "Node", walk: "BashWalk") -> None:
        self.body = body
        self.walk = walk

    @cached_property
    def _found(self) -> tuple[frozenset[str], frozenset[str]]:
        return find_spawned(self.body, self.walk.text)

    @property
    def calls(self) -> frozenset[str]:
        """The commands in it."""
        return self._found[0]

    @property
    def spawned(self) -> frozenset[str]:
        """Those of them that run beside it: in the background or in a pipeline."""
        return self._found[1] if _BESIDE.search(self.walk.text(self.body)) else frozenset()


class ShellState:
    """The state of one shell; the texts that it evaluates share it."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.values: dict[str, Value] = {"HOME": Value(text=surroundings.home), "SHELL": Value(guess="/bin/bash")}
        if surroundings.cwd is not None:
            # It changes with each `cd`: a guess.
            self.values["PWD"] = Value(guess=surroundings.cwd)
        self.functions: dict[str, ShellFunction] = {}
        self.aliases: dict[str, str] = {}
        self.active: set[str] = set()
        """The functions and aliases that are being expanded."""
        self.stops_at_errors = False
        """Whether `set -e` holds."""

    def assign(self, name: str, word: Word) -> None:
        """Remember a value as a guess: whether it still holds later, nobody knows."""
        before = self.values.get(name)
        origin = word.origin or ("computed" if word.text is None else "")
        if before is not None and name not in _FIXED:
            origin = worst_origin([before.origin, origin])
        self.values[name] = Value(guess=word.likely, origin=origin or "computed")

    def forget(self, name: str) -> None:
        """A variable may now be anything."""
        self.values[name] = UNKNOWN

    def is_bomb(self, name: str) -> bool:
        """Whether a function starts itself beside itself, perhaps through others."""
        return any(name in self._reach(spawned) for spawned in self.functions[name].spawned)

    def _reach(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self.functions[each].calls if each in self.functions else ()
        return found
