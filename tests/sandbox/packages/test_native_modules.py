"""Native modules of packages: loaded from what the host has mounted, found with what they need."""

from pathlib import Path

import pytest

from cloche import Sandbox
from tests.guest_python import SUFFIX
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.mounting import mount, package

LOADED = "initialization of ext failed without raising an exception"
"""What Python says of a module that was loaded but does nothing."""


def _number(value: int) -> bytes:
    low = bytes([value & 127 | (128 if value > 127 else 0)])
    return low + _number(value >> 7) if value > 127 else low


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _number(len(body)) + body


def _name(text: str) -> bytes:
    return _number(len(text)) + text.encode()


def library(export: str, *needed: str) -> bytes:
    """A side module with one function that returns nothing."""
    names = _number(len(needed)) + b"".join(map(_name, needed))
    link = _name("dylink.0") + _section(1, bytes(4)) + (_section(2, names) if needed else b"")
    head = b"\0asm\1\0\0\0" + _section(0, link) + _section(1, b"\1\x60\0\1\x7f") + _section(3, b"\1\0")
    return head + _section(7, b"\1" + _name(export) + b"\0\0") + _section(10, b"\1\4\0\x41\0\x0b")


async def fails(box: Sandbox, code: str) -> str:
    error = (await box.run(code)).error
    assert error is not None
    return error.message


async def test_a_native_module_is_loaded_with_the_library_it_needs(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    module = package(tmp_path, "ext", {f"ext{SUFFIX}": library("PyInit_ext", "libdep.so")})
    await mount(box, [module])
    assert "no such dynamic library: libdep.so" in await fails(box, "import ext")
    await mount(box, [module, package(tmp_path, "dep", {"lib/libdep.so": library("dep")})])
    assert await fails(box, "import ext") == LOADED
    await box.reset()
    assert await fails(box, "import ext") == LOADED
    assert (await box.run("import os; os.environ.get('LD_LIBRARY_PATH')")).value is None


async def test_a_native_module_that_is_none_says_so_every_time(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [package(tmp_path, "ext", {f"ext{SUFFIX}": b"\x7fELF" + bytes(60)})])
    for _ in range(2):
        assert "could not load dynamic lib: /opt/packages/ext" in await fails(box, "import ext")
    assert (await box.run("1 + 1")).value == "2"


@pytest.mark.slow
async def test_a_native_module_in_the_workspace_is_refused(open_box: OpenBox) -> None:
    box = await open_box()
    await box.write(f"ext{SUFFIX}", library("PyInit_ext"))
    for _ in range(2):
        assert "native modules can be loaded from installed packages only" in await fails(box, "import ext")
    assert "from installed packages only" in (await box.bash("python3 -c 'import ext'")).stderr


@pytest.mark.network
@pytest.mark.timeout(120)
@pytest.mark.slow
async def test_pydantic_works_in_cells_and_programs_and_after_everything(open_box: OpenBox) -> None:
    box = await open_box(timeout=60)
    await box.install("pydantic", "msgspec", "xxhash")
    model = "import pydantic\nclass Point(pydantic.BaseModel):\n    x: int\n"
    assert (await box.run(f"{model}Point(x='3')")).value == "Point(x=3)"
    wrong = await box.run("Point(x='no')")
    assert wrong.error is not None
    assert wrong.error.type == "ValidationError"
    await box.write("app.py", f"{model}print(Point(x='4').model_dump_json())\n")
    assert (await box.bash("python3 app.py")).stdout == '{"x":4}\n'
    stopped = await box.run("while True: Point(x=1)", timeout=0.5)
    assert stopped.state == "kept"
    assert (await box.run("Point(x=5)")).value == "Point(x=5)"
    await box.reset()
    assert (await box.run(f"{model}Point(x='6')")).value == "Point(x=6)"
    assert (await box.run("import msgspec; msgspec.json.encode([1])")).value == "b'[1]'"
    assert (await box.run("import xxhash; xxhash.xxh32(b'a').hexdigest()")).value == "'550d7456'"


@pytest.mark.network
@pytest.mark.timeout(120)
async def test_another_version_of_a_native_package_comes_with_the_next_interpreter(open_box: OpenBox) -> None:
    box = await open_box(timeout=60)
    await box.install("xxhash")
    before = await box.run("import xxhash; xxhash.VERSION")
    await mount(box, [])
    assert (await box.run("import xxhash; xxhash.VERSION")).value == before.value
    await box.reset()
    assert (await box.run("import xxhash")).error is not None
