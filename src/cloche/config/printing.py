"""Renders a configuration as TOML, with the source of each value."""

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

from cloche.config.app_config import AppConfig
from cloche.config.option_list import NO_EFFECT_YET
from cloche.config.toml import to_toml
from cloche.config.wording import dotted_key, format_header, format_key

_HEADER = re.compile(r"#?\[(\w+)")
_OPTION = re.compile(r"#(\w+) = ")


def render_toml(config: AppConfig, *, reveal: bool = False) -> str:
    """The whole configuration as TOML; secrets are masked by default."""
    return "\n".join(_format_config(config, reveal))


def render_template() -> str:
    """A configuration file with every option, its default and what it is for."""
    text = files("cloche.config").joinpath("config.template.toml").read_text()
    return "".join(f"{line}\n" for line in _mark_idle(text.splitlines()))


def _mark_idle(lines: Iterable[str]) -> Iterator[str]:
    """The lines of the template; settings without effect are marked."""
    section = ""
    for line in lines:
        if match := _HEADER.match(line):
            section = match[1]
        option = _OPTION.match(line)
        yield f"{line}  # no effect yet" if option and _is_idle(section, option[1]) else line


def _is_idle(section: str, name: str) -> bool:
    return name in NO_EFFECT_YET.get(section, ())


def _format_config(config: AppConfig, reveal: bool) -> Iterator[str]:
    tree = config.to_tree(reveal=reveal)
    for keys, section in config.tables():
        values = tree[keys[0]] if len(keys) == 1 else tree[keys[0]][keys[1]]
        yield format_header(keys)
        for name in section.__struct_fields__:
            if getattr(section, name) is None:
                yield f"# {name}: not set"
            elif name != "servers":
                idle = ", no effect yet" if _is_idle(keys[0], name) else ""
                yield f"{format_key(name)} = {to_toml(values[name])}  # {_find_source(config, keys, name)}{idle}"
        yield ""


def _find_source(config: AppConfig, keys: tuple[str, ...], name: str) -> str:
    sources = config.origin.sources
    if own := sources.get(dotted_key((*keys, name))):
        return own
    # A named section inherits the values that it does not set.
    return f"from {format_header(keys[:1])}" if len(keys) == 2 and dotted_key((keys[0], name)) in sources else "default"
