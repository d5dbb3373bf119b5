"""Settings from the environment: CLOCHE_SECTION__KEY."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_origin

import msgspec

from cloche.config.option_list import NAMED, SECTIONS, UNUSED, list_options
from cloche.config.plain_values import is_table
from cloche.config.sections import KEY_NAMES
from cloche.config.wording import format_header, suggest_word, variable_name

PREFIX = "CLOCHE_"

_OTHER_KEY = {**KEY_NAMES, **{other: name for name, other in KEY_NAMES.items()}}


class GivenVariable(NamedTuple):
    """A string from the environment, in place of a value."""

    variable: str
    text: str


def add_environment(tree: dict[str, Any], env: Mapping[str, str]) -> Iterator[str]:
    """Put every setting of the environment into the tree; yields a problem for each that does not fit."""
    for given, (section, *keys) in _list_variables(env):
        if section in SECTIONS:
            table = tree.setdefault(section, {})
            if is_table(table) and (problem := _put_setting(table, section, keys, given)):
                yield f"{given.variable}: {problem}"
        elif section not in UNUSED:
            known = f"Known: {', '.join(SECTIONS)}; as in {variable_name('core', 'runtime')}"
            yield f"{given.variable}: there is no section {section}.{suggest_word(section, SECTIONS)} {known}"


def note_unread(env: Mapping[str, str]) -> Iterator[str]:
    """A note for each variable that looks like a setting and is not one."""
    unused = [given.variable for given, (section, *_) in _list_variables(env) if section in UNUSED]
    if unused:
        yield f"not used by Cloche: {', '.join(unused)}"
    for section, kind in SECTIONS.items():
        for key in list_options(kind):
            if (name := f"{PREFIX}{section}_{key}".upper()) in env:
                yield f"{name} is not read: the setting is {variable_name(section, key)}, with two underscores"


def parse_value(given: GivenVariable, kind: Any) -> Any:
    """The string as a value of this type: lists and tables as JSON or TOML, lists also with commas."""
    text = given.text.strip()
    if get_origin(kind) not in (tuple, dict):
        return given.text
    if text[:1] in ("[", "{"):
        return _parse_nested(text)
    return [part.strip() for part in text.split(",") if part.strip()] if get_origin(kind) is tuple else text


def _list_variables(env: Mapping[str, str]) -> Iterator[tuple[GivenVariable, list[str]]]:
    """The variables with a double underscore; an empty one counts as not set."""
    for name, text in sorted(env.items()):
        section, *keys = name.removeprefix(PREFIX).split("__", 2)
        if name.startswith(PREFIX) and keys and text:
            yield GivenVariable(name, text), [section.lower(), *keys]


def _put_setting(table: dict[str, Any], section: str, keys: list[str], given: GivenVariable) -> str:
    """Put a setting into its section; returns what is wrong if it does not fit."""
    name, last = keys[0].lower(), keys[-1]
    known = list_options(SECTIONS[section])
    if len(keys) == 1:
        return _set_value(table, name, given)
    if name not in known:
        if section not in NAMED:
            return (
                f"{format_header((section,))} has no table {name}.{suggest_word(name, known)} Known: {', '.join(known)}"
            )
        name = next((each for each in table if each.lower() == name), name)
        last = last.lower()
    elif get_origin(known[name].type) is not dict:
        whole = variable_name(section, name)
        return f"{format_header((section,))} {name} has nothing in it to set: it is given by {whole}"
    inner = table.setdefault(name, {})
    if not is_table(inner):
        return f"{format_header((section,))} {name} has a value already: give it as a whole or key by key, not both"
    return _set_value(inner, last, given)


def _set_value(table: dict[str, Any], name: str, given: GivenVariable) -> str:
    # The environment overrides the file, also if the file writes the key in the other way.
    if name in _OTHER_KEY and not isinstance(table.get(_OTHER_KEY[name]), GivenVariable):
        table.pop(_OTHER_KEY[name], None)
    table[name] = given
    return ""


def _parse_nested(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
