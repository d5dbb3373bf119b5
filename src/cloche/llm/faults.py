"""What goes wrong with a server, before it is known how to tell the user."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from cloche.config.plain_values import is_list, is_table
from cloche.config.secret import MASK

NOT_JSON = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What decoding raises: the second for bytes that are not UTF-8, the third for what is nested too deeply."""

_SHOWN = 400
"""Characters of a server's own words in a message."""


class AnswerFault(Exception):
    """An answer cannot be used; `passing` says whether another attempt may bring a better one."""

    advice = "Try again, or check that [llm] base_url leads to the API and api names the right one"

    def __init__(self, reason: str, *, passing: bool = True) -> None:
        super().__init__(reason)
        self.passing = passing


class AnswerCutOff(AnswerFault):
    """The end of an answer is missing."""

    advice = "Try again, or check the server's log"


class AnswerTooLarge(AnswerFault):
    """An answer, or a part of it, is larger than any that makes sense."""

    advice = "Ask for less at once, or set [llm] max_output_tokens"

    def __init__(self, reason: str) -> None:
        super().__init__(reason, passing=False)


class Complaint(Struct, frozen=True):
    """What a server says about an error: as a text, in which a key may be, and as words for programs."""

    text: str = ""
    kinds: tuple[str, ...] = ()


class ServerFault(Exception):
    """A server answered with an error, as its status or in the middle of a stream."""

    def __init__(self, status: int, complaint: Complaint, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.complaint = complaint
        self.headers = headers or {}

    def says(self, *words: str) -> bool:
        """Whether one of these words, in lower case, is in what the server said."""
        said = " ".join((*self.complaint.kinds, self.complaint.text)).lower()
        return any(word in said for word in words)


_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The statuses that these kinds of errors have when they are not in a stream."""


def stream_fault(error: object) -> ServerFault:
    """The error that is reported inside a stream, whose status was 200."""
    complaint = read_complaint({"error": error})
    codes = [int(kind) for kind in complaint.kinds if kind.isdecimal() and 400 <= int(kind[:4]) < 600]
    named = [_STATUS[kind] for kind in complaint.kinds if kind in _STATUS]
    return ServerFault((codes + named + [500])[0], complaint)


def read_body(body: bytes) -> Complaint:
    """What the body of an error says, in the forms in which servers say it."""
    try:
        return read_complaint(msgspec.json.decode(body))
    except NOT_JSON:
        text = body.decode(errors="replace")
        return Complaint("" if "<html" in text[:1000].lower() else text)


def read_complaint(found: object) -> Complaint:
    """What a decoded body says."""
    found = found[0] if is_list(found) and found else found
    if not is_table(found):
        return Complaint(str(found or ""))
    inner: Any = found.get("error") or found.get("detail") or found
    if not is_table(inner):
        return Complaint(str(inner))
    kinds = tuple(str(each)[:80] for each in (inner.get("type"), inner.get("code")) if each)
    return Complaint(" ".join(_find_texts(inner)), kinds)


def _find_texts(inner: dict[str, Any]) -> Iterator[str]:
    text = inner.get("message") or inner.get("msg") or inner.get("detail") or inner.get("error")
    yield str(text or "")
    # A proxy passes on what the server behind it said.
    metadata = inner.get("metadata")
    if is_table(metadata) and metadata.get("raw"):
        yield str(metadata["raw"])


def shorten(text: str, secrets: Iterable[str] = ()) -> str:
    """A text of a server, in one line that is not too long, without what must not be shown."""
    # Before it is cut: half a key is too much as well.
    for secret in secrets:
        text = text.replace(secret, MASK)
    plain = "".join(each if each.isprintable() else " " for each in text[: 4 * _SHOWN])
    line = " ".join(plain.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
