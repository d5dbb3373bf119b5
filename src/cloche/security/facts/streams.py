"""What commands print: a text that is known, or where it comes from."""

from collections.abc import Mapping, Sequence

from cloche.security.facts.command_table import DECODERS, FETCHERS, PASSING
from cloche.security.facts.fact import Command, Fact
from cloche.security.facts.quoting import decode_ansi
from cloche.security.facts.reading import PIPE, Stream
from cloche.security.facts.words import Value

_PRINTERS = ("echo", "printf")


def judge_output(facts: Sequence[Fact], stdin: Stream, origins: Mapping[str, str], *, single: bool) -> Stream:
    """What the commands of these facts print; `single` says that there is only one."""
    commands = [fact.command for fact in facts if fact.kind == "command" and fact.command is not None]
    read: set[str] = {origins.get(fact.value or "", "") for fact in facts if fact.kind == "file"}
    if "network" in read or _is_fetched(commands, facts, stdin):
        return Stream(origin="network")
    if "decoded" in read or stdin.origin == "decoded" or any(_decodes(command) for command in commands):
        return Stream(origin="decoded")
    if single and len(commands) == 1:
        return _judge_command(commands[0], stdin)
    return PIPE


def _is_fetched(commands: Sequence[Command], facts: Sequence[Fact], stdin: Stream) -> bool:
    return (
        stdin.origin == "network"
        or any(command.name in FETCHERS for command in commands)
        or any(fact.kind == "code" and fact.value == "network" for fact in facts)
    )


def _decodes(command: Command) -> bool:
    if command.name not in DECODERS:
        return False
    needed = DECODERS[command.name]
    return not needed or bool(needed & command.flags) or "-d" in command.words


def _judge_command(command: Command, stdin: Stream) -> Stream:
    words = command.words[1:]
    if command.name in _PRINTERS:
        return Stream(origin="computed") if None in words else Stream(text=_print_words(command))
    operands = [word for word in words if word is None or not word.startswith("-")]
    if command.name in PASSING and (not operands or command.name == "tee"):
        return stdin
    return PIPE


def _print_words(command: Command) -> str:
    words = [word or "" for word in command.words[1:]]
    if command.name == "printf":
        return _print_format(words)
    flags = ""
    while words and words[0][:1] == "-" and words[0][1:] and set(words[0][1:]) <= set("neE"):
        flags += words.pop(0)
    text = " ".join(words)
    return decode_ansi(text) if "e" in flags else text


def _print_format(words: list[str]) -> str:
    """Roughly what printf prints: escapes are decoded, and each %s and %b is an argument."""
    if not words:
        return ""
    text, rest = decode_ansi(words[0]), words[1:]
    for mark in ("%s", "%b"):
        while mark in text and rest:
            text = text.replace(mark, rest.pop(0), 1)
    return text


def stream_to_value(stream: Stream, *, process: bool) -> Value:
    """The output of a substitution as part of a word; a process substitution is the name of a file."""
    if process:
        return Value(origin=stream.origin or "computed", guess=None)
    origin = stream.origin if stream.origin in ("network", "decoded") else "computed"
    return Value(guess=stream.likely, origin=origin)
