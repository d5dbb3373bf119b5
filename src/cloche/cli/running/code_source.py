"""What a command should run: the code, its language, its arguments."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click


class CodeSource(NamedTuple):
    """Code, and where it is from."""

    language: str
    code: str
    file: str | None = None
    """The file that it was read from."""
    args: tuple[str, ...] = ()
    reads_stdin: bool = True
    """Whether standard input is input for the program, not the program itself."""


def find_source(code: str | None, words: Sequence[str], language: str | None) -> CodeSource:
    """Read the code that the arguments of `cloche run` name."""
    if code is not None:
        return CodeSource(language or "python", code, args=tuple(words))
    if not words and (not sys.stdin or sys.stdin.isatty()):
        raise click.UsageError("Give -c CODE or a FILE (- for standard input).")
    file, *args = words or ("-",)
    if file == "-":
        return CodeSource(
            language or "python", _decode_code(_read_stdin(), "standard input"), args=tuple(args), reads_stdin=False
        )
    text = _read_code(file)
    return CodeSource(language or _guess_language(Path(file), text), text, file, tuple(args))


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


def _read_code(file: str) -> str:
    try:
        return _decode_code(Path(file).read_bytes(), file)
    except IsADirectoryError:
        raise click.UsageError(f"{file} is a folder: give a file, or use it as the workspace with -w {file}.") from None
    except OSError as error:
        raise click.UsageError(f"Cannot read {file}: {error.strerror}.") from None


def _decode_code(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"Cannot read {file}: byte {error.start + 1} is not UTF-8.") from None


def _guess_language(path: Path, text: str) -> str:
    """The language of a file: by its ending, else by the program in its first line."""
    from cloche.sandbox.languages import languages

    known = languages().values()
    if found := next((each.name for each in known if path.suffix[1:] in each.extensions), None):
        return found
    first = text.partition("\n")[0].split()
    if not first or not first[0].startswith("#!"):
        return "python"
    program = Path(first[-1]).name
    if program.endswith("sh"):
        return "bash"
    return next((each.name for each in known if program in each.commands), "python")
