"""What code has shown, as observations keep it: pictures as addresses, everything else as MIME bundles."""

from collections.abc import Iterable
from typing import Any

import msgspec

from cloche.limits import EVENT_DISPLAYS
from cloche.sandbox.results.outcome import Display

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
PLAIN = "text/plain"


def find_pictures(displays: Iterable[Display]) -> tuple[str, ...]:
    """The pictures as data URLs."""
    return tuple(url for display in displays if (url := _make_url(display)) is not None)


def find_bundles(displays: Iterable[Display]) -> tuple[dict[str, Any], ...]:
    """Displays with more than text and a picture; what is too large for an event says so instead."""
    bundles: list[dict[str, Any]] = []
    size = 0
    for display in displays:
        if _make_url(display) is not None or display.data.keys() <= {PLAIN}:
            continue
        bundle: dict[str, Any] = {"data": display.data}
        if display.metadata:
            bundle["metadata"] = display.metadata
        weight = len(msgspec.json.encode(bundle))
        if size + weight > EVENT_DISPLAYS:
            bundle = {"data": {PLAIN: _explain_size(display, weight)}, "left_out": weight}
        else:
            size += weight
        bundles.append(bundle)
    return tuple(bundles)


def _explain_size(display: Display, weight: int) -> str:
    kinds = ", ".join(sorted(display.data.keys() - {PLAIN}))[:200]
    return f"[left out: {kinds}, {weight} bytes; the displays of a cell may have {EVENT_DISPLAYS} bytes here]"


def _make_url(display: Display) -> str | None:
    kind = next((kind for kind in PICTURES if isinstance(display.data.get(kind), str)), None)
    return f"data:{kind};base64,{display.data[kind]}" if kind else None
