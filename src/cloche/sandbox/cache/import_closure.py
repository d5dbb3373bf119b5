"""The files that a module of the engine is made of: itself, what it imports, and what it reads beside itself."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_IMPORT = re.compile(r"""^(?:import|export)\s(?!type\b)(?:[^;"']*?\bfrom\s*)?["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)
_LATER = re.compile(r"""\bimport\(\s*["'](\.{1,2}/[^"']+)["']\s*\)""")
_BESIDE = re.compile(r"""\bnew URL\(\s*["'](\.{1,2}/[^"']*)["'],\s*import\.meta\.url\)""")


def imported_files(entries: Iterable[Path]) -> list[Path]:
    """All of these files, sorted; of a folder that a module names, all files below it. Imported types do not count."""
    found: set[Path] = set()
    waiting = [entry.resolve() for entry in entries]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.suffix == ".ts":
            waiting.extend(_named_in(path))
    return sorted(found)


def _named_in(path: Path) -> Iterator[Path]:
    text = path.read_text()
    for pattern in (_IMPORT, _LATER, _BESIDE):
        for name in pattern.findall(text):
            target = (path.parent / name).resolve()
            if target.is_dir():
                yield from (each for each in target.rglob("*") if each.is_file() and each.suffix != ".pyc")
            else:
                yield target
