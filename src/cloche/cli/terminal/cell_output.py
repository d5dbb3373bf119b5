"""Shows values, displays and errors of a cell on a terminal."""

from typing import Any

from cloche.cli.result_output import print_message
from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.screen import Screen
from cloche.cli.terminal.shown_images import ShownImages
from cloche.sandbox.results.outcome import Display
from cloche.sandbox.results.result import Result

_TEXTS = ("text/plain", "text/markdown", "text/latex")


def show_display(screen: Screen, images: ShownImages, display: Display) -> None:
    """Show a display while the cell runs; the cell's value is shown at its end, only its image is saved here."""
    note = _describe_unshown(images, display.data)
    text = _pick_text(display.data) if display.kind != "result" else ""
    if line := _join_note(strip_control(text) if screen.terminal else text, note and screen.paint(note, "2")):
        screen.show(line)


def show_end(screen: Screen, result: Result, heading: str, timeout: float) -> None:
    """Show the value of a cell, or why it failed."""
    if result.value is not None:
        value = strip_control(result.value) if screen.terminal else result.value
        screen.show(screen.paint(heading, "31") + ("\n" if "\n" in value else "") + value)
    if result.error is not None:
        screen.fresh_line()
        text = result.error.traceback.rstrip() or f"{result.error.type}: {result.error.message}"
        screen.write("stderr", _highlight_traceback(text, screen) + "\n")
    elif result.language == "python" and result.exit_code:
        screen.fresh_line()
        print_message(f"the cell ended with exit code {result.exit_code}; `exit` or Ctrl-D leaves")
    if result.timed_out:
        print_message(f"stopped after {timeout:g} s (--timeout)")
    if result.state == "lost":
        print_message("the interpreter had to be replaced: its variables are gone, files are kept")


def _describe_unshown(images: ShownImages, data: dict[str, Any]) -> str:
    """The note for a display that a terminal cannot show."""
    saved = images.save(data)
    if saved is not None:
        return f"[{saved}]"
    shown = [name for name in data if name.startswith("text/") and name != "text/html"]
    if "text/html" in data and (not shown or _is_bare(data)):
        return f"[HTML of {len(str(data['text/html']))} characters, not shown]"
    return "" if shown else f"[{', '.join(map(str, data))}, not shown]"


def _pick_text(data: dict[str, Any]) -> str:
    return "" if _is_bare(data) else next((str(data[name]) for name in _TEXTS if name in data), "")


def _is_bare(data: dict[str, Any]) -> bool:
    """Whether the text only names the type of an object."""
    text = str(data.get("text/plain", ""))
    return text.startswith("<IPython.core.display.") and text.endswith(" object>")


def _join_note(text: str, note: str) -> str:
    between = "\n" if "\n" in text else " "
    return between.join(part for part in (text, note) if part)


def _highlight_traceback(traceback: str, screen: Screen) -> str:
    if not screen.colours:
        return traceback
    from pygments import highlight
    from pygments.formatters import TerminalFormatter
    from pygments.lexers.python import PythonTracebackLexer

    formatter: TerminalFormatter[str] = TerminalFormatter()
    return highlight(strip_control(traceback), PythonTracebackLexer(stripnl=False), formatter).rstrip()
