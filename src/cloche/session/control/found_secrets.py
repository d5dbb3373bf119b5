"""Masks keys that an action has shown, before its observation is stored."""

from cloche.events import EventStream, Observation
from cloche.security import find_secrets


def mask_found_secrets(stream: EventStream, observation: Observation) -> None:
    """Mask what looks like a key in an observation, there and in all that comes after it."""
    found = find_secrets(observation.content)
    if found:
        stream.update_secrets({f"{each.kind} {hash(each.value)}": each.value for each in found})
