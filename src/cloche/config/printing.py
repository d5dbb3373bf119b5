"""Renders a configuration as TOML, with the source of each value."""

from collections.abc import Iterator
from importlib.resources import files

from cloche.config.app_config import AppConfig
from cloche.config.option_list import list_options
from cloche.config.toml import to_toml
from cloche.config.wording import dotted_key, format_header, format_key


def render_toml(config: AppConfig, *, reveal: bool = False) -> str:
    """The whole configuration as TOML; secrets are masked by default."""
    return "\n".join(_format_config(config, reveal))


def render_template() -> str:
    """A configuration file with every option, its default and what it is for."""
    return files("cloche.config").joinpath("config.template.toml").read_text()


def _format_config(config: AppConfig, reveal: bool) -> Iterator[str]:
    tree = config.to_tree(reveal=reveal)
    for keys, section in config.tables():
        values = tree[keys[0]] if len(keys) == 1 else tree[keys[0]][keys[1]]
        yield format_header(keys)
        for name in list_options(type(section)):
            if getattr(section, name) is None:
                yield f"# {name}: not set"
            else:
                yield f"{format_key(name)} = {to_toml(values[name])}  # {find_source(config, keys, name)}"
        yield ""


def find_source(config: AppConfig, keys: tuple[str, ...], name: str) -> str:
    """Where the value of an option came from."""
    sources = config.origin.sources
    if own := sources.get(dotted_key((*keys, name))):
        return own
    # A named section inherits the values that it does not set.
    return f"from {format_header(keys[:1])}" if len(keys) == 2 and dotted_key((keys[0], name)) in sources else "default"
