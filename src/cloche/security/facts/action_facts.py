"""The facts of an action."""

from cloche.events import (
    Action,
    AddEnvVarsAction,
    BrowseInteractiveAction,
    BrowseURLAction,
    CmdRunAction,
    CopyFromAction,
    CopyToAction,
    FileEditAction,
    FileReadAction,
    FileWriteAction,
    IPythonRunCellAction,
    ListFilesAction,
    MCPAction,
    MkdirAction,
    MoveAction,
    RmAction,
    RmdirAction,
    RunCodeAction,
)
from cloche.security.facts.bash_facts import read_bash
from cloche.security.facts.fact import Access, Fact, shorten
from cloche.security.facts.operands import find_urls
from cloche.security.facts.other_code import read_code
from cloche.security.facts.places import Surroundings, expand_home
from cloche.security.facts.reading import NOTHING, At, OutOfBudget, Reading
from cloche.security.facts.spelling import shorten_names
from cloche.security.facts.words import Word

_KEYS = frozenset({"C-c", "C-d", "C-z"})


def make_action(language: str, code: str) -> CmdRunAction | IPythonRunCellAction | RunCodeAction:
    """The action that would run this code."""
    if language == "bash":
        return CmdRunAction(code)
    return IPythonRunCellAction(code) if language == "python" else RunCodeAction(language, code)


def read_action(action: Action, surroundings: Surroundings | None = None) -> list[Fact]:
    """Everything that is known about an action before it runs."""
    reading = Reading(surroundings or Surroundings())
    reading.add(Fact(kind="action", value=action.kind, excerpt=shorten(action.message)))
    try:
        _read_body(action, reading)
    except OutOfBudget:
        return [*reading.facts, _give_up("too_large", "it has more in it than is read", action)]
    except RecursionError:
        return [*reading.facts, _give_up("too_deep", "it is nested too deeply to be read", action)]
    return reading.facts


def _give_up(name: str, note: str, action: Action) -> Fact:
    return Fact(kind="construct", value=name, excerpt=shorten(action.message), note=note)


def _read_body(action: Action, reading: Reading) -> None:
    at = reading.start()
    match action:
        case CmdRunAction():
            _read_command(action, reading, at)
        case IPythonRunCellAction(code=code):
            _read_language("python", code, reading, at)
        case RunCodeAction(language=language, code=code):
            _read_language(language, code, reading, at)
        case MCPAction(name=name, arguments=arguments):
            reading.add(Fact(kind="tool", value=name, excerpt=shorten(name)))
            _read_addresses(str(arguments), reading)
        case AddEnvVarsAction(env_vars=variables):
            for name in variables:
                reading.add(Fact(kind="variable", value=name, excerpt=shorten(name)))
        case BrowseURLAction(url=url):
            _read_addresses(url if "://" in url else f"https://{url}", reading)
        case BrowseInteractiveAction(browser_actions=text):
            _read_addresses(text, reading)
        case _:
            _read_file_action(action, reading, at)


def _read_command(action: CmdRunAction, reading: Reading, at: At) -> None:
    if action.is_input:
        # Typed into a program that runs: into a shell, perhaps, so that it is read as one would.
        reading.add(Fact(kind="construct", value="input", excerpt=shorten(action.command)))
        if action.command in _KEYS:
            return
    if action.is_static and action.cwd is not None:
        at = At(place=at.place.enter(action.cwd), stdin=NOTHING)
    read_bash(action.command, reading, at)


def _read_language(language: str, code: str, reading: Reading, at: At) -> None:
    read_code(shorten_names(language), code, reading, at, read_bash)


def _read_addresses(text: str, reading: Reading) -> None:
    for host in dict.fromkeys(find_urls(text)):
        reading.add_host(host, text, language="")


def _read_file_action(action: Action, reading: Reading, at: At) -> None:
    access: Access
    match action:
        case MoveAction(path=path, destination=destination):
            _read_path(destination, "write", reading, at)
            access = "remove"
        case FileReadAction(path=path) | ListFilesAction(path=path) | CopyFromAction(path=path):
            access = "read"
        case FileEditAction(path=path, command="view"):
            access = "read"
        case FileWriteAction(path=path) | FileEditAction(path=path) | MkdirAction(path=path) | CopyToAction(path=path):
            access = "write"
        case RmAction(path=path) | RmdirAction(path=path):
            access = "remove"
        case _:
            return
    _read_path(path, access, reading, at)


def _read_path(path: str, access: Access, reading: Reading, at: At) -> None:
    full = expand_home(path, reading.surroundings.home)
    reading.add_file(Word(text=full, source=path), access, at.place, path)
