"""A movable window on one file."""

import os

LINES = 100
"""Lines shown at once."""


class Window:
    """What is looked at."""

    def __init__(self) -> None:
        self.path: str | None = None
        self.line = 1
        self.lines = LINES


window = Window()


def open_file(path: str, line_number: int = 1, context_lines: int = LINES) -> None:
    """Open a file and show the lines around one of them."""
    if not os.path.isfile(path):
        print(f"ERROR: there is no file {path}. Find it with find_file().")
        return
    window.path, window.lines = os.path.abspath(path), max(1, context_lines)
    goto_line(line_number)


def scroll_down() -> None:
    """Show the lines that follow."""
    goto_line(window.line + window.lines)


def scroll_up() -> None:
    """Show the lines before."""
    goto_line(window.line - window.lines)


def goto_line(line_number: int) -> None:
    """Show the lines around another line of the open file."""
    if window.path is None:
        print("ERROR: no file is open. Open one with open_file().")
        return
    try:
        with open(window.path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError as error:
        print(f"ERROR: {window.path} cannot be read: {error.strerror}.")
        return
    if not lines[-1]:
        lines.pop()
    total = len(lines)
    window.line = min(max(line_number, 1), max(total, 1))
    if window.line != line_number:
        print(f"(there is no line {line_number}: the file has {total})")
    first = max(1, min(window.line - window.lines // 2, total - window.lines + 1))
    last = min(total, first + window.lines - 1)
    print(f"[File: {window.path} ({total} lines in all)]")
    print(f"({first - 1} more lines above)" if first > 1 else "(this is the beginning of the file)")
    for number in range(first, last + 1):
        print(f"{number}|{lines[number - 1]}")
    print(f"({total - last} more lines below)" if last < total else "(this is the end of the file)")
