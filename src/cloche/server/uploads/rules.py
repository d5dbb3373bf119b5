"""What may be uploaded, and what was refused."""

from msgspec import Struct

from cloche.config.sections import ServerConfig
from cloche.limits import MB
from cloche.server.uploads.names import clean_name
from cloche.server.uploads.staging import StagedFile

NAMED = 1000
"""Refused files that are listed."""
SHOWN = 255
"""Characters of a name that is told back."""


class Refusal(Struct, frozen=True):
    """A file that was not taken."""

    name: str
    reason: str


class Refused(Exception):
    """Raised for a file that is not taken; the others are."""


class Tally:
    """Counts the files of one upload, and decides which are taken."""

    def __init__(self, settings: ServerConfig, room: int) -> None:
        """`room` is how many bytes its user may still bring in."""
        self.file_size = int(settings.upload_mb * MB)
        """The most bytes of one file."""
        self.files = settings.upload_files
        """The most files."""
        self.taken: dict[str, StagedFile] = {}
        """Files that came whole, by their paths."""
        self.refused: list[Refusal] = []
        self._all = "*" in settings.upload_types
        self._types = tuple(each.lower() for each in settings.upload_types)
        self._room = room
        self._begun = 0

    def begin(self, given: str, *, archive: bool = False) -> str:
        """The path of the next file, or Refused; an archive that is unpacked is no file by itself."""
        try:
            name = clean_name(given)
        except ValueError as error:
            raise Refused(str(error)) from error
        if archive:
            return name
        if not self._all and not name.lower().endswith(self._types):
            raise Refused(f"its type is not among those that may be uploaded: {', '.join(self._types)}")
        if name in self.taken:
            raise Refused("another file of this name came before")
        self._begun += 1
        if self._begun > self.files:
            raise Refused(f"an upload may have {self.files} files")
        return name

    def weigh(self, size: int, more: int) -> int:
        """The new size of a file that grows; Refused if it is too large, or if there is no room."""
        if size + more > self.file_size:
            raise Refused(f"it has more than {self.file_size} bytes")
        if more > self._room:
            raise Refused("there is no room for it in what your sessions may take ([server] disk_mb)")
        self._room -= more
        return size + more

    def give_back(self, size: int) -> None:
        """Make the room of a file free that was refused after all."""
        self._room += size

    def refuse(self, given: str, reason: str) -> None:
        """Note a file that is not taken."""
        if len(self.refused) < NAMED:
            self.refused.append(Refusal(given[:SHOWN], reason))
        elif len(self.refused) == NAMED:
            self.refused.append(Refusal("...", "more files were refused, which are not listed"))
