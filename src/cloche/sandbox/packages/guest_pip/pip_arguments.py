"""Parses the arguments of pip that the sandbox supports."""

from collections.abc import Sequence

import msgspec

from cloche.errors import ConfigError
from cloche.sandbox.packages.requirements import PRIVATE

COMMANDS = ("install", "uninstall", "list", "freeze", "show", "check", "download", "help")

_SAME = {
    **{"--quiet": "-q", "-qq": "-q", "--verbose": "-v", "-V": "--version", "--help": "-h", "--upgrade": "-U"},
    **{"--requirement": "-r", "--constraint": "-c", "--yes": "-y", "--files": "-f", "--dest": "-d"},
}
_FLAGS = {
    *("-q", "-v", "-h", "--version", "-U", "--pre", "-y", "--user", "--no-input", "--no-cache-dir", "--no-color"),
    *("--disable-pip-version-check", "--break-system-packages", "--prefer-binary", "--no-warn-script-location"),
    *("--isolated", "--require-hashes", "--no-compile", "--no-warn-conflicts", "--force-reinstall"),
    *("--no-build-isolation", "--use-pep517", "--check-build-dependencies"),
}
_VALUED = {
    *("-r", "-c", "-d", "--format", "--only-binary", "--progress-bar", "--timeout", "--retries"),
    *("--root-user-action", "--upgrade-strategy", "--use-feature", "--exists-action"),
}
_REASONS = {
    "-e": "the folder has no pyproject.toml and no setup.py, or it cannot be read",
    "--editable": "the folder has no pyproject.toml and no setup.py, or it cannot be read",
    "-t": "packages have one place here: leave it out",
    "--target": "packages have one place here: leave it out",
    "--no-deps": "requirements of packages are always met: leave it out",
    "--no-binary": "what has a suitable wheel is not built from source: leave it out",
}


class PipArguments(msgspec.Struct, frozen=True):
    """Words and options of one call."""

    words: list[str]
    options: list[tuple[str, str]]

    def has(self, option: str) -> bool:
        """Whether the option was given."""
        return any(name == option for name, _ in self.options)

    def values(self, option: str) -> list[str]:
        """The values of an option."""
        return [value for name, value in self.options if name == option]


def read_arguments(args: Sequence[str]) -> tuple[str, PipArguments]:
    """The command, empty if there is none, and the other arguments."""
    words: list[str] = []
    options: list[tuple[str, str]] = []
    rest = list(args)
    fetching = "download" in rest
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if word.startswith("-") and len(word) > 1:
            options.append(_read_option(word, rest, fetching))
        else:
            words.append(word)
    command = words.pop(0) if words else ""
    if command == "help":
        return "", PipArguments([], options)
    if command and command not in COMMANDS:
        raise ConfigError(f"unknown command {command[:50]!r}: the pip of this sandbox knows {', '.join(COMMANDS)}")
    for word in words:
        if command == "install" and ("/" in word or word.startswith(".")) and "://" not in word and word[-4:] != ".whl":
            raise ConfigError(f"{word[:200]!r} is no wheel, no name, and no folder with a pyproject.toml or setup.py")
    return command, PipArguments(words, options)


def _read_option(word: str, rest: list[str], fetching: bool) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not word.startswith("--") and len(name) > 2 and name[:2] in _VALUED:
        name, equals, value = name[:2], "=", word[2:]
    name = _SAME.get(name, name)
    if name in PRIVATE and name != "-f":
        raise ConfigError(
            f"{name} cannot be used in the sandbox: the host fetches packages from the indexes its pip knows"
        )
    if fetching and name == "--no-deps":
        return name, ""
    valued = _VALUED | {"--no-binary"} if fetching else _VALUED
    if name in _REASONS and name not in valued:
        raise ConfigError(f"{name} cannot be used in the sandbox: {_REASONS[name]}")
    if name in _FLAGS or (name == "-f" and not equals):
        return name, ""
    if name not in valued:
        raise ConfigError(f"no such option: {name[:50]}")
    if not equals:
        if not rest:
            raise ConfigError(f"{name} option requires 1 argument")
        value = rest.pop(0)
    return name, value
