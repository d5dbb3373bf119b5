"""A rule, and when it applies to a fact."""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any

from msgspec import Struct

from cloche.events import ActionSecurityRisk
from cloche.security.facts.fact import Fact
from cloche.security.facts.places import Surroundings
from cloche.security.policy.globs import compile_glob, may_meet
from cloche.security.policy.hosts import list_matches
from cloche.security.verdict import Decision


class Scope(Struct, frozen=True, kw_only=True):
    """What rules look at besides a fact."""

    action: str
    """The kind of the action."""
    surroundings: Surroundings = Surroundings()
    allowed_hosts: tuple[str, ...] = ()
    """What the sandbox may reach, as in `allow_net`."""


Test = Callable[[Fact, Scope], bool]


class Rule(Struct, frozen=True, kw_only=True):
    """One rule of a policy."""

    id: str
    when: dict[str, Any]
    """As in the file."""
    verdict: Decision
    risk: ActionSecurityRisk
    reason: str
    advice: str = ""
    tests: tuple[Test, ...] = ()

    def may_apply(self, fact: Fact) -> bool:
        """Whether it can apply to facts of this kind, with this access, of this command."""
        kinds = {KINDS[key] for key in self.when if key in KINDS}
        if (kinds and kinds != {fact.kind}) or ("access" in self.when and fact.access not in self.when["access"]):
            return False
        name = fact.command.name if fact.command else None
        return "command" not in self.when or (
            name is not None and _match_words(self.when["command"]).match(name) is not None
        )

    def applies(self, fact: Fact, scope: Scope) -> bool:
        """Whether every key of `when` fits."""
        for test in self.tests:  # noqa: SIM110 - a generator would take as long as the tests
            if not test(fact, scope):
                return False
        return True


def compile_when(when: dict[str, Any]) -> tuple[Test, ...]:
    """The tests of the keys of `when`, whose values were checked."""
    return tuple(KEYS[key](when[key]) for key in sorted(when, key=_COST.index))


def _match_words(words: Sequence[str]) -> re.Pattern[str]:
    """Any of several globs in which `*` means anything."""
    return re.compile("|".join(map(translate, words)))


def _test_action(words: Sequence[str]) -> Test:
    pattern = _match_words(words)
    return lambda fact, scope: pattern.match(scope.action) is not None


def _test_language(words: Sequence[str]) -> Test:
    pattern = _match_words(words)
    return lambda fact, scope: pattern.match(fact.language) is not None


def _test_command(words: Sequence[str]) -> Test:
    pattern = _match_words(words)

    def test(fact: Fact, scope: Scope) -> bool:
        name = fact.command.name if fact.command else None
        return name is not None and pattern.match(name) is not None

    return test


def _test_flags(words: Sequence[str]) -> Test:
    wanted = frozenset(word.lstrip("-") for word in words)
    return lambda fact, scope: fact.command is not None and not wanted.isdisjoint(fact.command.flags)


def _test_args(words: Sequence[str]) -> Test:
    pattern = _match_words(words)

    def test(fact: Fact, scope: Scope) -> bool:
        given = fact.command.words[1:] if fact.command else ()
        return any(word is not None and pattern.match(word) is not None for word in given)

    return test


def _test_via(words: Sequence[str]) -> Test:
    pattern = _match_words(words)
    return lambda fact, scope: fact.command is not None and any(pattern.match(each) for each in fact.command.via)


def _value_test(kind: str) -> Callable[[Sequence[str]], Test]:
    """A test of the value of facts of one kind."""

    def make(words: Sequence[str]) -> Test:
        pattern = _match_words(words)
        return lambda fact, scope: (
            fact.kind == kind and fact.value is not None and pattern.match(fact.value) is not None
        )

    return make


def _test_access(words: Sequence[str]) -> Test:
    wanted = frozenset(words)
    return lambda fact, scope: fact.kind == "file" and fact.access in wanted


def _test_path(words: Sequence[str]) -> Test:
    globs = tuple(words)

    def test(fact: Fact, scope: Scope) -> bool:
        if fact.kind != "file" or fact.value is None:
            return False
        if _compile_globs(globs, scope.surroundings).fullmatch(fact.value):
            return True
        return fact.pattern and any(may_meet(fact.value, glob) for glob in _list_globs(globs, scope.surroundings))

    return test


@lru_cache(maxsize=256)
def _compile_globs(globs: tuple[str, ...], surroundings: Surroundings) -> re.Pattern[str]:
    """One expression for all of them."""
    full = (_expand_place(glob, surroundings) for glob in globs)
    return re.compile("|".join(f"(?:{compile_glob(glob).pattern})" for glob in full), re.DOTALL)


