"""The arguments of a command: its flags, its operands, and the files and hosts among them."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cloche.security.facts.command_table import (
    CODE_OPTIONS,
    FILE_USES,
    GIT_REMOTE,
    HOST_FIRST,
    HOST_OPERANDS,
    NO_HOSTS,
    OUTPUT_OPTIONS,
    URL_OPERANDS,
    VALUE_OPTIONS,
)
from cloche.security.facts.fact import Access
from cloche.security.facts.words import Word

_URL = re.compile(
    r"(?<![a-zA-Z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]{0,20}://(?:[^/@\s'\"]*@)?(\[[0-9a-fA-F:.]+\]|[^/:?#\s'\"`)>,;]+)(?::(\d{1,5}))?"
)
_PLAIN_HOST = re.compile(r"(?:[^/@\s]*@)?(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?(?:[/?#].*)?", re.DOTALL)
_REMOTE = re.compile(r"(?:[\w.+-]+@)?(\[[0-9a-fA-F:.]+\]|[\w.-]+):(?!//)")
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/(\w+)")

_FILE_URL = "file://"
_NO_PATH = re.compile(r"[\n;|&(){}<>\"']")
"""Characters that hardly any path has, and code has."""


class Argument(Struct, frozen=True):
    """An operand, or the value of an option."""

    word: Word
    option: str = ""


class Host(Struct, frozen=True):
    """A host that a command would talk to; `name` is None if it is computed."""

    name: str | None
    port: int | None = None


def read_flags(words: Sequence[Word]) -> frozenset[str]:
    """The options without dashes; letters that are joined count one by one too."""
    found: set[str] = set()
    for word in words[1:]:
        text = word.likely if word.likely is not None else word.prefix
        if text == "--":
            break
        if text.startswith("--"):
            found.add(text[2:].partition("=")[0])
        elif text.startswith("-") and len(text) > 1:
            found.add(text[1:])
            found.update(text[1:])
    return frozenset(found)


def list_arguments(name: str, words: Sequence[Word]) -> list[Argument]:
    """The operands, and the values of the options that take one."""
    takes = VALUE_OPTIONS.get(name, frozenset[str]()) | OUTPUT_OPTIONS.get(name, frozenset())
    found: list[Argument] = []
    at, only_operands = 1, False
    while at < len(words):
        text = words[at].likely or ""
        if only_operands or not text.startswith("-") or text == "-":
            found.append(Argument(words[at]))
        elif text == "--":
            only_operands = True
        elif text in takes and at + 1 < len(words):
            at += 1
            found.append(Argument(words[at], text))
        elif "=" in text and text.startswith("--"):
            option, _, value = text.partition("=")
            found.append(Argument(Word(text=value, source=words[at].source), option))
        elif len(text) > 2 and text[:2] in takes:
            found.append(Argument(Word(text=text[2:], source=words[at].source), text[:2]))
        elif len(text) > 2 and f"-{text[-1]}" in takes and at + 1 < len(words):
            # The last of several letters takes it: `curl -fsSLo file`.
            at += 1
            found.append(Argument(words[at], f"-{text[-1]}"))
        at += 1
    return found


def list_files(name: str, arguments: Sequence[Argument], flags: frozenset[str]) -> Iterator[tuple[Word, Access]]:
    """The words that are paths, and what the command does to them."""
    use = "write" if name.startswith("mkfs") else FILE_USES.get(name)
    operands = [each.word for each in arguments if not each.option]
    if use == "none":
        return
    if use == "remove":
        yield from _with_access(operands, "remove")
    elif use == "write":
        yield from _with_access(operands, "write")
    elif use == "mode":
        yield from _with_access(operands[1:], "write")
    elif use in ("copy", "move"):
        yield from _list_copied(use, arguments, operands)
    elif name == "dd":
        yield from _list_dd(operands)
    elif use == "edit" and any(flag.startswith(("i", "in-place")) for flag in flags):
        yield from _with_access(operands, "write")
    elif name == "find" and "delete" in flags:
        yield from _with_access(_find_roots(operands), "remove")
    else:
        options = OUTPUT_OPTIONS.get(name, frozenset())
        yield from _with_access([each.word for each in arguments if each.option in options], "write")
        rest = [each for each in arguments if each.option not in options and _looks_like_path(each)]
        yield from _with_access([each.word for each in rest], "read")
        yield from _with_access(_list_file_urls(arguments), "read")


def _list_file_urls(arguments: Sequence[Argument]) -> list[Word]:
    """The paths of addresses such as file:///etc/passwd."""
    texts = (each.word.likely for each in arguments)
    paths = [text[len(_FILE_URL) :] for text in texts if text is not None and text.startswith(_FILE_URL)]
    return [Word(text=path, source=path) for path in paths]


