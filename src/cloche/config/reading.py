"""Turns tables into sections, and collects all errors in them."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec

from cloche.config.config_file import ConfigFile
from cloche.config.environment import GivenVariable, parse_value
from cloche.config.option_list import SECTIONS, list_options
from cloche.config.plain_values import is_list, is_table
from cloche.config.secret import MASK, Secret
from cloche.config.sections import KEY_NAMES, Section
from cloche.config.toml import to_toml
from cloche.config.wording import (
    describe_type,
    describe_value,
    dotted_key,
    format_header,
    format_key,
    guess_key,
    suggest_word,
    variable_name,
)

S = TypeVar("S", bound=Section)


class ConfigPlace(NamedTuple):
    """A place in the configuration."""

    keys: tuple[str, ...]
    """Section and key; in a list, `#1` is the first."""
    variable: str = ""
    """The environment variable that the value is from, if any."""

    def down(self, name: str) -> "ConfigPlace":
        """The position of a key inside this one."""
        return ConfigPlace((*self.keys, name), self.variable)

    @property
    def depth(self) -> int:
        """How many keys are those of a file; the rest is inside a list."""
        return next((index for index, each in enumerate(self.keys) if each.startswith("#")), len(self.keys))


class SectionReader:
    """Reads tables; `problems` are sentences for the user, `sources` says where each value came from."""

    def __init__(self, file: ConfigFile | None) -> None:
        self._file = file
        self.problems: list[str] = []
        self.sources: dict[str, str] = {}

    def section(self, kind: type[S], table: object, at: ConfigPlace, base: S | None = None) -> S | None:
        """The table as a section, with missing values from `base`; None, and a problem, if it is wrong."""
        if not is_table(table):
            shown = "a text" if isinstance(table, str) else describe_value(table)
            return self.complain(at, f"found {shown}, expected a table of keys and values")
        before = len(self.problems)
        known = list_options(kind)
        for name in table:
            if name not in known:
                self._unknown(at, name, table[name], known)
        read = {name: self._read(known[name], table[name], at.down(name)) for name in known if name in table}
        for name, other in KEY_NAMES.items():
            if name in known and {name, other} <= table.keys():
                self.complain(at, f"{name} and {other} are both given: remove one of them")
        for name, field in known.items():
            if field.required and name not in table:
                self.complain(at, f"{name} is missing: add {name} = ..., {describe_type(field.type)}")
        return None if len(self.problems) > before else kind(**{**_inherit_values(base, table), **read})

    def complain(self, at: ConfigPlace, text: str) -> None:
        """Add a problem that quotes the value."""
        self.problems.append(f"{self._place(at)}: {text}")

    def _read(self, field: msgspec.structs.FieldInfo, raw: object, at: ConfigPlace) -> Any:
        if isinstance(raw, GivenVariable):
            at = ConfigPlace(at.keys, raw.variable)
            raw = parse_value(raw, field.type)
        before = len(self.problems)
        value = self._value(field.type, raw, at)
        example = None if field.default is msgspec.NODEFAULT else field.default
        if len(self.problems) == before + 1 and example and not isinstance(raw, dict | list):
            written = (
                f"{at.variable}={to_plain(example)}"
                if at.variable
                else f"{format_key(field.name)} = {to_toml(example)}"
            )
            self.problems[-1] += f", as in {written}"
        if at.depth == len(at.keys):
            self.sources[dotted_key(at.keys)] = at.variable or (self._file.place(*at.keys) if self._file else "")
        return value

    def _value(self, kind: Any, raw: object, at: ConfigPlace) -> Any:
        """The value as this type, item by item."""
        origin, args = get_origin(kind), get_args(kind)
        if isinstance(raw, GivenVariable):
            at, raw = ConfigPlace(at.keys, raw.variable), raw.text
        if isinstance(kind, type) and issubclass(kind, Section):
            return self.section(kind, {"url": raw} if isinstance(raw, str) and "url" in list_options(kind) else raw, at)
        if origin is tuple and is_list(raw):
            return tuple(self._value(args[0], each, at.down(f"#{number}")) for number, each in enumerate(raw, 1))
        if origin is dict and is_table(raw):
            return {name: self._value(args[1], each, at.down(name)) for name, each in raw.items()}
        return self._leaf(kind, raw, at)

    def _leaf(self, kind: Any, raw: object, at: ConfigPlace) -> Any:
        if isinstance(raw, str) and MASK in raw:
            return self.complain(at, f"{MASK} stands for a secret in what is printed: put the value itself there")
        try:
            return msgspec.convert(raw, kind, strict=not at.variable, dec_hook=_to_secret)
        except (msgspec.ValidationError, TypeError):
            shown = (
                "a text that is not shown" if isinstance(raw, str) and _may_hold_secret(kind) else describe_value(raw)
            )
            return self.complain(at, f"found {shown}, expected {describe_type(kind)}")

    def _unknown(self, at: ConfigPlace, name: str, raw: object, known: Mapping[str, object]) -> None:
        listed = f"Known in {format_header(at.keys[: at.depth])}: {', '.join(known)}"
        if isinstance(raw, GivenVariable):
            near = guess_key(name, known)
            hint = f" Did you mean {variable_name(*at.keys, near)}?" if near else ""
            self.problems.append(f"{raw.variable}: there is no such setting.{hint} {listed}")
        else:
            self.complain(at.down(name), f"there is no such key.{suggest_word(name, known)} {listed}")

    def _place(self, at: ConfigPlace) -> str:
        """The position as the user knows it: the variable; or file, line, section and key."""
        outer, inner = at.keys[: at.depth], at.keys[at.depth :]
        rest = "".join(f", number {each[1:]}" if each.startswith("#") else f" {format_key(each)}" for each in inner)
        if at.variable:
            return f"{at.variable}{rest}"
        file = f"{self._file.place(*outer)}: " if self._file else ""
        sections = 2 if len(outer) > 2 or (len(outer) == 2 and not inner and self._is_table(outer)) else 1
        words = "".join(f" {format_key(each)}" for each in outer[sections:])
        if len(outer) == 1 and outer[0] not in SECTIONS and not self._is_table(outer):
            return f"{file}{format_key(outer[0])}"
        return f"{file}{format_header(outer[:sections])}{words}{rest}"

    def _is_table(self, keys: tuple[str, ...]) -> bool:
        found: Any = self._file.tables if self._file else {}
        for each in keys:
            found = found.get(each) if is_table(found) else None
        return is_table(found)


def to_plain(value: Any) -> str:
    """A value as an environment variable writes it."""
    return value if isinstance(value, str) else to_toml(value)


def _inherit_values(base: Section | None, given: Mapping[str, object]) -> dict[str, Any]:
    """What a named section inherits; keys only for the same address, and only if it has none of its own."""
    if base is None:
        return {}
    kept = {name: getattr(base, name) for name in base.__struct_fields__}
    if given.keys() & {"base_url", "api_key", "api_key_env"}:
        kept = {name: value for name, value in kept.items() if name not in ("api_key", "api_key_env")}
    if "base_url" in given:
        kept.pop("headers", None)
    return kept


def _may_hold_secret(kind: Any) -> bool:
    """Whether a string in place of such a value may contain a secret."""
    return any(isinstance(each, type) and issubclass(each, Secret | Section) for each in (kind, *get_args(kind)))


def _to_secret(kind: type, value: object) -> Secret:
    if kind is Secret and isinstance(value, str) and value:
        return Secret(value)
    raise ValueError("not a secret")
