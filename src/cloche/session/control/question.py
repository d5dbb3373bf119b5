"""What a user is asked before an action runs."""


class Question:
    """One question at a time; whatever the user says but yes is a no."""

    def __init__(self) -> None:
        self.is_open = False
        self.answer: bool | None = None
        """None as long as nobody has answered."""

    def ask(self) -> None:
        """Begin to wait for an answer."""
        self.is_open, self.answer = True, None

    def give(self, answer: bool) -> None:
        """Answer it; nothing happens if nothing was asked."""
        if self.is_open:
            self.is_open, self.answer = False, answer

    def end(self) -> bool | None:
        """Wait no longer; returns the answer."""
        self.is_open = False
        return self.answer
