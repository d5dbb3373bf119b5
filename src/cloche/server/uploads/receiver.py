"""Reads a multipart body block by block, and writes its files to disk; everything blocks."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from cloche.server.problems import Problem
from cloche.server.uploads.rules import Refused, Tally
from cloche.server.uploads.staging import StagedFile

FIELDS = 100
"""Parts of a body that are no files."""


class UploadReceiver:
    """Takes the parts of one body: what is not taken is noted, and what it still brings is thrown away."""

    def __init__(self, content_type: str, folder: Path, tally: Tally, *, unpacks: bool) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data":
            raise Problem(
                415, "media_type", f"the body is {content_type or 'of no type'}", fix="Send multipart/form-data."
            )
        if not options.get(b"boundary"):
            raise Problem(400, "malformed", "the type of the body does not say its boundary")
        self.archives: dict[str, StagedFile] = {}
        """Archives that are to be unpacked, by their names."""
        self._folder = folder
        self._tally = tally
        self._unpacks = unpacks
        self._parts = 0
        self._header = self._value = b""
        self._disposition = ""
        self._given = ""
        self._name = ""
        self._file: BinaryIO | None = None
        self._size = 0
        self._ended = self._found = False
        with _explained():
            self._parser = MultipartParser(
                options[b"boundary"],
                {
                    "on_part_begin": self._begin_part,
                    "on_header_begin": self._begin_header,
                    "on_header_field": self._add_header,
                    "on_header_value": self._add_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._open_part,
                    "on_part_data": self._add_data,
                    "on_part_end": self._end_part,
                    "on_end": self._end,
                },
            )

    def feed(self, block: bytes) -> None:
        """Take in the next block."""
        with _explained():
            self._parser.write(block)

    def end(self) -> None:
        """Say that there is no more: a body without its end is refused."""
        if not self._ended:
            raise Problem(400, "malformed", "the body ends before its last boundary")
        if not self._found:
            raise Problem(422, "no_files", "no part of the body is a file", fix="Give each file a filename.")

    def close(self) -> None:
        """Close what is open; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > FIELDS + 2 * self._tally.files:
            raise Problem(413, "too_large", f"the body has more than {self._parts - 1} parts")
        self._disposition = self._given = ""

    def _begin_header(self) -> None:
        self._header = self._value = b""

    def _add_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value.decode("latin-1")

    def _open_part(self) -> None:
        name = parse_options_header(self._disposition)[1].get(b"filename", b"")
        self._given = name.decode(errors="replace")
        # A field that is no file, or one of a form in which no file was chosen.
        if not self._given:
            return
        self._found = True
        archive = self._unpacks and self._given.lower().endswith(".zip")
        try:
            self._name = self._tally.begin(self._given, archive=archive)
        except Refused as refused:
            self._tally.refuse(self._given, str(refused))
            return
        self._file = (self._folder / str(self._parts)).open("wb")
        self._size = 0

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is None:
            return
        try:
            self._size = self._tally.weigh(self._size, end - start)
        except Refused as refused:
            self._tally.refuse(self._given, str(refused))
            self._drop()
            return
        self._file.write(data[start:end])

    def _drop(self) -> None:
        """Remove what there is of a file that is refused in the middle."""
        assert self._file is not None, "it was open a moment ago"
        place = Path(self._file.name)
        self.close()
        place.unlink()
        self._tally.give_back(self._size)

    def _end_part(self) -> None:
        if self._file is None:
            return
        staged = StagedFile(Path(self._file.name), self._size)
        self.close()
        archive = self._unpacks and self._given.lower().endswith(".zip")
        (self.archives if archive else self._tally.taken)[self._name] = staged

    def _end(self) -> None:
        self._ended = True


@contextmanager
def _explained() -> Generator[None]:
    """Says of a body that cannot be read why."""
    try:
        yield
    except FormParserError as error:
        raise Problem(400, "malformed", f"the body is no multipart/form-data: {error}") from error
