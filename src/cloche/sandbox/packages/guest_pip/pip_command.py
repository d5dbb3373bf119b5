"""The sandbox's `pip`: the usual commands, with pip's messages."""

import importlib.metadata
import json
import posixpath
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from anyio import to_thread
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from cloche.errors import ClocheError, ConfigError, PackageError
from cloche.sandbox.packages.guest_pip.guest_errors import describe_for_guest
from cloche.sandbox.packages.guest_pip.pip_arguments import PipArguments, read_arguments
from cloche.sandbox.packages.install_plan import InstallOrder
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.package import InstallReport
from cloche.sandbox.packages.requirements import is_file, parse_requirement, read_requirements

Out = Callable[[str], Awaitable[None]]

LOCATION = "/opt/packages"
"""Where the guest sees its packages."""

HELP = """\
Usage:
  pip <command> [options]

Commands:
  install      Install packages: by name, as a wheel file, with -r FILE, or from the folder of a project, also with -e;
               -U takes newer ones.
  uninstall    Uninstall packages.
  list         List installed packages (--format=columns, freeze or json).
  freeze       Output installed packages in requirements format.
  show         Show information about installed packages.
  check        Verify that installed packages have compatible dependencies.
  download     Download the source archive of a package (--no-deps --no-binary :all:).

Packages are fetched by the host, from the indexes that its pip knows. Wheels for pure Python and for WebAssembly can be
installed. Projects in a folder, and packages without such a wheel, are built inside the sandbox, if they need no
compiler.
"""


class PipEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a call of pip ended."""

    exit: int
    source: str | None = None
    """The requirement that has no suitable wheel; its source may be built in the sandbox, and the call repeated."""
    error: str | None = None
    """Why it has none."""


class PipCommand(msgspec.Struct, frozen=True):
    """One call of pip."""

    packages: InstalledPackages
    args: PipArguments
    cwd: str
    out: Out

    async def say(self, text: str) -> None:
        """Print a line, unless --quiet was given."""
        if not self.args.has("-q"):
            await self.out(text + "\n")


async def run_pip_command(packages: InstalledPackages, args: Sequence[str], cwd: str, out: Out) -> PipEnd:
    """Run a pip command and return its end; its output goes to `out` in pieces."""
    try:
        return PipEnd(await _run_command(packages, args, cwd, out))
    except (ClocheError, OSError) as error:
        text = describe_for_guest(error)
        if isinstance(error, PackageError) and error.source:
            return PipEnd(1, error.source, text)
        await out(f"ERROR: {text}\n")
        return PipEnd(2 if isinstance(error, ConfigError) else 1)


async def _run_command(packages: InstalledPackages, args: Sequence[str], cwd: str, out: Out) -> int:
    name, arguments = read_arguments(args)
    command = PipCommand(packages, arguments, cwd, out)
    if arguments.has("--version"):
        version = await to_thread.run_sync(importlib.metadata.version, "cloche")
        await out(f"pip {version} from {LOCATION} (cloche)\n")
        return 0
    if not name or arguments.has("-h"):
        await out(HELP)
        return 0
    return await _COMMANDS[name](command)


async def _install_packages(command: PipCommand) -> int:
    wanted, order = await _read_wanted(command)
    if not wanted:
        raise ConfigError("You must give at least one requirement to install (see 'pip --help').")
    for name in await command.packages.missing(each for each in wanted if not is_file(each)):
        await command.say(f"Collecting {name}")
    await _report_install(command, await command.packages.install(wanted, order))
    return 0


async def _read_wanted(command: PipCommand) -> tuple[list[str], InstallOrder]:
    args = command.args
    wanted = [posixpath.join(command.cwd, each) if is_file(each) else each for each in args.words]
    order = InstallOrder(args.has("-U"), args.has("--pre"))
    for option in ("-r", "-c"):
        for file in args.values(option):
            listed = await read_requirements(
                posixpath.join(command.cwd, file), command.packages.read_file, constraining=option == "-c"
            )
            wanted += listed.requirements
            order.add(listed)
    return wanted, order


async def _report_install(command: PipCommand, done: InstallReport) -> None:
    for each in done.already:
        name, _, version = each.partition(" ")
        await command.say(f"Requirement already satisfied: {name} in {LOCATION} ({version})")
    for before, now in done.changed:
        await command.say(f"Changed: {now.name} {before.version} -> {now.version}")
    if new := done.packages:
        await command.say("Successfully installed " + " ".join(f"{each.name}-{each.version}" for each in new))


async def _uninstall_packages(command: PipCommand) -> int:
    names = list(command.args.words)
    for file in command.args.values("-r"):
        listed = await read_requirements(posixpath.join(command.cwd, file), command.packages.read_file)
        names += [Requirement(each).name for each in listed.requirements]
    if not names:
        raise ConfigError("You must give at least one requirement to uninstall (see 'pip --help').")
    there = {name for name, _ in await command.packages.list()}
    gone = {each.name: each for each in await command.packages.uninstall(names)}
    for name in names:
        if each := gone.get(canonicalize_name(name)):
            await command.say(f"Found existing installation: {each.name} {each.version}")
            await command.say(f"Successfully uninstalled {each.name}-{each.version}")
        elif canonicalize_name(name) in there:
            await command.out(f"ERROR: {name} belongs to the sandbox and stays\n")
        else:
            await command.out(f"WARNING: Skipping {name} as it is not installed.\n")
    return 0


async def _list_packages(command: PipCommand) -> int:
    found = await command.packages.list()
    style = [*command.args.values("--format"), "columns"][0]
    if style == "json":
        await command.out(json.dumps([{"name": name, "version": version} for name, version in found]) + "\n")
    elif style == "freeze":
        return await _freeze_packages(command)
    else:
        rows = [("Package", "Version"), *found]
        wide, high = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines = [f"{name:{wide}} {version}" for name, version in rows]
        await command.out("\n".join([lines[0], f"{'-' * wide} {'-' * high}", *lines[1:]]) + "\n")
    return 0


async def _freeze_packages(command: PipCommand) -> int:
    await command.out("".join(f"{name}=={version}\n" for name, version in await command.packages.list()))
    return 0


async def _show_packages(command: PipCommand) -> int:
    if not command.args.words:
        raise ConfigError("Please provide a package name or names.")
    sheets: list[str] = []
    for name in command.args.words:
        found = await command.packages.show(name)
        if found is None:
            await command.out(f"WARNING: Package(s) not found: {name}\n")
            continue
        package, metadata = found
        needers = [each.name for each in command.packages.packages if package.name in _required_names(each.requires)]
        fields = ("Summary", "Home-page", "Author", "Author-email", "License")
        lines = [f"Name: {metadata['Name']}", f"Version: {package.version}"]
        lines += [f"{field}: {str(metadata.get(field, '')).partition(chr(10))[0][:500]}" for field in fields]
        lines += [f"Location: {LOCATION}", f"Requires: {', '.join(_required_names(package.requires))}"]
        sheets.append("\n".join([*lines, f"Required-by: {', '.join(sorted(needers))}"]) + "\n")
    await command.out("---\n".join(sheets))
    return 0 if sheets else 1


async def _check_packages(command: PipCommand) -> int:
    there = {canonicalize_name(name): version for name, version in await command.packages.list()}
    problems: list[str] = []
    for package in command.packages.packages:
        for requirement in _plain_requirements(package.requires):
            name = canonicalize_name(requirement.name)
            version = there.get(name)
            if version is None:
                problems.append(f"{package.name} {package.version} requires {name}, which is not installed.")
            elif not requirement.specifier.contains(version, prereleases=True):
                problems.append(
                    f"{package.name} {package.version} has requirement {requirement}, but you have {name} {version}."
                )
    await command.out("".join(f"{each}\n" for each in problems) or "No broken requirements found.\n")
    return 1 if problems else 0


async def _download_source(command: PipCommand) -> int:
    args = command.args
    if not args.words or not args.has("--no-binary") or not args.has("--no-deps"):
        raise ConfigError(
            "only sources can be downloaded (pip download --no-deps --no-binary :all: NAME); pip install needs no files"
        )
    folder = posixpath.join(command.cwd, *args.values("-d")[-1:])
    for each in args.words:
        path = await command.packages.fetch_source(parse_requirement(each), folder)
        await command.say(f"Saved {path}")
    return 0


def _plain_requirements(requires: Sequence[str]) -> list[Requirement]:
    """The requirements that hold in every environment."""
    found: list[Requirement] = []
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None:
            found.append(requirement)
    return found


def _required_names(requires: Sequence[str]) -> list[str]:
    """The packages that are needed without any extra."""
    found: set[str] = set()
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None or "extra" not in str(requirement.marker):
            found.add(canonicalize_name(requirement.name))
    return sorted(found)


_COMMANDS: dict[str, Callable[[PipCommand], Awaitable[int]]] = {
    "install": _install_packages,
    "uninstall": _uninstall_packages,
    "list": _list_packages,
    "freeze": _freeze_packages,
    "show": _show_packages,
    "check": _check_packages,
    "download": _download_source,
}
