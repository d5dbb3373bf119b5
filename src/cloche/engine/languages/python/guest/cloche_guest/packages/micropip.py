"""Installs packages from code, with the interface of Pyodide's installer: the host finds, checks and fetches them."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Iterable
from io import StringIO
from typing import Any, NamedTuple

from cloche_guest.packages import pip

_INDEX = "the host fetches packages from the indexes that its pip knows; others cannot be named here"


class PackageMetadata(NamedTuple):
    """Facts about an installed package."""

    name: str
    version: str
    source: str = "host"


async def install(
    requirements: str | Iterable[str],
    keep_going: bool = False,
    deps: bool = True,
    credentials: str | None = None,
    pre: bool = False,
    index_urls: Any = None,
    *,
    constraints: Iterable[str] | None = None,
    reinstall: bool = False,
    verbose: bool | int | None = None,
) -> None:
    """Install packages and what they need; ValueError says why one cannot be installed."""
    if index_urls:
        raise ValueError(_INDEX)
    if not deps:
        raise ValueError("packages are installed with what they need; deps=False is not available")
    words = _words(requirements)
    if constraints:
        raise ValueError("constraints go into a file: pip install -c FILE")
    if words:
        status, text = await pip.run_pip_async(["install", *(["--pre"] if pre else []), "--", *words])
        _judge(status, text, verbose)


def uninstall(packages: str | Iterable[str], *, verbose: bool | int | None = None) -> None:
    """Remove packages; modules that are imported already stay as they are."""
    text = StringIO()
    status = pip.run_pip(["uninstall", "-y", "--", *_words(packages)], text.write)
    _judge(status, text.getvalue(), verbose)


def list() -> dict[str, PackageMetadata]:
    """Everything that is installed, by name."""
    found = {one.name: PackageMetadata(one.name, one.version) for one in importlib.metadata.distributions()}
    return dict(sorted(found.items()))


def freeze() -> str:
    """Everything that is installed, as JSON."""
    packages = {name: {"name": name, "version": one.version} for name, one in list().items()}
    return json.dumps({"info": {"platform": "emscripten", "python": sys.version.split()[0]}, "packages": packages})


def set_index_urls(_urls: Any) -> None:
    """Not available: the host decides which indexes are used."""
    raise ValueError(_INDEX)


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _judge(status: int, text: str, verbose: bool | int | None) -> None:
    if status:
        raise ValueError(text.partition("ERROR: ")[2].strip() or f"pip ended with status {status}")
    if verbose:
        sys.stdout.write(text)


def register_module() -> None:
    """Make `import micropip` find this module."""
    module = sys.modules[__name__]
    module.__name__, module.__package__ = "micropip", ""
    sys.modules["micropip"] = module
