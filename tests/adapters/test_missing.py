"""Adapters whose framework is not installed."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import cloche.adapters
from tests.adapters.conftest import FRAMEWORKS

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_adapter_says_what_to_install(name: str) -> None:
    with pytest.raises(ImportError) as raised:
        import_module(f"{cloche.adapters.__name__}.{name}")
    found = re.search(r"pip install 'cloche\[(.*?)\]' \(No module named", str(raised.value))
    assert found is not None
    assert found[1] in EXTRAS
