"""The result of a call."""

from typing import Any, Literal

import msgspec

from cloche.errors import CodeError, CodeTimeout
from cloche.sandbox.results.html_tables import Table, find_tables
from cloche.sandbox.results.mime_bundle import as_bundle
from cloche.sandbox.results.outcome import CodeFailure, Display

Stream = Literal["stdout", "stderr"]
State = Literal["kept", "lost"]


class Text(msgspec.Struct, frozen=True, tag="output", tag_field="event"):
    """A piece of output."""

    stream: Stream
    text: str


class Shown(msgspec.Struct, frozen=True, tag="display", tag_field="event"):
    """A rich display, an update of one, or the value of the last expression."""

    display: Display


class Cleared(msgspec.Struct, frozen=True, tag="clear", tag_field="event"):
    """The code asked to clear its output; with `wait`, only when the next output arrives."""

    wait: bool


class Result(msgspec.Struct, frozen=True, tag="result", tag_field="event"):
    """The result of one call."""

    language: str
    value: str | None
    """The last expression as text; None if there is none."""
    stdout: str
    stderr: str
    output: list[tuple[Stream, str]]
    """Both streams in the order in which they were written."""
    displays: list[Display]
    error: CodeFailure | None
    exit_code: int
    timed_out: bool
    state: State
    """`lost` if the code could only be stopped by replacing its interpreter: variables are gone, files are kept."""
    duration: float
    """Seconds."""
    truncated: bool = False
    """Whether output was left out in the middle, or displays at the end, because of its size."""
    profile: dict[str, Any] | None = None
    cwd: str | None = None
    """The current folder of bash or Python afterwards; None for other languages."""
    json: str | None = None
    """The last expression as JSON, if it is plain data, such as a dict of lists, and less than 256 KB."""
    notice: str | None = None
    """Says that work left running by earlier calls was stopped, and why; otherwise None."""

    @property
    def ok(self) -> bool:
        return self.error is None and self.exit_code == 0 and not self.timed_out

    @property
    def data(self) -> Any:
        """The last expression as plain data (dict, list, str, int, float, bool); None if it is anything else."""
        try:
            return None if self.json is None else msgspec.json.decode(self.json)
        except (msgspec.DecodeError, RecursionError):
            return None

    @property
    def tables(self) -> list[Table]:
        """The tables that were shown: data frames, results of SQL, as columns and rows of text."""
        return find_tables([page for each in self.displays if isinstance(page := each.data.get("text/html"), str)])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows."""
        return as_bundle(self)

    def check(self) -> "Result":
        """Return self, or raise CodeError or CodeTimeout with what went wrong."""
        if self.ok:
            return self
        if self.timed_out:
            raise CodeTimeout(f"the {self.language} code was stopped after {self.duration:.1f} s", result=self)
        if self.error is not None:
            where = f" in line {self.error.line}" if self.error.line is not None else ""
            raise CodeError(f"{self.error.type}: {self.error.message}{where}", result=self)
        tail = self.stderr.strip().splitlines()[-1:] or ["no message"]
        raise CodeError(f"exit code {self.exit_code}: {tail[0]}", result=self)


Event = Text | Shown | Cleared | Result
