"""Every setting with its value, where that came from, and what it is for."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from cloche.config.app_config import AppConfig
from cloche.config.option_list import list_options
from cloche.config.printing import find_source, render_template
from cloche.config.toml import to_toml
from cloche.config.wording import dotted_key, variable_name

NAMED_SERVER = "mcp.pyodide"
"""The section of the template that stands for all `[mcp.NAME]`."""

_HEADER = re.compile(r"#?\[([\w.]+)\]")
_OPTION = re.compile(r"#(\w+) = ")


class Setting(Struct, frozen=True, kw_only=True):
    """One setting, as it is in effect."""

    section: str
    """As in the header of a file: `core`, `llm.small`."""
    name: str
    value: str | None
    """As in a file, with secrets masked; None if it is not set."""
    source: str
    """`default`, a file with a line, an environment variable, or the section that it is inherited from."""
    variable: str
    """The environment variable that sets it."""
    about: str
    """What it is for."""


def list_settings(config: AppConfig) -> Iterator[Setting]:
    """All settings, in the order of a file."""
    tree = config.to_tree()
    for keys, section in config.tables():
        values = tree[keys[0]] if len(keys) == 1 else tree[keys[0]][keys[1]]
        for name in list_options(type(section)):
            yield Setting(
                section=dotted_key(keys),
                name=name,
                value=to_toml(values[name]) if name in values else None,
                source=find_source(config, keys, name),
                variable=variable_name(*keys, name),
                about=_find_sentence(keys, name),
            )


def _find_sentence(keys: tuple[str, ...], name: str) -> str:
    sentences = _read_sentences()
    own = NAMED_SERVER if keys[0] == "mcp" and len(keys) == 2 else keys[0]
    return sentences.get((own, name), "")


@cache
def _read_sentences() -> dict[tuple[str, str], str]:
    """What the template says about each option, by its section and its name."""
    found: dict[tuple[str, str], str] = {}
    section, said = "", list[str]()
    for line in render_template().splitlines():
        if header := _HEADER.fullmatch(line):
            section, said = header[1], []
        elif option := _OPTION.match(line):
            found[section, option[1]] = " ".join(said)
            said = []
        elif line.startswith("# "):
            said.append(line[2:])
        else:
            said = []
    return found
