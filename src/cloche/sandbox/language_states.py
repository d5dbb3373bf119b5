"""The state of each language in one sandbox."""

from collections.abc import Mapping
from typing import Any

import msgspec

from cloche.sandbox.cache import packs
from cloche.sandbox.languages import languages


class LanguageState(msgspec.Struct, frozen=True):
    """A language as a sandbox sees it."""

    name: str
    version: str
    engine: str
    size: int
    """Bytes that are fetched on first use."""
    fetched: bool
    """Whether they have been fetched."""
    loaded: bool
    """Whether it runs in this sandbox."""
    memory: int
    """Bytes of memory that its interpreter has here."""


class LoadedState(msgspec.Struct, frozen=True):
    loaded: bool = False
    memory: int = 0
    saved: bool = False
    """Whether saved memory waits for its first use."""


def list_used_languages(reply: Mapping[str, Any]) -> list[str]:
    """The languages that have a state in this sandbox, as the engine reports it."""
    here = {name: msgspec.convert(reply.get(name, {}), LoadedState) for name in languages()}
    return [name for name, each in here.items() if each.loaded or each.saved]


def language_states(reply: Mapping[str, Any]) -> list[LanguageState]:
    """Combine the catalogue with the engine's report; blocks."""
    found: list[LanguageState] = []
    for each in languages().values():
        here = msgspec.convert(reply.get(each.name, {}), LoadedState)
        fetched = packs.pack_ready(each.name)
        found.append(LanguageState(each.name, each.version, each.engine, each.size, fetched, here.loaded, here.memory))
    return found
