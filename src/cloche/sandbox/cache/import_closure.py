"""The files that a module of the engine is made of: itself, what it imports, and what it reads beside itself."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# Each begins with a fixed text, which Python finds fast: sandboxes wait for this.
_IMPORT = re.compile(r"""\n(?:import|export)\s(?!type\b)(?:[^;"']*?\bfrom\s*)?["'](\.{1,2}/[^"']+)["']""")
_LATER = re.compile(r"""import\(\s*["'](\.{1,2}/[^"']+)["']\s*\)""")
_BESIDE = re.compile(r"""new URL\(\s*["'](\.{1,2}/[^"']*)["'],\s*import\.meta\.url\)""")


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
    text, folder = f"\n{path.read_text()}", str(path.parent)
    for pattern in (_IMPORT, _LATER, _BESIDE):
        for name in pattern.findall(text):
            # No links among the engine's files: asking the system for each would take most of the time.
            target = Path(os.path.normpath(f"{folder}/{name}"))
            if not target.suffix and target.is_dir():
                yield from (each for each in target.rglob("*") if each.is_file() and each.suffix != ".pyc")
            else:
                yield target
