"""Finds and reads the configuration file."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cloche.config.plain_values import is_table
from cloche.errors import ConfigError
from cloche.paths.user_dirs import config_dir

FILE = "config.toml"
SIZE_LIMIT = 1 << 20
"""The most bytes of a configuration file."""

_HEADER = re.compile(r"\s*\[{1,2}([^\[\]]+)\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*([^=#\[{]+?)\s*=")


class ConfigFile(NamedTuple):
    """A file as it was read, once."""

    path: Path
    data: bytes
    tables: dict[str, Any]

    def place(self, *keys: str) -> str:
        """The file and the line of these keys, for a message."""
        lines = {found: number for number, found in reversed(list(_key_lines(self.data.decode())))}
        above = (keys[:length] for length in range(len(keys), 1, -1))
        line = next((lines[each] for each in (keys, *above) if each in lines), None)
        return f"{self.path}" if line is None else f"{self.path}, line {line}"


def candidate_paths(env: Mapping[str, str]) -> list[Path]:
    """The files that are looked for if none is named; the first one that exists is read."""
    return [Path(FILE), config_dir(env) / FILE]


def read_file(path: Path, *, named: bool) -> ConfigFile:
    """Read and parse a file; unless it was `named`, it must be a regular file."""
    try:
        data = _read_bytes(path, plain=not named)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}. {_ADVICE}") from None
    if len(data) > SIZE_LIMIT:
        raise ConfigError(f"{path} is larger than {SIZE_LIMIT} bytes: this is no configuration. {_ADVICE}")
    try:
        return ConfigFile(path, data, tomllib.loads(data.decode()))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {error or 'nested too deeply'}") from None


_ADVICE = "Name another file with --config or CLOCHE_CONFIG; `cloche config --template` prints one to begin with"


def _read_bytes(path: Path, *, plain: bool) -> bytes:
    # Non-blocking: code in a sandbox may have put a pipe there, and opening it would never return.
    flags = os.O_RDONLY | (getattr(os, "O_NONBLOCK", 0) if plain else 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if plain and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a plain file")
        return file.read(SIZE_LIMIT + 1)


def _key_lines(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line numbers of section headers and keys, as far as they can be found line by line."""
    if '"""' in text or "'''" in text:
        return
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _HEADER.fullmatch(line):
            section = _parse_key(match[1])
            yield number, section
        elif match := _KEY.match(line):
            yield number, section + _parse_key(match[1])


def _parse_key(text: str) -> tuple[str, ...]:
    try:
        found: Any = tomllib.loads(f"{text} = 0")
    except ValueError:
        return ()
    keys: list[str] = []
    while is_table(found):
        [(key, found)] = found.items()
        keys.append(key)
    return tuple(keys)
