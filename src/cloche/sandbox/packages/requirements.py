"""Parses requirements and requirements files."""

import posixpath
import re
import shlex
from urllib.parse import unquote, urlsplit

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion

from cloche.errors import ConfigError
from cloche.limits import MB
from cloche.sandbox.packages.installer import ReadFile

NESTED = 10
"""The most requirements files that name each other."""

FILE_LIMIT = 1 * MB
"""The most bytes of a requirements file."""

LENGTH = 1000
"""The most characters of one requirement."""

_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"(^|\s)#.*$")
_HASH = re.compile(r"\s--hash[= ]sha256:([0-9a-f]{64})")
_NESTING = {"-r": "r", "--requirement": "r", "-c": "c", "--constraint": "c"}
_HARMLESS = ("--prefer-binary", "--only-binary", "--no-binary", "--require-hashes", "--use-feature")
PRIVATE = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--trusted-host", "--no-index")
"""Options that say where packages come from; the host decides that."""


class ListedRequirement(msgspec.Struct):
    """What requirements files ask for."""

    requirements: list[str] = []
    constraints: list[str] = []
    hashes: dict[str, set[str]] = {}
    """SHA-256 of the files that may be used for a package."""
    pre: bool = False


def parse_requirement(text: str) -> Requirement:
    """A requirement; the address of a wheel gets the name in its file name."""
    text = text.strip()
    if len(text) > LENGTH:
        raise ConfigError(f"A requirement of {len(text)} characters is not one: {text[:60]}...")
    if "${" in text:
        # pip would insert values of the host's environment.
        raise ConfigError(f"{text!r}: variables are not filled in.")
    if re.match(r"(https?|file)://", text):
        text = f"{_wheel_name(text)} @ {text}"
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(
            f"{text!r} is not a requirement ({reason}); give a name as in 'rich' or 'attrs>=23'."
        ) from None
    if requirement.url:
        _wheel_name(requirement.url)
    return requirement


def is_file(text: str) -> bool:
    """Whether a requirement is the path of a wheel."""
    return text.endswith(".whl") and "://" not in text


def _wheel_name(address: str) -> str:
    parts = urlsplit(address)
    file = unquote(parts.path.rpartition("/")[2])
    try:
        if parts.scheme not in ("http", "https", "file"):
            raise InvalidWheelFilename(file)
        return parse_wheel_filename(file)[0]
    except (InvalidWheelFilename, InvalidVersion):
        raise ConfigError(
            f"{address!r} does not name a wheel: only addresses of .whl files can be installed."
        ) from None


async def read_requirements(path: str, read: ReadFile, *, constraining: bool = False) -> ListedRequirement:
    """Read a file of requirements or constraints, and the files it names; paths in it are relative to the file."""
    listed = ListedRequirement()
    await _read_file(path, read, listed, constraining, 0)
    return listed


async def _read_file(path: str, read: ReadFile, listed: ListedRequirement, constraining: bool, depth: int) -> None:
    if depth > NESTED:
        raise ConfigError(f"{path}: more than {NESTED} files of requirements name each other.")
    data = await read(path, FILE_LIMIT)
    for line in _CONTINUED.sub(" ", data.decode("utf-8-sig", errors="replace")).splitlines():
        text = _COMMENT.sub("", line).strip()
        if text.startswith("-"):
            option, value = _parse_option(text, path)
            if option in _NESTING:
                inner = posixpath.join(posixpath.dirname(path), value)
                await _read_file(inner, read, listed, constraining or _NESTING[option] == "c", depth + 1)
            elif option == "--pre":
                listed.pre = True
        elif text:
            _add_requirement(text, posixpath.dirname(path), listed, constraining)


def _parse_option(text: str, path: str) -> tuple[str, str]:
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    option, _, value = words[0].partition("=")
    value = value or " ".join(words[1:])
    if option[:2] in ("-r", "-c", "-i", "-f", "-e") and option[1] != "-" and len(option) > 2:
        option, value = option[:2], option[2:]
    if option in PRIVATE:
        raise ConfigError(f"{path}: {option} is not taken from files; the indexes that pip knows on the host are used.")
    if option not in (*_NESTING, *_HARMLESS, "--pre"):
        raise ConfigError(f"{path}: the option {option!r} cannot be used here.")
    return option, value


def _add_requirement(text: str, folder: str, listed: ListedRequirement, constraining: bool) -> None:
    hashes = set(_HASH.findall(" " + text))
    text = re.split(r"\s--hash", text)[0].strip()
    if is_file(text):
        listed.requirements.append(posixpath.join(folder, text))
        return
    requirement = parse_requirement(text)
    if not constraining:
        listed.requirements.append(text)
    elif requirement.url:
        raise ConfigError(f"{text!r}: a constraint names versions, no address.")
    else:
        listed.constraints.append(str(requirement))
    if hashes:
        listed.hashes.setdefault(canonicalize_name(requirement.name), set()).update(hashes)