@lru_cache(maxsize=256)
def _list_globs(globs: tuple[str, ...], surroundings: Surroundings) -> list[str]:
    """Those that wildcards of a command are compared to: not names that may be anywhere, which `rm *` means too."""
    full = (_expand_place(glob, surroundings) for glob in globs)
    return [glob for glob in full if not glob.startswith("**")]


def _test_inside(words: Sequence[str]) -> Test:
    return lambda fact, scope: fact.kind == "file" and _is_inside(fact, words, scope)


def _test_outside(words: Sequence[str]) -> Test:
    return lambda fact, scope: fact.kind == "file" and not _is_inside(fact, words, scope)


def _is_inside(fact: Fact, places: Sequence[str], scope: Scope) -> bool:
    """Whether a path is in one of the folders; one that is not known, or only in part, is in none."""
    if fact.value is None or "**" in fact.value:
        return False
    folders = (_expand_place(place, scope.surroundings) for place in places)
    return any(fact.value == folder or fact.value.startswith(folder.rstrip("/") + "/") for folder in folders)


def _expand_place(place: str, surroundings: Surroundings) -> str:
    """A folder or a glob as an absolute path; the names of places stand for their folders."""
    named = {"workspace": surroundings.workspace, "home": surroundings.home, "tmp": surroundings.tmp}
    if place in named:
        return named[place]
    if place.startswith("~"):
        return surroundings.home + place[1:]
    return place if place.startswith(("/", "**")) else f"{surroundings.workspace}/{place}"


def _test_computed(wanted: bool) -> Test:
    return lambda fact, scope: fact.kind == "file" and (fact.value is None or "**" in fact.value) is wanted


def _test_host(words: Sequence[str]) -> Test:
    return lambda fact, scope: fact.kind == "host" and fact.value is not None and list_matches(words, fact.value, None)


def _test_listed(wanted: bool) -> Test:
    def test(fact: Fact, scope: Scope) -> bool:
        if fact.kind != "host":
            return False
        listed = fact.value is not None and list_matches(scope.allowed_hosts, fact.value, fact.port)
        return listed is wanted

    return test


KEYS: dict[str, Callable[[Any], Test]] = {
    "action": _test_action,
    "language": _test_language,
    "command": _test_command,
    "flags": _test_flags,
    "args": _test_args,
    "via": _test_via,
    "access": _test_access,
    "path": _test_path,
    "path_inside": _test_inside,
    "path_outside": _test_outside,
    "path_computed": _test_computed,
    "host": _test_host,
    "host_listed": _test_listed,
    "tool": _value_test("tool"),
    "call": _value_test("call"),
    "import": _value_test("import"),
    "sets": _value_test("variable"),
    "code_from": _value_test("code"),
    "construct": _value_test("construct"),
}
"""The keys of `when`, and their tests."""

KINDS: dict[str, str] = {
    **dict.fromkeys(("access", "path", "path_inside", "path_outside", "path_computed"), "file"),
    **dict.fromkeys(("host", "host_listed"), "host"),
    **{"tool": "tool", "call": "call", "import": "import", "sets": "variable"},
    **{"code_from": "code", "construct": "construct"},
}
"""The kind of facts that a key is about, where it is only one."""

SWITCHES = frozenset({"path_computed", "host_listed"})
"""Keys that are true or false."""

CHOICES: dict[str, tuple[str, ...]] = {
    "access": ("read", "write", "remove"),
    "code_from": ("network", "decoded", "computed", "pipe", "file"),
    "construct": (
        "parse_error", "too_large", "too_deep", "joined_lines", "read_differently", "computed_command", "computed_code",
        "fork_bomb", "endless_spawning", "alias", "coproc", "network_redirect", "introspection", "not_analysed",
        "input",
    ),
}  # fmt: skip
"""Keys whose values are known."""

_CHEAP = ("construct", "code_from", "sets", "import", "call", "tool", "host_listed", "access", "command")
_COST = [*_CHEAP, *(key for key in KEYS if key not in _CHEAP and key != "path"), "path"]
"""The keys in the order in which they are tested."""

NEVER_ALLOWED = frozenset(
    {"parse_error", "too_large", "too_deep", "joined_lines", "read_differently", "computed_command", "computed_code"}
)
"""Constructs of which nobody knows what they do: no rule makes them less than `ask`."""
