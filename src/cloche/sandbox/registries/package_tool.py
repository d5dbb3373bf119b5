"""The sandbox's `npm`, `gem`, `composer`...: they install, remove and list packages."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from cloche.errors import ClocheError, ConfigError
from cloche.sandbox.packages.guest_pip.pip_command import describe_for_guest
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from cloche.sandbox.registries.lookup import find_registry

Out = Callable[[str], Awaitable[None]]


class PackageTool(msgspec.Struct, frozen=True):
    """How one of these commands is spoken to."""

    language: str
    verbs: dict[str, str]
    """What each word that may come first means; that of the empty one, when none of them does."""
    valued: frozenset[str] = frozenset()
    """Options that have a value, which is of no interest here."""
    version: frozenset[str] = frozenset()
    """Options whose value is the version of the package before or after them."""
    joint: str = "@"
    """What stands between a name and its version."""


_LUA = {"install": "install", "remove": "remove", "list": "list", "purge": ""}
TOOLS = {
    "npm": PackageTool(
        "javascript",
        {
            **dict.fromkeys(("install", "i", "add", "in", "ins"), "install"),
            **dict.fromkeys(("update", "up", "upgrade"), "upgrade"),
            **dict.fromkeys(("uninstall", "remove", "rm", "un", "r", "unlink"), "remove"),
            **dict.fromkeys(("ls", "list", "ll", "la"), "list"),
        },
        valued=frozenset(("--registry", "--prefix", "--loglevel", "--depth", "--tag", "-C", "--omit", "--include")),
    ),
    "gem": PackageTool(
        "ruby",
        {"install": "install", "i": "install", "update": "upgrade", "uninstall": "remove", "list": "list"},
        valued=frozenset(("-i", "--install-dir", "--source", "-s", "--platform", "-P")),
        version=frozenset(("-v", "--version")),
        joint=":",
    ),
    "composer": PackageTool(
        "php",
        {"require": "install", "update": "upgrade", "remove": "remove", "show": "list"},
        valued=frozenset(("-d", "--working-dir")),
        joint=":",
    ),
    "luarocks": PackageTool("lua", _LUA, valued=frozenset(("--server", "--tree", "--lua-version", "--from"))),
    "cpan": PackageTool("perl", {"": "install"}),
    "cpanm": PackageTool("perl", {"": "install"}, valued=frozenset(("-l", "-L", "--mirror", "--local-lib"))),
}


class ToolCall(msgspec.Struct):
    """One command line, read."""

    verb: str
    names: list[str] = []
    quiet: bool = False


async def run_tool(libraries: InstalledLibraries, name: str, args: Sequence[str], out: Out, refusal: str) -> int:
    """Run a command line and give its exit code; what it prints goes to `out`. With `refusal` nothing is changed."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ConfigError(f"there is no command {name[:50]!r} for packages")
    try:
        call = read_call(name, tool, args)
        if call.verb == "help":
            await out(_help(name, tool))
            return 0
        if call.verb != "list" and refusal:
            await out(f"{name}: {refusal}\n")
            return 1
        return await _ACTIONS[call.verb](libraries, tool, call, out)
    except (ClocheError, OSError) as error:
        await out(f"{name}: {describe_for_guest(error)}\n")
        return 2 if isinstance(error, ConfigError) else 1


def read_call(name: str, tool: PackageTool, args: Sequence[str]) -> ToolCall:
    """What a command line asks for."""
    words: list[str] = []
    versions: list[str] = []
    quiet = False
    rest = list(args)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if option in tool.valued or option in tool.version:
            value = value if equals else rest.pop(0) if rest else ""
            versions += [value] if option in tool.version else []
        elif word in ("-h", "--help", "help"):
            return ToolCall("help")
        elif not word.startswith("-"):
            words.append(word)
        quiet |= word in ("-q", "-s", "--quiet", "--silent")
    return _read_words(name, tool, words, versions, quiet)


def _read_words(name: str, tool: PackageTool, words: list[str], versions: list[str], quiet: bool) -> ToolCall:
    verb = tool.verbs.get(words[0] if words else "", tool.verbs.get(""))
    if not verb:
        known = ", ".join(each for each in tool.verbs if each)
        if not words:
            return ToolCall("help")
        raise ConfigError(f"unknown command {words[0][:50]!r}: the {name} of this sandbox knows {known}")
    names = words if "" in tool.verbs else words[1:]
    if name == "luarocks" and len(names) == 2 and names[1][:1].isdigit():
        names = [f"{names[0]}@{names[1]}"]
    if versions and len(names) == 1:
        names = [f"{names[0]}{tool.joint}{versions[-1]}"]
    if verb != "list" and not names:
        raise ConfigError(f"name the packages, as in `{name} {words[0] if words else ''} NAME`")
    return ToolCall(verb, names, quiet)


def _help(name: str, tool: PackageTool) -> str:
    verbs = " | ".join(each for each in tool.verbs if each)
    usage = f"{name} {verbs} [NAME...]" if verbs else f"{name} NAME..."
    return (
        f"Usage: {usage}\n\nPackages are fetched by the host, from the registries it knows, and lie in "
        f"/opt/languages/{tool.language}.\nNothing is built: packages with native code cannot be used.\n"
    )


async def _install(libraries: InstalledLibraries, tool: PackageTool, call: ToolCall, out: Out) -> int:
    done = await libraries.install(tool.language, call.names, LibraryOrder(upgrade=call.verb == "upgrade"))
    if call.quiet:
        return 0
    for warning in libraries.warnings:
        await out(f"warning: {warning}\n")
    for each in done.already:
        await out(f"already there: {each}\n")
    for each in done.packages:
        await out(f"installed {each.name} {each.version}\n")
    return 0


async def _remove(libraries: InstalledLibraries, tool: PackageTool, call: ToolCall, out: Out) -> int:
    registry = find_registry(tool.language)
    names = [registry.parse(each).name for each in call.names]
    gone = await libraries.uninstall(tool.language, names)
    for each in gone:
        await out(f"removed {each.name} {each.version}\n")
    for name in names:
        if all(each.name != name for each in gone):
            await out(f"warning: {name} was not asked for, or others need it: it stays as it is\n")
    return 0


async def _list(libraries: InstalledLibraries, tool: PackageTool, _: ToolCall, out: Out) -> int:
    found = {(each.name, each.version) for each in libraries.packages if each.language == tool.language}
    hidden = {(each.name, each.version) for each in libraries.packages if each.library}
    for name, version in sorted(found - hidden):
        await out(f"{name} {version}\n")
    return 0


_ACTIONS: dict[str, Callable[[InstalledLibraries, PackageTool, ToolCall, Out], Awaitable[int]]] = {
    "install": _install,
    "upgrade": _install,
    "remove": _remove,
    "list": _list,
}
