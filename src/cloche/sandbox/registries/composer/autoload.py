"""How PHP finds classes: collects the declarations of packages into one list with the guest's paths."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from cloche.sandbox.packages.package import Package

ROOT = "/opt/languages/"

_STRINGS = re.compile(r"/\*.*?\*/|(?://|#(?!\[))[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_NAMESPACE = re.compile(r"^\s*(?:<\?php\s+)?namespace\s+([\w\\]+)\s*[;{]", re.MULTILINE)
_CLASS = re.compile(
    r"(?:^|[;{}\s])(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+([A-Za-z_\x80-\uffff][\w\x80-\uffff]*)"
)


class Autoload(msgspec.Struct, frozen=True):
    """The declarations of one package; paths are relative to it."""

    psr4: dict[str, list[str]]
    psr0: dict[str, list[str]]
    classmap: list[str]
    files: list[str]

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Autoload":
        """Read the `autoload` of a package, which its author wrote."""
        return cls(
            _read_prefixes(given.get("psr-4")),
            _read_prefixes(given.get("psr-0")),
            _read_paths(given.get("classmap")),
            _read_paths(given.get("files")),
        )

    def scans(self, name: str) -> bool:
        """Whether a file may contain classes that must be searched for."""
        return any(
            each in ("", ".") or name == each or name.startswith(each.rstrip("/") + "/") for each in self.classmap
        )

    def described(self, found: Mapping[str, str]) -> dict[str, Any]:
        """What is stored with the package."""
        return {"psr-4": self.psr4, "psr-0": self.psr0, "classmap": dict(found), "files": self.files}


def _read_paths(value: Any) -> list[str]:
    listed = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [_clean_path(each) for each in listed if isinstance(each, str) and ".." not in each.split("/")]


def _read_prefixes(value: Any) -> dict[str, list[str]]:
    given = cast("dict[Any, Any]", value) if isinstance(value, dict) else {}
    return {prefix: _read_paths(paths) for prefix, paths in given.items() if isinstance(prefix, str)}


def _clean_path(path: str) -> str:
    return path.removeprefix("./").lstrip("/")


def find_classes(code: str) -> list[str]:
    """The classes, interfaces, traits and enums that a PHP file defines."""
    bare = _STRINGS.sub(" ", code)
    found: list[str] = []
    spaces = [(each.end(), each[1]) for each in _NAMESPACE.finditer(bare)]
    for each in _CLASS.finditer(bare):
        space = next((name for end, name in reversed(spaces) if end <= each.start(1)), "")
        found.append(f"{space}\\{each[1]}" if space else each[1])
    return found


def merge_autoload(packages: Sequence[Package], described: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One list for all packages; files come after those of the packages that they need."""
    psr4: dict[str, list[str]] = {}
    psr0: dict[str, list[str]] = {}
    classmap: dict[str, str] = {}
    files: list[str] = []
    for package in _sort_packages(packages):
        root, about = f"{ROOT}{package.at}/", described[package.name]
        for key, target in (("psr-4", psr4), ("psr-0", psr0)):
            for prefix, folders in about[key].items():
                places = [root + (f"{each.rstrip('/')}/" if each else "") for each in folders]
                target[prefix] = [*target.get(prefix, []), *places]
        classmap |= {name: root + path for name, path in about["classmap"].items()}
        files += [root + each for each in about["files"]]
    return {"psr-4": psr4, "psr-0": psr0, "classmap": classmap, "files": files}


def _sort_packages(packages: Sequence[Package]) -> list[Package]:
    known = {each.name: each for each in packages}
    done: dict[str, Package] = {}
    waiting = [(each, False) for each in reversed(packages)]
    seen: set[str] = set()
    while waiting:
        package, ready = waiting.pop()
        if ready:
            done.setdefault(package.name, package)
        elif package.name not in seen:
            seen.add(package.name)
            waiting.append((package, True))
            needed = [known.get(each.partition(":")[0]) for each in package.requires]
            waiting += [(each, False) for each in reversed(needed) if each is not None]
    return list(done.values())