def _with_access(words: Sequence[Word], access: Access) -> Iterator[tuple[Word, Access]]:
    for word in words:
        yield word, access


def _list_copied(use: str, arguments: Sequence[Argument], operands: list[Word]) -> Iterator[tuple[Word, Access]]:
    target = [each.word for each in arguments if each.option in ("-t", "--target-directory")]
    yield from _with_access(target, "write")
    sources, last = (operands, []) if target else (operands[:-1], operands[-1:])
    yield from _with_access(sources, "remove" if use == "move" else "read")
    yield from _with_access(last, "write")


def _list_dd(operands: list[Word]) -> Iterator[tuple[Word, Access]]:
    for word in operands:
        key, _, value = (word.likely if word.likely is not None else word.prefix).partition("=")
        if key in ("of", "if"):
            path = Word(text=None if word.likely is None else value, source=word.source, prefix=value)
            yield path, "write" if key == "of" else "read"


def _find_roots(operands: list[Word]) -> list[Word]:
    """The folders in which find begins; without one, the working folder."""
    roots: list[Word] = []
    for word in operands:
        if word.likely is not None and word.likely[:1] in ("-", "(", "!"):
            break
        roots.append(word)
    return roots or [Word(text=".", source=".")]


def _looks_like_path(argument: Argument) -> bool:
    word = argument.word
    text = word.source.strip('"') if word.likely is None else word.likely
    if argument.option in CODE_OPTIONS or "://" in text or len(text) > 4096 or _NO_PATH.search(text):
        return False
    return text.startswith(("/", "~", ".")) or "/" in text


def list_hosts(name: str, arguments: Sequence[Argument]) -> Iterator[Host]:
    """The hosts that a command names."""
    if name in NO_HOSTS or FILE_USES.get(name) == "none":
        return
    if name == "git" and not any(each.word.likely in GIT_REMOTE for each in arguments):
        return
    operands = [each.word for each in arguments if not each.option]
    for each in arguments:
        if each.option in CODE_OPTIONS:
            continue
        yield from find_urls(each.word.likely if each.word.likely is not None else each.word.prefix)
    if name in URL_OPERANDS:
        yield from (_plain_host(word) for word in operands if "://" not in (word.likely or word.prefix))
    elif name in HOST_FIRST and operands:
        first = next((word for word in operands if not (word.likely or "").startswith(("@", "+"))), operands[0])
        yield _plain_host(first)
    elif name in HOST_OPERANDS:
        yield from _list_remote(name, operands)


def _list_remote(name: str, operands: list[Word]) -> Iterator[Host]:
    for word in operands[:1] if name in ("ssh", "sftp") else operands:
        text = word.likely if word.likely is not None else word.prefix
        if name in ("ssh", "sftp"):
            yield Host(None) if word.likely is None else Host(text.rpartition("@")[2].partition(":")[0])
        elif match := _REMOTE.match(text):
            yield Host(match[1])


def _plain_host(word: Word) -> Host:
    match = _PLAIN_HOST.fullmatch(word.likely) if word.likely is not None else None
    return make_host(match[1], match[2]) if match else Host(None)


def find_urls(text: str) -> Iterator[Host]:
    """The hosts of the addresses in a text."""
    for match in _URL.finditer(text) if "://" in text else ():
        # A local file is none.
        if not match[0].startswith("file:"):
            yield make_host(match[1], match[2])


def find_socket(path: str) -> Host | None:
    """The host of bash's own `/dev/tcp/HOST/PORT`."""
    match = _SOCKET.match(path)
    return make_host(match[1], match[2] if match[2].isdigit() else None) if match else None


def make_host(name: str, port: str | None) -> Host:
    """A host in lower case, without brackets."""
    plain = name.strip("[]").lower().rstrip(".")
    return Host(plain or None, int(port) if port else None)
