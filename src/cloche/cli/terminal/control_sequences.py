"""Filters control sequences in the output of code: only those that colour, move and erase reach a terminal.

A terminal answers some sequences as if the user had typed the answer, and others set its title, its clipboard or its
modes. Code in the sandbox must not use these.
"""

import re

_LONGEST = 256
"""The most characters of a sequence; a longer one is dropped without waiting for its end."""

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-OQ-WYZ\\`-~])")
_KEPT = re.compile(r"\x1b\[(?:[0-9;:]*m|[0-9;]*[A-HJKf]|\?25[hl])")
_STRING = re.compile(r"\x1b[\]PX^_]")
_STRING_END = re.compile(r"\x07|\x1b\\|\x18|\x1a")
_CONTROLS = re.compile(r"[\x00-\x06\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class ControlFilter:
    """Takes text in pieces of any size and returns what may reach a terminal."""

    def __init__(self) -> None:
        self._held = ""
        self._in_string = False

    def feed(self, text: str) -> str:
        """Filter the next piece; a sequence that is cut off is held until its end arrives."""
        if not self._held and not self._in_string and "\x1b" not in text:
            return _CONTROLS.sub("", text)
        text, self._held = self._held + text, ""
        kept: list[str] = []
        while text:
            plain, text = self._split(text)
            kept.append(_CONTROLS.sub("", plain))
            if text:
                sequence, text = self._take(text)
                kept.append(sequence)
        return "".join(kept)

    def end(self) -> None:
        """Drop what is held: the next piece is from another program."""
        self._held, self._in_string = "", False

    def _split(self, text: str) -> tuple[str, str]:
        """The text before the next sequence, and the rest."""
        if self._in_string:
            found = _STRING_END.search(text)
            if found is None:
                self._held = "\x1b" if text.endswith("\x1b") else ""
                return "", ""
            self._in_string = False
            text = text[found.end() :]
        at = text.find("\x1b")
        return (text, "") if at < 0 else (text[:at], text[at:])

    def _take(self, text: str) -> tuple[str, str]:
        """The sequence at the start of the text, empty if it must be dropped, and the rest."""
        if _STRING.match(text):
            self._in_string = True
            return "", text[2:]
        found = _SEQUENCE.match(text)
        if found is not None:
            return (found[0] if _KEPT.fullmatch(found[0]) else ""), text[found.end() :]
        if len(text) < _LONGEST and re.fullmatch(r"\x1b(\[[0-?]*)?[ -/]*", text):
            self._held = text
            return "", ""
        return "", text[1:]


def strip_control(text: str) -> str:
    """The text without any control sequence."""
    return re.sub(r"\x1b\[[0-9;:?]*[a-zA-Z]", "", ControlFilter().feed(text))
