"""Reads the header of a script that names its packages (PEP 723)."""

import tomllib
from collections.abc import Iterator

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from cloche.errors import ConfigError
from cloche.sandbox.packages.requirements import is_file, parse_requirement

BEGIN = "# /// script"
END = "# ///"


class ScriptHeader(msgspec.Struct, frozen=True, rename="kebab"):
    """The parts of a header that matter here."""

    dependencies: list[str] = []
    requires_python: str = ""


def read_header(code: str, python: str, label: str) -> list[str]:
    """The dependencies in a script's header; ConfigError if it needs another Python, or names an address.

    A script need not be trusted: it gets packages by name, and no address is opened for it.
    """
    found = list(_find_headers(code.replace("\r\n", "\n").split("\n")))
    if not found:
        return []
    if len(found) > 1:
        raise ConfigError(f"{label} has more than one '{BEGIN}' header: leave one.")
    try:
        header = msgspec.convert(tomllib.loads(found[0]), ScriptHeader)
        fits = SpecifierSet(header.requires_python).contains(python, prereleases=True)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, InvalidSpecifier, RecursionError) as error:
        raise ConfigError(f"The '{BEGIN}' header of {label} cannot be read: {error}.") from None
    if not fits:
        raise ConfigError(f"{label} needs Python {header.requires_python}, and the sandbox has {python}.")
    for each in header.dependencies:
        if is_file(each) or parse_requirement(each).url:
            raise ConfigError(
                f"The header of {label} asks for {each[:200]!r}: a script gets packages by name only. If you trust it, "
                "give the address or the file with --with."
            )
    return header.dependencies


def _find_headers(lines: list[str]) -> Iterator[str]:
    """The text of each header: comments up to the last end marker; every line is read once."""
    start: int | None = None
    end = 0
    for number, line in enumerate([*lines, ""]):
        if start is None:
            start, end = (number + 1, 0) if line == BEGIN else (None, 0)
        elif line == END:
            end = number
        elif line != "#" and not line.startswith("# "):
            if end:
                yield "\n".join(each[2:] for each in lines[start:end])
            start = None
