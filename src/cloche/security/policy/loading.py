"""Reads policies from TOML, and names every mistake in them."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from cloche.config.plain_values import is_list, is_table
from cloche.config.wording import describe_value, quote_value, suggest_word
from cloche.errors import ConfigError
from cloche.events import ActionSecurityRisk
from cloche.security.policy.deciding import Policy
from cloche.security.policy.rules import CHOICES, KEYS, SWITCHES, Rule, compile_when
from cloche.security.verdict import Decision

SIZE_LIMIT = 1 << 20
"""The most bytes of a policy file."""
RULES = 1000
"""The most rules of one policy."""

_TOP = ("default", "extends", "rule")
_DEFAULTS = ("verdict", "risk")
_RULE = ("id", "when", "verdict", "risk", "reason", "advice")
_BUILTIN = "builtin"
_RISKS = ("LOW", "MEDIUM", "HIGH")
_EXAMPLE = "`cloche policy show` prints the built-in policy to begin with"


def load_policy(path: Path) -> Policy:
    """Read a policy from a file; raises a ConfigError that names every mistake."""
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise ConfigError(f"the policy {path} cannot be read: {error.strerror or error}. {_EXAMPLE}") from None
    if len(data) > SIZE_LIMIT:
        raise ConfigError(f"the policy {path} is larger than {SIZE_LIMIT} bytes: this is no policy. {_EXAMPLE}")
    try:
        return read_policy(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise ConfigError(f"the policy {path} is not UTF-8 at byte {error.start}: save it as UTF-8") from None


@cache
def load_builtin() -> Policy:
    """The policy that comes with Cloche."""
    return read_policy(read_builtin(), "the built-in policy")


def read_builtin() -> str:
    """The text of the policy that comes with Cloche."""
    return files("cloche.security.policy").joinpath("builtin.toml").read_text()


def read_policy(text: str, name: str) -> Policy:
    """Read a policy; `name` is how messages call it."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name} is not TOML: {error or 'nested too deeply'}") from None
    reader = _PolicyReader(name)
    policy = reader.read(tables)
    if reader.problems:
        raise ConfigError("\n".join(reader.problems))
    return policy


