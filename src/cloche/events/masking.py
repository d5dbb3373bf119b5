"""Masks secrets before anything is stored or shown."""

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct, structs

from cloche.events.event import Event, Unknown
from cloche.events.wire_format import KEYS
from cloche.limits import LEFT_OUT, SECRET_LENGTH

logger = logging.getLogger(__name__)

MASK = "<secret_hidden>"

_OF_THE_WIRE = frozenset({"id", "timestamp", "source", "action", "observation", "status"})
"""Keys whose values are words of the wire format; masking them would make an event unreadable."""

_CUT_WORDS = LEFT_OUT.partition("{}")[2]
_CUT = re.compile(f"(?:{re.escape(LEFT_OUT.format(0)).replace('0', '[0-9]+')})+")
"""The note that the sandbox puts where it has cut a long text. The cut may be inside a secret."""

_CUTS = 100
"""The most cuts in one text that are examined: the sandbox makes a few, code can print the note thousands of times."""

_Found = tuple[int, int]
_Kind = TypeVar("_Kind", bound=Struct)


class SecretValues:
    """The secrets of a session: values that no event may show.

    A value is found as it is and as JSON and Python write it inside a string, and so is what the cut of a long output
    leaves of it. Values that overlap are masked as one. Those of fewer than 4 characters are not masked: they are in
    too many words.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._secrets: dict[str, str] = {}
        self._forms: tuple[str, ...] = ()
        self.update(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Replace all secrets by these, by name."""
        self._secrets = {}
        self.update(secrets)

    def update(self, secrets: Mapping[str, str]) -> None:
        """Add secrets, or change their values."""
        for name, value in secrets.items():
            if len(value) < SECRET_LENGTH:
                logger.warning("the secret %s is not masked: it is shorter than %d", name, SECRET_LENGTH)
        self._secrets |= {name: value for name, value in secrets.items() if len(value) >= SECRET_LENGTH}
        forms = {form for value in self._secrets.values() for form in _list_forms(value)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def mask(self, text: str) -> str:
        """The text with its secrets masked."""
        # A quick check first: most texts contain no secret, and every string of every event passes here.
        for form in self._forms:
            if form in text:
                return self._without(text)
        return self._without(text) if self._forms and _CUT_WORDS in text else text

    def _without(self, text: str) -> str:
        parts: list[str] = []
        at = 0
        for start, end in _merge_spans(_find_forms(text, self._forms) + _find_halves(text, self._forms)):
            parts += (text[at:start], MASK)
            at = end
        return "".join([*parts, text[at:]])

    def masker(self) -> "Masker":
        """A masker for text that arrives in chunks."""
        return Masker(self._forms)

    def mask_event(self, event: Event) -> Event:
        """The event with every string masked, keys included; the words of the wire format are kept."""
        if not self._forms:
            return event
        changes = {
            name: masked
            for name in ("message", "tool_call_metadata", "llm_metrics", "cloche", "others")
            if (masked := self._value(value := getattr(event, name))) is not value
        }
        body = event.body
        masked = self._unknown(body) if isinstance(body, Unknown) else self._struct(body)
        if masked is not body:
            changes["body"] = masked
        return structs.replace(event, **changes) if changes else event

    def _unknown(self, body: Unknown) -> Unknown:
        raw = {
            key if key in KEYS else self.mask(key): value if key in _OF_THE_WIRE else self._value(value)
            for key, value in body.raw.items()
        }
        return Unknown(body.kind, raw)

    def _value(self, value: Any) -> Any:
        """The value masked; the same object if there was nothing to mask."""
        match value:
            case str():
                return self.mask(value)
            case Struct():
                return self._struct(value)
            case list() | tuple():
                old = cast("list[Any]", value)
                new = [self._value(each) for each in old]
                return old if all(a is b for a, b in zip(new, old, strict=True)) else new
            case dict():
                return self._dict(cast("dict[Any, Any]", value))
            case None | bool() | int() | float():
                return value
            case _:
                return self._other(value)

    def _other(self, value: object) -> Any:
        """Anything else that can be encoded as JSON, such as sets, in its JSON form."""
        try:
            return self._value(msgspec.to_builtins(value, str_keys=True))
        except TypeError:
            return value

    def _struct(self, value: _Kind) -> _Kind:
        changes = {
            name: masked
            for name in value.__struct_fields__
            if (masked := self._value(old := getattr(value, name))) is not old
        }
        return structs.replace(value, **changes) if changes else value

    def _dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        new: dict[Any, Any] = {}
        for key, each in value.items():
            name = self.mask(key) if isinstance(key, str) else key
            while name != key and (name in new or name in value):
                name += "_"
            new[name] = self._value(each)
        same = new.keys() == value.keys() and all(new[key] is value[key] for key in new)
        return value if same else new


class Masker:
    """Masks text that arrives in chunks, including secrets split between chunks.

    Text that may be the beginning of a secret is held back until the next chunk or the end. All chunks together give
    the same as masking the whole text.
    """

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = forms
        self._held = ""
        self._masked = 0
        """How many of the held characters belong to a mask that was already shown."""

    def feed(self, chunk: str) -> str:
        """What can be shown after this chunk."""
        text = self._held + chunk
        return self._show(text, len(text) - _open_end(text, self._forms))

    def flush(self) -> str:
        """The rest, at the end."""
        return self._show(self._held, len(self._held))

    def _show(self, text: str, cut: int) -> str:
        parts: list[str] = []
        at = 0
        for start, end in self._spans(text):
            if start >= cut and start >= self._masked:
                break
            if start >= self._masked:
                parts += (text[at:start], MASK)
            at = end
        if at < cut:
            parts.append(text[at:cut])
        self._held, self._masked = text[cut:], max(at - cut, 0)
        return "".join(parts)

    def _spans(self, text: str) -> list[_Found]:
        before = [(0, self._masked)] if self._masked else []
        return _merge_spans([*before, *_find_forms(text, self._forms)])


def _list_forms(value: str) -> Iterator[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield repr(value)[1:-1]


def _find_forms(text: str, forms: Sequence[str]) -> list[_Found]:
    found: list[_Found] = []
    for form in forms:
        start = text.find(form)
        while start >= 0:
            found.append((start, start + len(form)))
            start = text.find(form, start + 1)
    return found


def _find_halves(text: str, forms: Sequence[str]) -> list[_Found]:
    """The parts of secrets at the edges of a cut, if they are as long as a secret must be."""
    found: list[_Found] = []
    for cut in islice(_CUT.finditer(text), _CUTS):
        head, tail = cut.span()
        found += [(head - max(_count_beginning(text, head, form) for form in forms), head)]
        found += [(tail, tail + max(_count_ending(text, tail, form) for form in forms))]
    return [(start, end) for start, end in found if start < end]


def _count_beginning(text: str, end: int, form: str) -> int:
    """How many characters before this position are the beginning of a secret."""
    last = text[max(end - SECRET_LENGTH, 0) : end]
    at = form.rfind(last, 0, -1) if len(last) == SECRET_LENGTH else -1
    while at >= 0 and not text.endswith(form[: at + SECRET_LENGTH], 0, end):
        at = form.rfind(last, 0, at + SECRET_LENGTH - 1)
    return at + SECRET_LENGTH if at >= 0 else 0


def _count_ending(text: str, start: int, form: str) -> int:
    """How many characters after this position are the end of a secret."""
    first = text[start : start + SECRET_LENGTH]
    at = form.find(first, 1) if len(first) == SECRET_LENGTH else -1
    while at >= 0 and not text.startswith(form[at:], start):
        at = form.find(first, at + 1)
    return len(form) - at if at >= 0 else 0


def _merge_spans(found: list[_Found]) -> list[_Found]:
    """Join spans that overlap, in order; spans that only touch stay separate."""
    merged: list[_Found] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _open_end(text: str, forms: Sequence[str]) -> int:
    """How many characters at the end may be the beginning of a secret."""
    longest = 0
    for form in forms:
        at = text.find(form[0], max(len(text) - len(form) + 1, 0))
        while at >= 0 and not form.startswith(text[at:]):
            at = text.find(form[0], at + 1)
        longest = max(longest, len(text) - at if at >= 0 else 0)
    return longest
