"""How a process ended, in one line: its exit code or signal, and its last output."""

import signal

WORDS = 200
"""Characters of its last output that are quoted; all of it is in the log."""

_IDLE = ("note: ", "Caused by:", "View stack trace", "https://", "at ")
"""Starts of lines that say less than the line before them."""


def describe_end(code: int | None, stderr: bytes) -> str:
    """Such as " with code 3; its last words: out of memory"; empty if nothing is known."""
    words = pick_stderr_line(stderr)
    return _describe_code(code) + (f"; its last words: {words}" if words else "")


def pick_stderr_line(stderr: bytes) -> str:
    """The line that most likely gives the reason: the first one marked as an error, otherwise the last one."""
    lines = [one_line(line) for line in stderr.decode(errors="replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith(_IDLE)]
    errors = [line for line in lines if line.lower().startswith(("error", "fatal", "# fatal"))]
    return [*errors, *lines[-1:], ""][0]


def one_line(text: str, length: int = WORDS) -> str:
    """Any text as one short line, without control characters."""
    text = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return text if len(text) <= length else f"{text[:length]}..."


def _describe_code(code: int | None) -> str:
    if code is None:
        return ""
    # Shells and bubblewrap report a signal as 128 plus its number.
    number = -code if code < 0 else code - 128 if code > 128 else 0
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f" with code {code}"
    return f" by {name}" + (": the machine may be out of memory" if number == signal.SIGKILL else "")