class _PolicyReader:
    """Reads the tables of one file; `problems` are sentences for the user."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.problems: list[str] = []

    def read(self, tables: Mapping[str, Any]) -> Policy:
        self._check_names(tables, _TOP, "")
        verdict, risk = self._read_default(tables.get("default", {}))
        rules = self._read_rules(tables.get("rule", []))
        extends = tables.get("extends")
        if extends is None:
            return Policy(rules=rules, verdict=verdict or Decision.ALLOW, risk=risk or ActionSecurityRisk.LOW)
        if extends != _BUILTIN:
            self._complain("extends", f'found {describe_value(extends)}, expected "{_BUILTIN}"')
            return Policy()
        base = load_builtin()
        return Policy(rules=(*rules, *base.rules), verdict=verdict or base.verdict, risk=risk or base.risk)

    def _complain(self, place: str, text: str) -> None:
        self.problems.append(f"{self._name}: {place}: {text}" if place else f"{self._name}: {text}")

    def _check_names(self, table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
        for name in table:
            if name not in known:
                where = f"{place} {name}".strip()
                hint = f"there is no such key.{suggest_word(name, known)} Known: {', '.join(known)}"
                self._complain(where, hint)

    def _read_default(self, table: object) -> tuple[Decision | None, ActionSecurityRisk | None]:
        if not is_table(table):
            self._complain("default", f"found {describe_value(table)}, expected a table: [default]")
            return None, None
        self._check_names(table, _DEFAULTS, "[default]")
        verdict = self._read_verdict(table["verdict"], "[default]") if "verdict" in table else None
        risk = self._read_risk(table["risk"], "[default]") if "risk" in table else None
        return verdict, risk

    def _read_rules(self, tables: object) -> tuple[Rule, ...]:
        if not is_list(tables):
            self._complain("rule", f"found {describe_value(tables)}, expected tables: [[rule]]")
            return ()
        if len(tables) > RULES:
            self._complain("rule", f"there are {len(tables)} rules: give {RULES} at most")
            return ()
        found = [self._read_rule(table, number) for number, table in enumerate(tables, 1)]
        rules = tuple(rule for rule in found if rule is not None)
        ids = [rule.id for rule in rules]
        for each in dict.fromkeys(each for each in ids if ids.count(each) > 1):
            self._complain(f"rule {quote_value(each)}", "two rules have this id: give one another")
        return rules

    def _read_rule(self, table: object, number: int) -> Rule | None:
        if not is_table(table):
            self._complain(f"rule number {number}", f"found {describe_value(table)}, expected a table: [[rule]]")
            return None
        given = table.get("id")
        place = f"rule {quote_value(given)}" if isinstance(given, str) and given else f"rule number {number}"
        before = len(self.problems)
        self._check_names(table, _RULE, place)
        texts = {key: self._read_text(table, key, place) for key in ("id", "reason", "advice")}
        when = self._read_when(table, place)
        verdict = self._read_verdict(table.get("verdict"), place)
        risk = self._read_risk(table.get("risk", _default_risk(verdict)), place)
        if len(self.problems) > before or verdict is None or risk is None:
            return None
        return Rule(**texts, when=when, verdict=verdict, risk=risk, tests=compile_when(when))

    def _read_text(self, table: Mapping[str, Any], key: str, place: str) -> str:
        value = table.get(key)
        if value is None and key == "advice":
            return ""
        if value is None:
            self._complain(place, f'{key} is missing: add {key} = "..."')
        elif not isinstance(value, str) or not value.strip():
            self._complain(f"{place} {key}", f"found {describe_value(value)}, expected text in quotes")
        return value if isinstance(value, str) else ""

    def _read_verdict(self, value: object, place: str) -> Decision | None:
        choices = [str(each) for each in Decision]
        if isinstance(value, str) and value in choices:
            return Decision(value)
        self._complain_choice(value, choices, f"{place} verdict")
        return None

    def _read_risk(self, value: object, place: str) -> ActionSecurityRisk | None:
        if isinstance(value, str) and value in _RISKS:
            return ActionSecurityRisk[value]
        self._complain_choice(value, _RISKS, f"{place} risk")
        return None

    def _complain_choice(self, value: object, choices: Sequence[str], place: str) -> None:
        listed = ", ".join(map(quote_value, choices))
        if value is None:
            self._complain(place, f"it is missing: give one of {listed}")
            return
        hint = suggest_word(value, [each.lower() for each in choices]) if isinstance(value, str) else ""
        self._complain(place, f"found {describe_value(value)}, expected one of {listed}.{hint}")

    def _read_when(self, table: Mapping[str, Any], place: str) -> dict[str, Any]:
        when = table.get("when")
        if not is_table(when) or not when:
            shown = "it is missing" if when is None else f"found {describe_value(when)}"
            self._complain(f"{place} when", f'{shown}: give what the rule is about, as in when = {{ command = "rm" }}')
            return {}
        self._check_names(when, list(KEYS), f"{place} when")
        return {key: self._read_value(key, when[key], f"{place} when {key}") for key in KEYS if key in when}

    def _read_value(self, key: str, value: object, place: str) -> Any:
        if key in SWITCHES:
            if not isinstance(value, bool):
                self._complain(place, f"found {describe_value(value)}, expected true or false")
            return value
        words = [value] if isinstance(value, str) else value
        if not is_list(words) or not words:
            self._complain(place, f"found {describe_value(value)}, expected text in quotes, or a list of texts")
            return ()
        for word in words:
            if not isinstance(word, str) or not word:
                self._complain(place, f"found {describe_value(word)}, expected text in quotes")
            elif key in CHOICES and word not in CHOICES[key]:
                self._complain_choice(word, CHOICES[key], place)
        return tuple(words)


def _default_risk(verdict: Decision | None) -> str:
    return {Decision.DENY: "HIGH", Decision.ASK: "MEDIUM"}.get(verdict or Decision.ALLOW, "LOW")
