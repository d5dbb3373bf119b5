"""Cells of IPython: their commands and magics, and the Python around them."""

import re

from msgspec import Struct

from cloche.security.facts.spelling import split_words

_SHELL_CELL = re.compile(r"\s*%%(?:bash|sh|script\s+(?:--\S+\s+)*(?:/\S*/)?(?:bash|sh)|system|sx|!)[^\n]*\n", re.ASCII)
_CODE_CELL = re.compile(r"\s*%%(?:script\s+(?:--\S+\s+)*)?(\w+)[^\n]*\n", re.ASCII)
_COMMAND = re.compile(
    r"^(?P<indent>[ \t]*)(?P<target>[\w.,\[\]'\" ]*=[ \t]*)?(?P<mark>!!?|%s[xc] |%system )(?P<text>[^\n]*)$"
)
_MAGIC = re.compile(r"^(?P<indent>[ \t]*)(?P<target>[\w., ]*=[ \t]*)?%(?P<name>\w+)(?P<rest>[^\n]*)$")
_HELP = re.compile(r"^\s*\?{0,2}[\w.*]+\?{1,2}\s*$|^\s*\?{1,2}[\w.*]+\s*$")
_SHELLED = split_words("pip conda mamba ls cat cp mv rm mkdir rmdir cd man less more env")
"""Magics that are commands of the shell by another name."""
_TIMED = split_words("time timeit prun capture memit lprun")
_LANGUAGES = split_words("javascript js typescript ts ruby perl php lua r scheme sql node")
_FOREIGN = split_words("html svg latex markdown writefile file script")


class Cell(Struct, frozen=True):
    """What is in a cell."""

    python: str
    """The Python, with `pass` where something else was."""
    commands: tuple[str, ...] = ()
    """Lines for the shell."""
    code: tuple[tuple[str, str], ...] = ()
    """Other languages, and code in them."""
    written: str | None = None
    """The file that `%%writefile` writes."""


def split_cell(text: str) -> Cell:
    """Separate what a cell gives to the shell from its Python."""
    if "%" not in text and "!" not in text and "?" not in text:
        return Cell(text)
    if match := _SHELL_CELL.match(text):
        return Cell("", (text[match.end() :],))
    if match := _CODE_CELL.match(text):
        return _split_magic_cell(match[1], match[0], text[match.end() :])
    commands: list[str] = []
    python = [_split_line(line, commands) for line in _join_commands(text)]
    return Cell("\n".join(python), tuple(commands))


def _split_magic_cell(name: str, head: str, body: str) -> Cell:
    if name in _TIMED:
        inner = split_cell(body)
        return Cell(inner.python, inner.commands)
    if name in _LANGUAGES:
        return Cell("", code=((name, body),))
    if name in ("writefile", "file"):
        return Cell("", written=(head.split() or [""])[-1])
    return Cell("") if name in _FOREIGN else split_cell(body)


def _join_commands(text: str) -> list[str]:
    """The lines; a command that ends with a backslash goes on in the next one."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and lines[-1].endswith("\\") and _COMMAND.match(lines[-1]):
            lines[-1] = f"{lines[-1][:-1]} {line.strip()}"
        else:
            lines.append(line)
    return lines


def _split_line(line: str, commands: list[str]) -> str:
    """The line as Python; what the shell gets is added to `commands`."""
    if match := _COMMAND.match(line):
        commands.append(_insert_variables(match["text"]))
        return f"{match['indent']}{match['target'] or ''}None"
    if match := _MAGIC.match(line):
        if match["name"] in _SHELLED:
            commands.append(_insert_variables(f"{match['name']}{match['rest']}"))
        if match["name"] in _TIMED:
            return f"{match['indent']}{match['rest'].strip() or 'None'}"
        return f"{match['indent']}{match['target'] or ''}None"
    return "" if _HELP.match(line) else line


def _insert_variables(command: str) -> str:
    """`{name}` is Python's: for the shell, it is a variable."""
    return re.sub(r"(?<![\\$])\{[\w.()\[\]'\"]+\}", '"$_"', command)
