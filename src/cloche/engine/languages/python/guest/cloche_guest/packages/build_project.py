"""Builds wheels of projects inside the sandbox: calls their build backends as PEP 517 and PEP 660 say."""

from __future__ import annotations

import importlib
import os
import re
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, NamedTuple

SETUPTOOLS = ("setuptools.build_meta:__legacy__", ["setuptools>=40.8.0"])
"""How projects without a pyproject.toml are built."""

_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")

InstallNames = Callable[[Sequence[str]], int]
"""Installs packages by name, and returns an exit status."""


class BuildFailed(Exception):
    """A project cannot be built; says why."""


class BuiltProject(NamedTuple):
    """The wheel of a project, and what its extras need."""

    wheel: Path
    extras: list[str]


class _Backend(NamedTuple):
    name: str
    requires: list[str]
    paths: list[str]


def split_extras(word: str) -> tuple[str, list[str]]:
    """The folder and the extras of a word such as `.[dev,test]`."""
    found = re.fullmatch(r"(.*?)\[([\w\s.,-]*)\]", word)
    if not found:
        return word, []
    return found[1], [each.strip() for each in found[2].split(",") if each.strip()]


def is_project(word: str) -> bool:
    """Whether a word of a command line names a folder with a project."""
    folder = Path(split_extras(word)[0])
    return any((folder / name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg"))


def build_project(word: str, install: InstallNames, *, editable: bool = False) -> BuiltProject:
    """Build the wheel of a project; what the build needs is installed first."""
    name, extras = split_extras(word)
    folder = Path(name).resolve()
    if not is_project(name):
        raise BuildFailed(
            f"{name} does not appear to be a Python project: neither 'setup.py' nor 'pyproject.toml' found."
        )
    backend = _read_backend(folder)
    _install_needed(backend.requires, install)
    target = Path(tempfile.mkdtemp(prefix="pip-wheel-"))
    before, path = os.getcwd(), list(sys.path)  # noqa: PTH109
    os.chdir(folder)
    try:
        sys.path[:0] = [str(folder / each) for each in backend.paths]
        wheel = target / _call_backend(backend, target, install, editable)
    finally:
        os.chdir(before)
        sys.path[:] = path
    if not wheel.is_file():
        raise BuildFailed(f"{backend.name} said that it has built {wheel.name}, but there is no such file")
    if not wheel.name.endswith("-none-any.whl"):
        raise BuildFailed(f"{wheel.name} has native code, which cannot be built in a sandbox")
    return BuiltProject(wheel, _read_extras(wheel, extras))


def _read_backend(folder: Path) -> _Backend:
    path = folder / "pyproject.toml"
    try:
        settings = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildFailed(f"{path} cannot be read: {error}") from None
    system = settings.get("build-system", {})
    requires = system.get("requires", SETUPTOOLS[1])
    return _Backend(system.get("build-backend", SETUPTOOLS[0]), list(requires), list(system.get("backend-path", [])))


def _install_needed(names: Sequence[str], install: InstallNames) -> None:
    if names and install(names) != 0:
        raise BuildFailed(f"what the build needs could not be installed: {', '.join(names)}")
    importlib.invalidate_caches()


def _call_backend(backend: _Backend, target: Path, install: InstallNames, editable: bool) -> str:
    hooks = _load_backend(backend)
    kind = "editable" if editable else "wheel"
    build = getattr(hooks, f"build_{kind}", None)
    if build is None:
        raise BuildFailed(f"{backend.name} cannot build what can be edited: install without -e")
    more = getattr(hooks, f"get_requires_for_build_{kind}", None)
    argv = sys.argv
    sys.argv = ["setup.py"]
    try:
        _install_needed(more({}) if more else [], install)
        return str(build(str(target), {}))
    except (Exception, SystemExit) as error:
        raise BuildFailed(f"{backend.name} failed: {type(error).__name__}: {error}") from error
    finally:
        sys.argv = argv


def _load_backend(backend: _Backend) -> Any:
    module, _, attributes = backend.name.partition(":")
    try:
        hooks: Any = importlib.import_module(module)
        for attribute in filter(None, attributes.split(".")):
            hooks = getattr(hooks, attribute)
    except (ImportError, AttributeError) as error:
        raise BuildFailed(f"the build backend {backend.name} cannot be used: {error}") from error
    return hooks


def _read_extras(wheel: Path, extras: Sequence[str]) -> list[str]:
    """The requirements that some extras add."""
    if not extras:
        return []
    with zipfile.ZipFile(wheel) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    wanted = {each.lower().replace("_", "-") for each in extras}
    found: list[str] = []
    for text in metadata.get_all("Requires-Dist") or []:
        requirement, _, marker = text.partition(";")
        extra = _EXTRA.search(marker)
        if extra and extra[1].lower().replace("_", "-") in wanted:
            found.append(requirement.strip())
    return found
