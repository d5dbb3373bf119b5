"""What a client says of a file that it replaces: that it is as the client knows it, or is not there."""

from msgspec import Struct
from starlette.datastructures import Headers

from cloche.server.files.listing import FileView
from cloche.server.files.paths import shorten_path
from cloche.server.problems import Problem

ANY = "*"
FIX = "Read it, bring both together, and send that with its new ETag."


def make_etag(modified: float, size: int) -> str:
    """A name of a state of a file."""
    return f'"{int(modified * 1e9):x}-{size:x}"'


class Condition(Struct, frozen=True):
    """The headers `If-Match` and `If-None-Match` of a request that writes."""

    match: frozenset[str] = frozenset()
    """States of which the file must have one; `*` for any."""
    none: frozenset[str] = frozenset()
    """States of which it must have none; `*` if it must not exist."""

    def __bool__(self) -> bool:
        return bool(self.match or self.none)

    def check(self, path: str, found: FileView | None) -> None:
        """Raise Problem unless it holds of what is there."""
        name = shorten_path(path)
        etag = "" if found is None else make_etag(found.modified, found.size)
        headers = {"etag": etag} if etag else {}
        if self.match and found is None:
            raise Problem(412, "changed", f"{name} is not there any more", fix="Write it without `If-Match`.")
        if self.match and not self.match & {ANY, etag}:
            raise Problem(412, "changed", f"{name} has changed meanwhile", fix=FIX, headers=headers)
        if found is not None and self.none & {ANY, etag}:
            raise Problem(412, "changed", f"{name} is there already", fix=FIX, headers=headers)


def read_condition(headers: Headers) -> Condition:
    """What the headers of a request ask for."""
    return Condition(_split(headers.get("if-match", "")), _split(headers.get("if-none-match", "")))


def _split(tags: str) -> frozenset[str]:
    return frozenset(each.strip() for each in tags.split(",") if each.strip())
