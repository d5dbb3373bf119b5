"""The languages a sandbox speaks."""

from difflib import get_close_matches

import msgspec

from cloche.errors import ConfigError


class Language(msgspec.Struct, frozen=True):
    """What is known of a language without starting it."""

    name: str
    version: str
    engine: str


LANGUAGES = {
    "python": Language("python", "3.14", "Pyodide 314.0.7, IPython"),
    "bash": Language("bash", "5", "just-bash 3.4.2"),
}


def check_language(name: str) -> None:
    """Raise ConfigError with the nearest known name unless there is such a language."""
    if name in LANGUAGES:
        return
    near = get_close_matches(name.lower(), LANGUAGES, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"There is no language {name!r}.{hint} Known: {', '.join(LANGUAGES)}.")
