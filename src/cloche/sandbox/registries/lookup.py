"""The registry of each language."""

from cloche.errors import ConfigError
from cloche.sandbox.languages import check_language, languages
from cloche.sandbox.registries.composer.composer import Composer
from cloche.sandbox.registries.cpan.cpan import Cpan
from cloche.sandbox.registries.cran.cran import Cran
from cloche.sandbox.registries.gem.gem import Gem
from cloche.sandbox.registries.luarocks.luarocks import LuaRocks
from cloche.sandbox.registries.npm.npm import Npm
from cloche.sandbox.registries.registry import Registry

BORROWED = {"typescript": "javascript"}
"""Languages that use the packages of another."""

_REGISTRIES: dict[str, type[Registry]] = {each.language: each for each in (Npm, Gem, Composer, LuaRocks, Cran, Cpan)}


def find_registry(language: str) -> Registry:
    """The registry of a language; ConfigError when it has none."""
    language = BORROWED.get(language, language)
    check_language(language)
    if kind := _REGISTRIES.get(language):
        return kind()
    having = ", ".join(name for name, each in languages().items() if each.packages)
    raise ConfigError(f"There are no packages for {language}: they can be installed for {having}.")


def find_tool(tool: str) -> Registry | None:
    """The registry of a command such as `npm`."""
    return next((kind() for kind in _REGISTRIES.values() if kind.tool == tool), None)


def is_registered(language: str) -> bool:
    """Whether a language has packages of its own here."""
    return language in _REGISTRIES
