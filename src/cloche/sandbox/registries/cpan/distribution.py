"""Inspects a CPAN distribution: its modules, their requirements, and whether they must be compiled."""

import re
from pathlib import Path, PurePosixPath
from typing import Any, cast

import msgspec

from cloche.limits import MB
from cloche.sandbox.registries.archive_reader import is_zip, open_tar, open_zip, read_small, remove_top

ABOUT_LIMIT = 8 * MB
ABOUT = ("META.json", "META.yml", "Makefile.PL", "Build.PL")
PURE = re.compile(r"PUREPERL_ONLY|pureperl_only|allow_pureperl|PERL_ONLY|--pp\b", re.IGNORECASE)
"""Words of a distribution that works without its C code."""

_REQUIRES = re.compile(r"^requires:\s*\n((?:[ \t]+.*\n?)*)", re.MULTILINE)
_LINE = re.compile(r"^\s+['\"]?([\w:]+)['\"]?\s*:", re.MULTILINE)


class CpanDistribution(msgspec.Struct):
    """The contents of a distribution."""

    modules: dict[str, bytes] = {}
    requires: list[str] = []
    native: str = ""
    """A file that must be compiled, if the distribution needs it."""


def read_dist(archive: Path, name: str, label: str) -> CpanDistribution:
    """Read a distribution; blocks."""
    modules: dict[str, bytes] = {}
    loose: dict[str, bytes] = {}
    about: dict[str, str] = {}
    native = ""
    with (open_zip if is_zip(archive) else open_tar)(archive, label) as entries:
        for path, contents in entries:
            inner = remove_top(path)
            if inner in ABOUT:
                about[inner] = read_small(contents, ABOUT_LIMIT, f"{label}: {inner}").decode(errors="replace")
            elif inner.startswith("lib/") and not inner.endswith((".pod", ".xs", ".c")):
                modules[inner.removeprefix("lib/")] = contents.read()
            elif inner.endswith(".pm") and "/" not in inner:
                loose[inner] = contents.read()
            if inner.endswith((".xs", ".c", ".xs.inc")) and not inner.startswith(("t/", "examples/", "eg/", "inc/")):
                native = native or inner
    pure = any(PURE.search(about.get(each, "")) for each in ("Makefile.PL", "Build.PL", "META.json"))
    found = modules or {_place_module(file, name): data for file, data in loose.items()}
    return CpanDistribution(found, _read_requires(about), "" if pure else native)


def _place_module(file: str, dist: str) -> str:
    """Where a module at the top belongs: beside those that its distribution is named after."""
    parts = dist.split("-")
    folder = PurePosixPath(*parts[:-1]) if len(parts) > 1 else PurePosixPath()
    return str(folder / file)


def _read_requires(about: dict[str, str]) -> list[str]:
    """The modules that are needed at run time, according to its metadata."""
    if text := about.get("META.json"):
        try:
            known: Any = msgspec.json.decode(text)
            wanted = known["prereqs"]["runtime"]["requires"]
            return [str(each) for each in cast("dict[str, Any]", wanted)] if isinstance(wanted, dict) else []
        except (msgspec.DecodeError, KeyError, TypeError):
            return []
    found = _REQUIRES.search(about.get("META.yml", "") + "\n")
    return _LINE.findall(found[1]) if found else []
