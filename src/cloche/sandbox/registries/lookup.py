"""Finds the registry of a language by its name in the catalogue: for `npm`, `REGISTRY` in npm/npm.py."""

from importlib import import_module

from cloche.errors import ConfigError
from cloche.sandbox.languages import check_language, languages
from cloche.sandbox.registries.registry import Registry

PIP = "pip"
"""The registry of Python's packages, which `cloche.sandbox.packages` handles."""


def find_registry(language: str) -> Registry:
    """The registry of a language; raises ConfigError if it has none. Blocks: its module is imported on first use."""
    language = check_language(language).packages_of or language
    if is_registered(language):
        return _load_registry(language)
    having = ", ".join(name for name, each in languages().items() if each.packages)
    raise ConfigError(f"There are no packages for {language}: they can be installed for {having}.")


def find_tool(tool: str) -> Registry | None:
    """The registry of a command such as `npm`; blocks."""
    found = (name for name, each in languages().items() if tool in each.package_tools)
    return next((_load_registry(name) for name in found), None)


def is_registered(language: str) -> bool:
    """Whether a language has packages of its own here."""
    known = languages().get(language)
    return known is not None and known.packages not in (None, PIP) and known.packages_of is None


def _load_registry(language: str) -> Registry:
    word = languages()[language].packages
    kind: type[Registry] = import_module(f"{__package__}.{word}.{word}").REGISTRY
    return kind()
