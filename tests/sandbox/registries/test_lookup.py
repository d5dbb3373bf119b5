"""Which registry a language has: it follows from the catalogue alone."""

import sys

import pytest
from msgspec.structs import replace

from cloche.errors import ConfigError
from cloche.sandbox.languages import languages
from cloche.sandbox.registries.lookup import find_registry, find_tool, is_registered
from cloche.sandbox.registries.registry import Registry

OWN = [name for name in languages() if is_registered(name)]


def test_every_language_with_packages_but_python_has_a_registry() -> None:
    named = {name for name, each in languages().items() if each.packages not in (None, "pip")}
    assert named == {*OWN, *(name for name, each in languages().items() if each.packages_of)}


@pytest.mark.parametrize("language", OWN)
def test_a_registry_is_found_by_the_word_of_the_catalogue(language: str) -> None:
    registry = find_registry(language)
    assert registry.language == language
    assert registry.popular
    assert [each.name for each in registry.tools] == list(languages()[language].package_tools)
    assert type(registry).__module__.split(".")[-1] == languages()[language].packages


def test_a_language_may_use_the_packages_of_another() -> None:
    for name, each in languages().items():
        if each.packages_of:
            assert find_registry(name).language == each.packages_of


def test_a_language_without_packages_is_refused() -> None:
    without = next(name for name, each in languages().items() if each.packages is None)
    with pytest.raises(ConfigError, match=f"no packages for {without}: they can be installed for python, "):
        find_registry(without)
    with pytest.raises(ConfigError, match="no packages for python"):
        find_registry("python")
    assert not is_registered("cobol")


def test_a_registry_is_one_new_file(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hex(Registry):
        language = "lua"

    module = type(sys)("cloche.sandbox.registries.hex.hex")
    module.__dict__["REGISTRY"] = Hex
    # The methods are of no interest here.
    monkeypatch.setattr(Hex, "__abstractmethods__", frozenset[str]())
    monkeypatch.setitem(sys.modules, "cloche.sandbox.registries.hex.hex", module)
    monkeypatch.setitem(languages(), "lua", replace(languages()["lua"], packages="hex", package_tools=("hex",)))
    assert type(find_registry("lua")) is Hex
    assert type(find_tool("hex")) is Hex
    assert find_tool("luarocks") is None
