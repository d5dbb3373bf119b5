"""Builds projects inside the sandbox: calls their build backends as PEP 517 and PEP 660 say."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SETUPTOOLS = ("setuptools.build_meta:__legacy__", ["setuptools>=40.8.0"])
"""How projects without a pyproject.toml are built."""

COMPILED = {
    "mesonpy": "a compiler for C and Meson",
    "maturin": "the compiler for Rust (cargo)",
    "scikit_build_core": "a compiler for C++ and CMake",
    "skbuild": "a compiler for C++ and CMake",
    "setuptools_rust": "the compiler for Rust (cargo)",
    "py_build_cmake": "a compiler for C++ and CMake",
    "sipbuild": "a compiler for C++",
}
"""Build backends that are there for native code, and what they need."""

HOOK = "cloche_build_hook"
"""The name under which `python3 -m` calls a hook."""

_PYTHON = "/usr/bin/python3"
_TAIL = 15
"""Lines of a backend's output that are shown when it fails."""
_COMPILER = re.compile(
    r"command '([^']+)' failed|"
    r"No such file or directory: '((?:cc|gcc|g\+\+|c\+\+|clang|cargo|rustc|cmake|ninja|make)[^']*)'|"
    r"(?:^|\s)(cc|gcc|g\+\+|clang|cargo|rustc|cmake|ninja): command not found"
)


class BuildFailed(Exception):
    """A project cannot be built; says why."""


class BuildTools(NamedTuple):
    """What a build uses."""

    install: Callable[[Sequence[str]], bool]
    """Installs packages by name; says whether it could."""
    tell: Callable[[str], object]
    """Prints a line of progress."""
    isolated: bool = True
    """Whether what the build needs is installed first."""


class Backend(NamedTuple):
    """The build backend of a project."""

    folder: Path
    name: str
    requires: list[str]
    paths: list[str]

    def call(self, hook: str, *args: object) -> Any:
        """Call a hook in a process of its own; None if the backend does not have it."""
        with tempfile.TemporaryDirectory(prefix="pip-build-") as folder:
            request, answer = Path(folder, "request"), Path(folder, "answer")
            wanted = {"backend": self.name, "paths": self.paths, "hook": hook, "args": args}
            request.write_text(json.dumps(wanted), "utf-8")
            command = [_PYTHON, "-m", HOOK, str(request), str(answer)]
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            found = json.loads(answer.read_text("utf-8")) if answer.is_file() else {}
        if "value" not in found:
            raise BuildFailed(self._explain(found.get("error", f"it ended with status {done.returncode}"), done.stdout))
        return found["value"]

    def _explain(self, error: str, output: str) -> str:
        if found := _COMPILER.search(output):
            return f"it needs a compiler ({found[1] or found[2] or found[3]}), which a sandbox does not have"
        lines = output.rstrip().splitlines()[-_TAIL:]
        return "\n".join([f"{self.name} failed: {error}", *(f"  {line}" for line in lines)])


def is_project(folder: Path) -> bool:
    """Whether a folder has a project."""
    return any((folder / name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg"))


def build_wheel(folder: Path, target: Path, tools: BuildTools, *, editable: bool = False) -> Path:
    """Build the wheel of a project; what the build needs is installed first."""
    backend = open_backend(folder, tools)
    kind = "editable" if editable else "wheel"
    _install_more(backend, kind, tools)
    label = "Building editable" if editable else "Building wheel"
    tools.tell(f"  {label} for {folder.name} (pyproject.toml): started")
    name = backend.call(f"build_{kind}", str(target), {})
    if name is None:
        raise BuildFailed(f"{backend.name} cannot build what can be edited: install without -e")
    tools.tell(f"  {label} for {folder.name} (pyproject.toml): finished with status 'done'")
    return _built_file(backend, target, name)


def build_sdist(folder: Path, target: Path, tools: BuildTools) -> Path:
    """Build the source archive of a project."""
    backend = open_backend(folder, tools)
    _install_more(backend, "sdist", tools)
    return _built_file(backend, target, backend.call("build_sdist", str(target), {}))


def open_backend(folder: Path, tools: BuildTools) -> Backend:
    """The backend of a project, with what it needs."""
    if not is_project(folder):
        raise BuildFailed("neither 'setup.py' nor 'pyproject.toml' found: it is no Python project")
    backend = _read_backend(folder)
    if tools.isolated:
        _install_needed(backend.requires, tools)
    return backend


def _read_backend(folder: Path) -> Backend:
    import tomllib  # Rarely needed, and large.

    path = folder / "pyproject.toml"
    try:
        settings = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildFailed(f"{path} cannot be read: {error}") from None
    system = settings.get("build-system", {})
    requires = list(system.get("requires", SETUPTOOLS[1]))
    backend = Backend(folder, system.get("build-backend", SETUPTOOLS[0]), requires, _read_paths(folder, system))
    for module in (backend.name, *(_module(each) for each in requires)):
        if needed := COMPILED.get(re.split(r"[.:]", module)[0]):
            raise BuildFailed(f"it needs {needed}, which a sandbox does not have")
    return backend


def _read_paths(folder: Path, system: dict[str, Any]) -> list[str]:
    paths = [(folder / each).resolve() for each in system.get("backend-path", [])]
    if any(not path.is_relative_to(folder.resolve()) for path in paths):
        raise BuildFailed("its backend-path leads out of the project")
    return [str(path) for path in paths]


def _module(requirement: str) -> str:
    """The name that the module of a requirement would have."""
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0].lower().replace("-", "_")


def _install_more(backend: Backend, kind: str, tools: BuildTools) -> None:
    if tools.isolated:
        _install_needed(backend.call(f"get_requires_for_build_{kind}", {}) or [], tools)


def _install_needed(names: Sequence[str], tools: BuildTools) -> None:
    if not names:
        return
    tools.tell("  Installing build dependencies: started")
    if not tools.install(names):
        raise BuildFailed(f"what the build needs could not be installed: {', '.join(names)}")
    tools.tell("  Installing build dependencies: finished with status 'done'")


def _built_file(backend: Backend, target: Path, name: object) -> Path:
    path = target / str(name)
    if not path.is_file():
        raise BuildFailed(f"{backend.name} said that it has built {name}, but there is no such file")
    return path
