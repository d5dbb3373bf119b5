"""What is collected while one action is read, and how much of that is allowed."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from cloche.security.facts.fact import Access, Command, Fact, shorten
from cloche.security.facts.operands import Argument, Host, find_socket
from cloche.security.facts.places import Place, Surroundings
from cloche.security.facts.shell_state import ShellState
from cloche.security.facts.words import Word

FACTS = 4000
"""The most facts of one action."""
NODES = 40_000
"""The most nodes of syntax trees."""
DEPTH = 40
"""How deep texts, calls and commands may nest."""


class OutOfBudget(Exception):
    """An action has more in it than is read."""


class Stream(Struct, frozen=True):
    """What a command reads from its standard input or prints, as far as that is known."""

    text: str | None = None
    guess: str | None = None
    """The text before something in it is expanded."""
    origin: str = ""
    """`network`, `decoded`, `computed`, `pipe` or `file`; empty for nothing and for a text that is known."""

    @property
    def likely(self) -> str | None:
        """The text, else the guess."""
        return self.guess if self.text is None else self.text


NOTHING = Stream()
PIPE = Stream(origin="pipe")


class At(Struct, frozen=True, kw_only=True):
    """Where in an action something stands."""

    place: Place
    via: tuple[str, ...] = ()
    stdin: Stream = NOTHING


class Run(Struct, frozen=True):
    """A simple command where it stands."""

    words: Sequence[Word]
    arguments: Sequence[Argument]
    at: At
    source: str


TextReader = Callable[[str, "Reading", At, ShellState | None], Place]
"""Reads a text as bash."""


class Reading:
    """The facts of one action."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.facts: list[Fact] = []
        self.origins: dict[str, str] = {}
        """Of files that were written with what came over the network, or was decoded: which of the two."""
        self.written: dict[str, str] = {}
        """The texts of files that were written with a literal."""
        self._nodes = 0
        self.depth = 0

    def start(self) -> At:
        """Where an action begins."""
        return At(place=Place(frozenset({self.surroundings.cwd})))

    def count(self, nodes: int = 1) -> None:
        """Use some of the budget; raises OutOfBudget."""
        self._nodes += nodes
        if self._nodes > NODES:
            raise OutOfBudget

    def note_origin(self, paths: Iterable[str | None], origin: str) -> None:
        """Remember where the content of a file has come from."""
        self.origins.update((path, origin) for path in paths if path is not None)

    def find_origin(self, paths: Iterable[str | None]) -> str:
        """Where the content of one of these files has come from; empty if that is not known."""
        found = {self.origins.get(path or "", "") for path in paths}
        return "network" if "network" in found else "decoded" if "decoded" in found else ""

    def add(self, fact: Fact) -> None:
        """Add a fact; raises OutOfBudget."""
        if len(self.facts) >= FACTS:
            raise OutOfBudget
        self.facts.append(fact)

    def add_construct(self, name: str, source: str, note: str = "", *, language: str = "bash") -> None:
        """Add something about the text itself."""
        self.add(Fact(kind="construct", value=name, excerpt=shorten(source), note=note, language=language))

    def add_code(self, origin: str, source: str, *, command: Command | None = None, language: str = "bash") -> None:
        """Code is executed that comes from elsewhere."""
        fact = Fact(kind="code", value=origin, excerpt=shorten(source), command=command, language=language)
        self.add(fact)

    def add_file(
        self, word: Word, access: Access, place: Place, source: str, *, command: Command | None = None
    ) -> None:
        """A file is used: one fact for each path that the word may mean."""
        text = word.likely
        if text is not None and (socket := find_socket(text)):
            if command is None:
                self.add_construct("network_redirect", source)
            return self.add_host(socket, source, command=command)
        if text is None and "/" in word.prefix:
            text = f"{word.prefix}**"
        paths = frozenset({None}) if text is None else place.resolve(text)
        pattern = word.pattern or word.likely is None
        for path in sorted(paths, key=str):
            self._add_path(path, access, source, command, pattern)
        if word.text is None and text is not None:
            # A guess only adds: the word itself stays unknown.
            self._add_path(None, access, source, command, pattern=False)
        return None

    def _add_path(self, path: str | None, access: Access, source: str, command: Command | None, pattern: bool) -> None:
        fact = Fact(
            kind="file",
            value=path,
            access=access,
            pattern=pattern,
            excerpt=command.excerpt if command else shorten(source),
            command=command,
            language=command.language if command else "bash",
        )
        self.add(fact)

    def add_host(self, host: Host, source: str, *, command: Command | None = None, language: str = "bash") -> None:
        """A host is reached."""
        self.add(
            Fact(
                kind="host",
                value=host.name,
                port=host.port,
                excerpt=shorten(source),
                command=command,
                language=language,
            )
        )
