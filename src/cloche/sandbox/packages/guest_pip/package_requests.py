"""Answers package requests of code in a sandbox."""

from typing import Any, TypeVar

import msgspec

from cloche.errors import ClocheError, ConfigError, PackageError
from cloche.sandbox.packages.guest_pip.guest_errors import tell
from cloche.sandbox.packages.guest_pip.pip_command import pip
from cloche.sandbox.packages.install_plan import Order
from cloche.sandbox.packages.installed import Packages
from cloche.sandbox.packages.installer import OFF
from cloche.sandbox.process.host_requests import Ask

CHANGES = frozenset(("install", "uninstall"))
ASKED = 1000
"""Arguments that one command line of pip may have."""


class _Pip(msgspec.Struct, frozen=True):
    args: list[str]
    cwd: str = "/workspace"


class _Install(msgspec.Struct, frozen=True):
    names: list[str]


class _Provide(msgspec.Struct, frozen=True):
    module: str


T = TypeVar("T")


async def answer(ask: Ask, packages: Packages, *, allowed: bool, automatic: bool) -> None:
    """Answer "pip", "install" or "provide", as far as the guest may install, and may without being told to."""
    if ask.question["what"] == "pip":
        await _answer_pip(ask, packages, allowed)
    elif ask.question["what"] == "install":
        await _answer_install(ask, packages, allowed)
    else:
        await _answer_provide(ask, packages, allowed and automatic)


async def _answer_pip(ask: Ask, packages: Packages, allowed: bool) -> None:
    question = _read(ask.question, _Pip)
    if len(question.args) > ASKED:
        raise ConfigError(f"pip was given {len(question.args)} arguments; put them into a file and use -r.")
    if not allowed and CHANGES.intersection(question.args):
        await ask.send(f"ERROR: {OFF}\n".encode())
        ask.answer({"exit": 1})
        return

    async def out(text: str) -> None:
        await ask.send(text.encode(errors="replace"))

    ask.answer({"exit": await pip(packages, question.args, question.cwd, out)})


async def _answer_install(ask: Ask, packages: Packages, allowed: bool) -> None:
    names = _read(ask.question, _Install).names
    if not allowed:
        raise PackageError(OFF)
    try:
        done = await packages.install(names[:ASKED], Order())
    except (ClocheError, OSError) as error:
        raise PackageError(tell(error)) from None
    ask.answer({"installed": [{"name": each.name, "version": each.version} for each in done.packages]})


async def _answer_provide(ask: Ask, packages: Packages, allowed: bool) -> None:
    module = _read(ask.question, _Provide).module
    if not allowed:
        ask.answer({"found": False, "message": ""})
        return
    try:
        done = await packages.provide(module)
    except (ClocheError, OSError) as error:
        ask.answer({"found": False, "message": tell(error)})
        return
    new = " ".join(f"{each.name}-{each.version}" for each in done.packages)
    ask.answer({"found": True, "message": f"installed {new} for `import {module}`" if new else ""})


def _read(question: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(question, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the question cannot be read: {error}") from None
