"""The sandbox's `npm`, `gem`, `composer` and the like: they install, remove and list packages."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec
from anyio import to_thread

from cloche.errors import ClocheError, ConfigError
from cloche.sandbox.packages.guest_pip.pip_command import describe_for_guest
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from cloche.sandbox.registries.lookup import find_tool
from cloche.sandbox.registries.registry import Registry
from cloche.sandbox.registries.tool_syntax import ToolSyntax

Out = Callable[[str], Awaitable[None]]


class ToolCall(msgspec.Struct):
    """A parsed command line."""

    verb: str
    names: list[str] = []
    quiet: bool = False


async def run_tool(libraries: InstalledLibraries, name: str, args: Sequence[str], out: Out, refusal: str) -> int:
    """Run a command line and return its exit code; its output goes to `out`. With `refusal` nothing is changed."""
    registry = await to_thread.run_sync(find_tool, name)
    if registry is None:
        raise ConfigError(f"there is no command {name[:50]!r} for packages")
    try:
        tool = next(each for each in registry.tools if each.name == name)
        call = read_call(tool, args)
        if call.verb == "help":
            await out(_describe_usage(tool, registry.language))
            return 0
        if call.verb != "list" and refusal:
            await out(f"{name}: {refusal}\n")
            return 1
        return await _ACTIONS[call.verb](libraries, registry, call, out)
    except (ClocheError, OSError) as error:
        await out(f"{name}: {describe_for_guest(error)}\n")
        return 2 if isinstance(error, ConfigError) else 1


def read_call(tool: ToolSyntax, args: Sequence[str]) -> ToolCall:
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
    return _read_words(tool, words, versions, quiet)


def _read_words(tool: ToolSyntax, words: list[str], versions: list[str], quiet: bool) -> ToolCall:
    verb = tool.verbs.get(words[0] if words else "", tool.verbs.get(""))
    if not verb:
        known = ", ".join(each for each in tool.verbs if each)
        if not words:
            return ToolCall("help")
        raise ConfigError(f"unknown command {words[0][:50]!r}: the {tool.name} of this sandbox knows {known}")
    names = words if "" in tool.verbs else words[1:]
    if tool.version_follows and len(names) == 2 and names[1][:1].isdigit():
        names = [f"{names[0]}@{names[1]}"]
    if versions and len(names) == 1:
        names = [f"{names[0]}{tool.joint}{versions[-1]}"]
    if verb != "list" and not names:
        raise ConfigError(f"name the packages, as in `{tool.name} {words[0] if words else ''} NAME`")
    return ToolCall(verb, names, quiet)


def _describe_usage(tool: ToolSyntax, language: str) -> str:
    verbs = " | ".join(each for each in tool.verbs if each)
    usage = f"{tool.name} {verbs} [NAME...]" if verbs else f"{tool.name} NAME..."
    return (
        f"Usage: {usage}\n\nPackages are fetched by the host, from the registries it knows, and lie in "
        f"/opt/languages/{language}.\nNothing is built: packages with native code cannot be used.\n"
    )


async def _install_packages(libraries: InstalledLibraries, registry: Registry, call: ToolCall, out: Out) -> int:
    done = await libraries.install(registry.language, call.names, LibraryOrder(upgrade=call.verb == "upgrade"))
    if call.quiet:
        return 0
    for warning in libraries.warnings:
        await out(f"warning: {warning}\n")
    for each in done.already:
        await out(f"already there: {each}\n")
    for each in done.packages:
        await out(f"installed {each.name} {each.version}\n")
    return 0


async def _remove_packages(libraries: InstalledLibraries, registry: Registry, call: ToolCall, out: Out) -> int:
    names = [registry.parse(each).name for each in call.names]
    gone = await libraries.uninstall(registry.language, names)
    for each in gone:
        await out(f"removed {each.name} {each.version}\n")
    for name in names:
        if all(each.name != name for each in gone):
            await out(f"warning: {name} was not asked for, or others need it: it stays as it is\n")
    return 0


async def _list_packages(libraries: InstalledLibraries, registry: Registry, _: ToolCall, out: Out) -> int:
    found = {(each.name, each.version) for each in libraries.packages if each.language == registry.language}
    hidden = {(each.name, each.version) for each in libraries.packages if each.library}
    for name, version in sorted(found - hidden):
        await out(f"{name} {version}\n")
    return 0


_ACTIONS: dict[str, Callable[[InstalledLibraries, Registry, ToolCall, Out], Awaitable[int]]] = {
    "install": _install_packages,
    "upgrade": _install_packages,
    "remove": _remove_packages,
    "list": _list_packages,
}
