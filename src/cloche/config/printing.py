"""Prints a configuration as a file would have it, with the place each value came from."""

from collections.abc import Iterator
from importlib.resources import files

from cloche.config.app import AppConfig
from cloche.config.toml import to_toml
from cloche.config.wording import dotted, header, key


def print_toml(config: AppConfig, *, reveal: bool = False) -> str:
    """The whole configuration, secrets masked unless told otherwise."""
    return "\n".join(_lines(config, reveal))


def template() -> str:
    """A configuration file with every option, its default and what it is for."""
    return files("cloche.config").joinpath("config.template.toml").read_text()


def _lines(config: AppConfig, reveal: bool) -> Iterator[str]:
    tree = config.to_tree(reveal=reveal)
    for keys, section in config.tables():
        values = tree[keys[0]] if len(keys) == 1 else tree[keys[0]][keys[1]]
        yield header(keys)
        for name in section.__struct_fields__:
            if getattr(section, name) is None:
                yield f"# {name}: not set"
            elif name != "servers":
                yield f"{key(name)} = {to_toml(values[name])}  # {_source(config, keys, name)}"
        yield ""


def _source(config: AppConfig, keys: tuple[str, ...], name: str) -> str:
    sources = config.origin.sources
    if own := sources.get(dotted((*keys, name))):
        return own
    # A named section has what it does not give from the common one.
    return f"from {header(keys[:1])}" if len(keys) == 2 and dotted((keys[0], name)) in sources else "default"
