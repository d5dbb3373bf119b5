"""Passes on what actions print while they run, with the secrets of the session masked."""

from collections.abc import Callable

from cloche.events import EventStream, Masker

OnLiveOutput = Callable[[int, str, str], None]
"""Takes the id of the action, `stdout` or `stderr`, and a piece of output. It is not stored: the observation is."""


class MaskedOutput:
    """The output of one action; text that may be the beginning of a secret waits for the next piece."""

    def __init__(self, stream: EventStream, action: int, receiver: OnLiveOutput) -> None:
        self._stream = stream
        self._action = action
        self._receiver = receiver
        self._maskers: dict[str, Masker] = {}

    def __call__(self, name: str, text: str) -> None:
        """Pass on a piece."""
        if name not in self._maskers:
            self._maskers[name] = self._stream.masker()
        self._give(name, self._maskers[name].feed(text))

    def flush(self) -> None:
        """Pass on the rest, at the end of the action."""
        for name, masker in self._maskers.items():
            self._give(name, masker.flush())

    def _give(self, name: str, text: str) -> None:
        if text:
            self._receiver(self._action, name, text)
