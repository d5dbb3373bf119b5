"""Questions about packages, as a hostile guest may put them."""

from typing import Any, cast

import pytest

from cloche.errors import ConfigError
from cloche.sandbox.packages.guest_pip.package_requests import answer_package_request
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.process.link import Link
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel


class Wire:
    """Keeps what is answered."""

    def __init__(self) -> None:
        self.data: Any = None
        self.text = ""

    def send(self, message: dict[str, Any]) -> None:
        self.data = message["data"]

    def send_chunk(self, _: int, piece: memoryview) -> None:
        self.text += bytes(piece).decode()


async def ask(packages: InstalledPackages, *, allowed: bool = True, automatic: bool = True, **question: Any) -> Wire:
    wire = Wire()
    request = HostRequest(1, 1, question, cast("Link", wire))
    await answer_package_request(request, packages, allowed=allowed, automatic=automatic)
    request.end()
    return wire


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "pip"},
        {"kind": "pip", "args": "install"},
        {"kind": "pip", "args": ["install", 1]},
        {"kind": "pip", "args": ["install"] * 2000},
        {"kind": "pip", "args": [], "cwd": 1},
        {"kind": "provide"},
        {"kind": "provide", "module": ["x"]},
    ],
)
async def test_questions_that_make_no_sense_are_refused(packages: InstalledPackages, question: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        await ask(packages, **question)


async def test_pip_answers_with_text_and_an_exit_code(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "leaf")
    wire = await ask(packages, kind="pip", args=["install", "leaf"])
    assert (wire.data, wire.text) == ({"exit": 0}, "Collecting leaf\nSuccessfully installed leaf-1.0\n")
    wire = await ask(packages, kind="pip", args=["uninstall", "-y", "leaf"], allowed=False)
    assert (wire.data, mounted.names) == ({"exit": 1}, ["leaf 1.0"])
    assert "switched off" in wire.text
    assert (await ask(packages, kind="pip", args=["list"], allowed=False)).data == {"exit": 0}


async def test_a_missing_module_is_provided_where_that_is_wanted(
    packages: InstalledPackages, index: WheelIndex
) -> None:
    make_wheel(index.folder, "zebra")
    for allowed, automatic in ((False, True), (True, False)):
        wire = await ask(packages, kind="provide", module="zebra", allowed=allowed, automatic=automatic)
        assert wire.data == {"found": False, "message": ""}
    wire = await ask(packages, kind="provide", module="../x")
    assert wire.data["found"] is False
    assert index.asked == []
    wire = await ask(packages, kind="provide", module="zebra")
    assert wire.data == {"found": True, "message": "installed zebra-1.0 for `import zebra`"}
