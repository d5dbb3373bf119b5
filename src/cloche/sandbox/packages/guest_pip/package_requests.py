"""Answers package requests of code in a sandbox."""

from typing import Any, TypeVar

import msgspec

from cloche.errors import ClocheError, ConfigError, PackageError
from cloche.sandbox.packages.guest_pip.guest_errors import describe_for_guest
from cloche.sandbox.packages.guest_pip.pip_command import run_pip_command
from cloche.sandbox.packages.install_plan import InstallOrder
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.installer import OFF
from cloche.sandbox.process.host_requests import HostRequest

CHANGES = frozenset(("install", "uninstall", "download"))
ASKED = 1000
"""The most arguments of one pip command."""


class _PipRequest(msgspec.Struct, frozen=True):
    args: list[str]
    cwd: str = "/workspace"


class _InstallRequest(msgspec.Struct, frozen=True):
    names: list[str]


class _ProvideRequest(msgspec.Struct, frozen=True):
    module: str


T = TypeVar("T")


async def answer_package_request(
    ask: HostRequest, packages: InstalledPackages, *, allowed: bool, automatic: bool
) -> None:
    """Answer "pip", "install" or "provide", if the guest may install, or may install automatically."""
    if ask.content["kind"] == "pip":
        await _answer_pip(ask, packages, allowed)
    elif ask.content["kind"] == "install":
        await _answer_install(ask, packages, allowed)
    else:
        await _answer_provide(ask, packages, allowed and automatic)


async def _answer_pip(ask: HostRequest, packages: InstalledPackages, allowed: bool) -> None:
    question = _read_request(ask.content, _PipRequest)
    if len(question.args) > ASKED:
        raise ConfigError(f"pip was given {len(question.args)} arguments; put them into a file and use -r.")
    if not allowed and CHANGES.intersection(question.args):
        await ask.send(f"ERROR: {OFF}\n".encode())
        ask.answer({"exit": 1})
        return

    async def out(text: str) -> None:
        await ask.send(text.encode(errors="replace"))

    ask.answer(msgspec.to_builtins(await run_pip_command(packages, question.args, question.cwd, out)))


async def _answer_install(ask: HostRequest, packages: InstalledPackages, allowed: bool) -> None:
    names = _read_request(ask.content, _InstallRequest).names
    if not allowed:
        raise PackageError(OFF)
    try:
        done = await packages.install(names[:ASKED], InstallOrder())
    except (ClocheError, OSError) as error:
        raise PackageError(describe_for_guest(error)) from None
    ask.answer({"installed": [{"name": each.name, "version": each.version} for each in done.packages]})


async def _answer_provide(ask: HostRequest, packages: InstalledPackages, allowed: bool) -> None:
    module = _read_request(ask.content, _ProvideRequest).module
    if not allowed:
        ask.answer({"found": False, "message": ""})
        return
    try:
        done = await packages.provide(module)
    except (ClocheError, OSError) as error:
        told = {"found": False, "message": describe_for_guest(error)}
        if isinstance(error, PackageError) and error.source:
            told |= {"source": error.source, "package": await packages.package_of(module)}
        ask.answer(told)
        return
    new = " ".join(f"{each.name}-{each.version}" for each in done.packages)
    ask.answer({"found": True, "message": f"installed {new} for `import {module}`" if new else ""})


def _read_request(question: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(question, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the question cannot be read: {error}") from None
