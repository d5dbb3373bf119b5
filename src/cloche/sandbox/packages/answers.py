"""Answers the questions about packages that the code in a sandbox asks."""

from typing import Any, TypeVar

import msgspec

from cloche.errors import ClocheError, ConfigError
from cloche.sandbox.asks import Answerer, Ask
from cloche.sandbox.packages.command import pip
from cloche.sandbox.packages.packages import Packages

OFF = "installing packages from inside is switched off for this sandbox (allow_install=False)"
ASKED = 1000
"""Arguments that one command line of pip may have."""


class _Pip(msgspec.Struct, frozen=True):
    args: list[str]
    cwd: str = "/workspace"


class _Provide(msgspec.Struct, frozen=True):
    module: str


T = TypeVar("T")


def answerers(packages: Packages, *, allowed: bool, automatic: bool) -> dict[str, Answerer]:
    """What answers "pip" and "provide"; whether the guest may install at all, and a missing import on its own."""

    async def answer_pip(ask: Ask) -> None:
        question = _read(ask.question, _Pip)
        if len(question.args) > ASKED:
            raise ConfigError(f"pip was given {len(question.args)} arguments; put them into a file and use -r.")
        if not allowed and question.args[:1] not in (["list"], ["show"], ["freeze"], ["--version"]):
            await ask.send(f"ERROR: {OFF}\n".encode())
            ask.answer({"exit": 1})
            return

        async def out(text: str) -> None:
            await ask.send(text.encode(errors="replace"))

        ask.answer({"exit": await pip(packages, question.args, question.cwd, out)})

    async def answer_provide(ask: Ask) -> None:
        module = _read(ask.question, _Provide).module
        if not (allowed and automatic):
            ask.answer({"found": False, "message": ""})
            return
        try:
            done = await packages.provide(module)
        except (ClocheError, OSError) as error:
            ask.answer({"found": False, "message": str(error)})
            return
        new = " ".join(f"{each.name}-{each.version}" for each in done.packages)
        ask.answer({"found": True, "message": f"installed {new} for `import {module}`" if new else ""})

    return {"pip": answer_pip, "provide": answer_provide}


def _read(question: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(question, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the question cannot be read: {error}") from None
