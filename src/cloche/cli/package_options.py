"""The packages that a command line asks for."""

from pathlib import Path

from cloche.cli.options import RunSettings
from cloche.cli.running.code_source import CodeSource

PYTHON = ("python", "bash")
"""Languages for which `--with` means Python's packages."""

HEADER = "# /// script"
"""How the header of a script starts."""


def find_packages(settings: RunSettings, language: str, source: CodeSource | None) -> list[str | Path]:
    """The Python packages of the options and of the script's header; ConfigError if the header needs another Python."""
    named = _list_packages(settings) if language in PYTHON else ()
    found: list[str | Path] = [Path(each) if each.endswith(".whl") and "://" not in each else each for each in named]
    found += map(Path, settings.requirements)
    if source is not None and source.language == "python" and HEADER in source.code:
        from cloche.sandbox.packages.pyodide_lock import load_lock
        from cloche.sandbox.packages.script_header import read_header

        found += read_header(source.code, load_lock().target.python, source.file or "the code")
    return found


def find_others(settings: RunSettings, language: str) -> tuple[str, ...]:
    """The packages of the options for a language other than Python."""
    return () if language in PYTHON else _list_packages(settings)


def _list_packages(settings: RunSettings) -> tuple[str, ...]:
    return tuple(map(str, settings.options.get("packages", ())))
