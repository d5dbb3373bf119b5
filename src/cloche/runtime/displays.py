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
    """Displays with more than text and a picture; one note stands for all that are too much for an event."""
    bundles: list[dict[str, Any]] = []
    left_out: list[int] = []
    size = 0
    for display in displays:
        if _make_url(display) is not None or display.data.keys() <= {PLAIN}:
            continue
        bundle: dict[str, Any] = {"data": display.data}
        if display.metadata:
            bundle["metadata"] = display.metadata
        weight = len(msgspec.json.encode(bundle))
        if size + weight > EVENT_DISPLAYS:
            left_out.append(weight)
        else:
            size += weight
            bundles.append(bundle)
    if left_out:
        note = f"[left out: {len(left_out)} of its displays, {sum(left_out)} bytes; {EVENT_DISPLAYS} bytes are kept]"
        bundles.append({"data": {PLAIN: note}, "left_out": sum(left_out)})
    return tuple(bundles)


def _make_url(display: Display) -> str | None:
    kind = next((kind for kind in PICTURES if isinstance(display.data.get(kind), str)), None)
    return f"data:{kind};base64,{display.data[kind]}" if kind else None
