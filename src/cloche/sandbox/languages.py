"""The languages of a sandbox, from the engine's catalogue."""

import functools
from difflib import get_close_matches
from typing import Literal

import msgspec

from cloche.errors import ConfigError
from cloche.sandbox.process.engine_paths import ENGINE


class Language(msgspec.Struct, frozen=True, rename="camel"):
    """What is known about a language without starting it."""

    name: str
    title: str
    version: str
    engine: str
    pack: bool
    """Whether its files are fetched on first use."""
    size: int
    """Bytes of that download."""
    memory: int
    """Megabytes that it may use."""
    interrupt: Literal["soft", "hard"]
    """Whether code that computes can be stopped without losing its state."""
    extensions: tuple[str, ...]
    commands: tuple[str, ...]
    """Names under which bash finds it."""
    packages: str | None
    """Where its packages come from, if it has any."""
    features: tuple[str, ...]
    core: bool = False
    """Whether every sandbox has it."""
    packages_of: str | None = None
    """The language whose packages it uses, if that is another."""
    package_tools: tuple[str, ...] = ()
    """Commands of the shell that install its packages."""
    saved: Literal["snapshot", "memory", "shell", "files"] | None = None
    """Where its variables are when a sandbox is saved; None if they are not saved."""


@functools.cache
def languages() -> dict[str, Language]:
    """Every language by its name."""
    entries = msgspec.json.decode((ENGINE / "languages" / "catalog.json").read_bytes())
    return {name: msgspec.convert({"name": name, **entry}, Language) for name, entry in entries.items()}


@functools.cache
def list_aliases() -> dict[str, str]:
    """Other names of languages, such as `js` and `node`, each with the language's own name."""
    known = languages()
    named = {alias.lower(): each.name for each in known.values() for alias in (*each.extensions, *each.commands)}
    return {alias: name for alias, name in named.items() if alias not in known}


def check_language(name: str) -> Language:
    """The language of this name; raises ConfigError, which suggests the nearest one."""
    known = languages()
    if name in known:
        return known[name]
    lower = name.lower()
    near = (
        lower
        if lower in known
        else list_aliases().get(lower) or next(iter(get_close_matches(lower, known, n=1, cutoff=0.4)), None)
    )
    hint = f" Did you mean {near!r}?" if near else ""
    raise ConfigError(f"There is no language {name!r}.{hint} Known: {', '.join(known)}.")
