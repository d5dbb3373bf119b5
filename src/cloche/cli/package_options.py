"""The packages that a command line asks for."""

from pathlib import Path

from cloche.cli.running.code_source import CodeSource
from cloche.cli.options import RunSettings

PYTHON = ("python", "bash")
"""Languages that `--with` gives Python's packages."""

HEADER = "# /// script"
"""How the header of a script begins."""


def find_packages(settings: RunSettings, language: str, source: CodeSource | None) -> list[str | Path]:
    """What the options and the header of the script name for Python; ConfigError if it is for another one."""
    named = settings.packages if language in PYTHON else ()
    found: list[str | Path] = [Path(each) if each.endswith(".whl") and "://" not in each else each for each in named]
    found += map(Path, settings.requirements)
    if source is not None and source.language == "python" and HEADER in source.code:
        from cloche.sandbox.packages.pyodide_lock import load_lock
        from cloche.sandbox.packages.script_header import read_header

        found += read_header(source.code, load_lock().target.python, source.file or "the code")
    return found


def find_others(settings: RunSettings, language: str) -> tuple[str, ...]:
    """What the options name for another language than Python."""
    return () if language in PYTHON else settings.packages
