"""Answers requests of code in a sandbox for packages of languages other than Python."""

from typing import Any, TypeVar

import msgspec

from cloche.errors import ClocheError, ConfigError, PackageError
from cloche.sandbox.packages.guest_pip.guest_errors import describe_for_guest
from cloche.sandbox.packages.installer import OFF
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from cloche.sandbox.registries.package_tool import run_tool

ASKED = 200
"""The most names, or words of one command, in one request."""

LENGTH = 500
"""The most characters of one of them."""

BY_ITSELF = "packages are not installed by themselves in this sandbox (auto_install=False)"

T = TypeVar("T")


class _InstallRequest(msgspec.Struct, frozen=True):
    language: str
    names: list[str]


class _ProvideRequest(msgspec.Struct, frozen=True):
    language: str
    name: str


class _ToolRequest(msgspec.Struct, frozen=True):
    tool: str
    args: list[str]
    cwd: str = "/workspace"


async def answer_library_request(
    ask: HostRequest, libraries: InstalledLibraries, *, allowed: bool, automatic: bool
) -> None:
    """Answer "install", "provide" or "registry", if the guest may install, or may install automatically."""
    match ask.content["kind"]:
        case "registry":
            await _answer_tool(ask, libraries, allowed)
        case "install":
            question = _read_request(ask.content, _InstallRequest)
            _check_words(question.names, allowed, OFF)
            await _install_libraries(ask, libraries, question.language, question.names)
        case _:
            provide = _read_request(ask.content, _ProvideRequest)
            _check_words([provide.name], allowed and automatic, BY_ITSELF if allowed else OFF)
            await _install_libraries(ask, libraries, provide.language, provide.name)


async def _install_libraries(
    ask: HostRequest, libraries: InstalledLibraries, language: str, what: list[str] | str
) -> None:
    order = LibraryOrder()
    try:
        if isinstance(what, str):
            done = await libraries.provide(language, what, order)
        else:
            done = await libraries.install(language, what, order)
    except (ClocheError, OSError) as error:
        raise PackageError(describe_for_guest(error)) from None
    ask.answer({"installed": [{"name": each.name, "version": each.version} for each in done.packages]})


async def _answer_tool(ask: HostRequest, libraries: InstalledLibraries, allowed: bool) -> None:
    question = _read_request(ask.content, _ToolRequest)
    _check_words(question.args, True, "")

    async def out(text: str) -> None:
        await ask.send(text.encode(errors="replace"))

    refusal = "" if allowed else OFF
    ask.answer({"exit": await run_tool(libraries, question.tool, question.args, out, refusal)})


def _check_words(words: list[str], allowed: bool, refusal: str) -> None:
    if not allowed:
        raise PackageError(refusal)
    if len(words) > ASKED or any(len(each) > LENGTH for each in words):
        raise ConfigError(f"more than {ASKED} names at once, or one of more than {LENGTH} characters, is too much")


def _read_request(question: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(question, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the question cannot be read: {error}") from None
