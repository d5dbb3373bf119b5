from typing import Any

import pytest

from cloche.errors import ConfigError, PackageError
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.link import Link
from cloche.sandbox.registries.libraries import InstalledLibraries
from cloche.sandbox.registries.library_requests import answer_library_request
from tests.sandbox.registries.makers import GemIndex


class Heard(Link):
    """Hears what would go to the sandbox."""

    def __init__(self) -> None:
        self.data: list[Any] = []
        self.text = ""

    def send(self, message: dict[str, Any]) -> None:
        self.data.append(message.get("data"))

    def send_chunk(self, request: int, data: bytes | memoryview) -> None:
        self.text += bytes(data).decode()


async def ask(libraries: InstalledLibraries, *, allowed: bool = True, automatic: bool = True, **question: Any) -> Heard:
    heard = Heard()
    request = HostRequest(1, 1, question, heard)
    await answer_library_request(request, libraries, allowed=allowed, automatic=automatic)
    request.end()
    return heard


async def test_code_has_packages_installed_by_name_or_by_what_it_misses(
    libraries: InstalledLibraries, gems: GemIndex
) -> None:
    gems.add("leaf")
    gems.add("tree", needs="leaf:>= 0")
    heard = await ask(libraries, kind="install", language="ruby", names=["tree"])
    assert heard.data == [{"installed": [{"name": "leaf", "version": "1.0.0"}, {"name": "tree", "version": "1.0.0"}]}]
    heard = await ask(libraries, kind="provide", language="ruby", name="leaf/deep")
    assert heard.data == [{"installed": []}]


async def test_what_code_may_not_is_refused(libraries: InstalledLibraries, gems: GemIndex) -> None:
    gems.add("leaf")
    with pytest.raises(PackageError, match="auto_install=False"):
        await ask(libraries, automatic=False, kind="provide", language="ruby", name="leaf")
    with pytest.raises(PackageError, match="allow_install=False"):
        await ask(libraries, allowed=False, kind="provide", language="ruby", name="leaf")
    with pytest.raises(PackageError, match="allow_install=False"):
        await ask(libraries, allowed=False, kind="install", language="ruby", names=["leaf"])
    assert (await ask(libraries, allowed=False, kind="registry", tool="gem", args=["list"])).data == [{"exit": 0}]
    heard = await ask(libraries, allowed=False, kind="registry", tool="gem", args=["install", "leaf"])
    assert (heard.data, "allow_install=False" in heard.text) == ([{"exit": 1}], True)
    assert libraries.packages == []


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "install", "language": "ruby"},
        {"kind": "install", "language": 3, "names": []},
        {"kind": "install", "language": "ruby", "names": "leaf"},
        {"kind": "install", "language": "ruby", "names": ["x"] * 1000},
        {"kind": "provide", "language": "ruby", "name": "x" * 10_000},
        {"kind": "registry", "tool": "rm", "args": []},
        {"kind": "registry", "tool": "gem", "args": [None]},
    ],
)
async def test_questions_that_make_no_sense_are_refused(
    libraries: InstalledLibraries, question: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError):
        await ask(libraries, **question)


async def test_an_error_does_not_reveal_where_the_host_keeps_its_files(
    libraries: InstalledLibraries, gems: GemIndex
) -> None:
    with pytest.raises(PackageError, match="No ruby package is called 'nowhere'"):
        await ask(libraries, kind="install", language="ruby", names=["nowhere"])
    with pytest.raises(PackageError, match="no language 'klingon'"):
        await ask(libraries, kind="install", language="klingon", names=["x"])


async def test_code_asks_only_so_often(
    libraries: InstalledLibraries, gems: GemIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.sandbox.packages.install_budget.ATTEMPTS", 2)
    gems.add("leaf")
    for _ in range(2):
        await ask(libraries, kind="install", language="ruby", names=["leaf"])
    with pytest.raises(PackageError, match="that is all it may"):
        await ask(libraries, kind="install", language="ruby", names=["leaf"])
