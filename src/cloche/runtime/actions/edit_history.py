"""Earlier contents of edited files, within a memory limit."""

STEPS = 10
"""How many edits of one file can be undone."""
MOST = 64 << 20
"""The most characters of all that is kept."""
EDITS = 1000
"""How many edits of all files can be undone."""


class EditHistory:
    """The earlier contents of files, None for a file that did not exist."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, str | None]] = []

    def __contains__(self, path: str) -> bool:
        return any(each == path for each, _ in self._kept)

    def last(self, path: str) -> str | None:
        """The contents of the file before its last edit."""
        return self._kept[self._places(path)[-1]][1]

    def remember(self, path: str, content: str | None) -> None:
        """Keep the contents of the file; the oldest are dropped."""
        self._kept.append((path, content))
        places = self._places(path)
        if len(places) > STEPS:
            del self._kept[places[0]]
        size = sum(len(each or "") for _, each in self._kept)
        while (size > MOST and len(self._kept) > 1) or len(self._kept) > EDITS:
            size -= len(self._kept.pop(0)[1] or "")

    def forget_last(self, path: str) -> None:
        """Its last edit was undone."""
        del self._kept[self._places(path)[-1]]

    def _places(self, path: str) -> list[int]:
        return [place for place, (each, _) in enumerate(self._kept) if each == path]
