"""Packages inside the sandbox: one read-only folder that all languages see and that changes while they run."""

from pathlib import Path

import pytest

from cloche import Sandbox, SandboxError
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.mounting import folder_of, kill, mount, package, pure


@pytest.mark.slow
async def test_a_package_is_imported_and_seen_by_bash(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 41")])
    assert (await box.run("import shiny; shiny.VALUE + 1")).value == "42"
    assert (await box.run("shiny.__file__")).value == "'/opt/packages/shiny.py'"
    assert (await box.run("import importlib.metadata as m; m.version('shiny')")).value == "'1.0'"
    result = await box.bash(
        "ls /opt/packages; cat /opt/packages/shiny.py; python3 -c 'import shiny; print(shiny.VALUE)'"
    )
    assert result.stdout == "shiny-1.0.dist-info\nshiny.py\nVALUE = 4141\n"


@pytest.mark.slow
async def test_packages_come_and_go_while_the_interpreter_runs(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    one, two = pure(tmp_path, "one", "X = 1"), pure(tmp_path, "two", "X = 2")
    missing = await box.run("import two")
    assert missing.error is not None
    assert missing.error.type == "ModuleNotFoundError"
    await mount(box, [one])
    await mount(box, [one, two])
    assert (await box.run("import one, two; one.X + two.X")).value == "3"
    await mount(box, [one])
    assert (await box.bash("ls /opt/packages")).stdout == "one-1.0.dist-info\none.py\n"
    assert (await box.bash("python3 -c 'import two'")).exit_code == 1
    await mount(box, [])
    assert (await box.run("import os; os.listdir('/opt/packages')")).value == "[]"


@pytest.mark.slow
async def test_another_version_takes_the_place_of_one_that_was_imported(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 'old'")])
    assert (await box.run("import shiny; shiny.VALUE")).value == "'old'"
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 'new'", "2.0")])
    assert (await box.run("import shiny; shiny.VALUE")).value == "'new'"
    assert (await box.bash("python3 -c 'import shiny; print(shiny.VALUE)'")).stdout == "new\n"


async def test_packages_of_one_namespace_lie_in_one_folder(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    left = package(tmp_path, "left", {"space/left/__init__.py": "X = 1"})
    await mount(box, [left])
    assert (await box.run("import space.left; space.left.X")).value == "1"
    await mount(box, [left, package(tmp_path, "right", {"space/right.py": "X = 2"})])
    assert (await box.run("from space import right; right.X")).value == "2"


async def test_data_files_are_found_by_resources_and_by_path(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    files = {"pkg/__init__.py": "", "pkg/data/words.txt": "a\nb\n", "pkg/data/raw.bin": bytes(range(256)) * 300}
    await mount(box, [package(tmp_path, "pkg", files)])
    code = "import pkg, importlib.resources as r, mmap; r.files('pkg').joinpath('data/words.txt').read_text().split()"
    assert (await box.run(code)).value == "['a', 'b']"
    code = "f = open(pkg.__path__[0] + '/data/raw.bin', 'rb'); f.seek(-2, 2); f.read() == bytes([254, 255])"
    assert (await box.run(code)).value == "True"
    code = "len(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ))"
    assert (await box.run(code)).value == "76800"


CHANGES = (
    "open('/opt/packages/shiny.py', 'w')",
    "os.unlink('/opt/packages/shiny.py')",
    "os.mkdir('/opt/packages/x')",
    "os.rename('/opt/packages/shiny.py', '/tmp/x')",
    "os.symlink('/tmp', '/opt/packages/y')",
    "os.chmod('/opt/packages/shiny.py', 0)",
)


@pytest.mark.parametrize("act", CHANGES)
async def test_packages_cannot_be_changed_from_inside(open_box: OpenBox, tmp_path: Path, act: str) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 41")])
    result = await box.run(f"import os; {act}")
    assert result.error is not None
    assert result.error.type in ("OSError", "PermissionError")
    refused = await box.bash("echo x > /opt/packages/shiny.py; rm /opt/packages/shiny.py; cat /opt/packages/shiny.py")
    assert refused.stdout == "VALUE = 41"


@pytest.mark.slow
async def test_packages_stay_after_a_reset_and_in_a_new_process(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 41")])
    await box.reset()
    assert (await box.run("import shiny; shiny.VALUE")).value == "41"
    await box.run("while True:\n try:\n  while True: pass\n except BaseException: pass", timeout=0.5)
    assert (await box.run("import shiny; shiny.VALUE")).value == "41"
    kill(box)
    assert (await box.run("import shiny; shiny.VALUE")).value == "41"


async def test_packages_can_be_given_before_a_language_starts(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box(languages=("bash",))
    await mount(box, [pure(tmp_path, "shiny", "VALUE = 41")])
    assert (await box.run("import shiny; shiny.VALUE")).value == "41"


async def test_a_damaged_archive_is_refused_and_the_others_stay(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    good, bad = pure(tmp_path, "good", "X = 1"), pure(tmp_path, "bad", "X = 2")
    await mount(box, [good])
    bad.blob.write_bytes(bad.blob.read_bytes()[:-30])
    with pytest.raises(SandboxError, match="the package bad could not be read: the archive is damaged"):
        await mount(box, [good, bad])
    assert (await box.run("import good; good.X")).value == "1"
    await box.reset()
    assert (await box.run("import good; good.X")).value == "1"


async def test_code_that_is_damaged_is_an_error_of_the_cell(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    whole = pure(tmp_path, "whole", "X = 1")
    data = whole.blob.read_bytes().replace(b"X = 1", b"X = (")
    whole.blob.write_bytes(data)
    await mount(box, [whole])
    result = await box.run("import whole")
    assert result.error is not None
    assert result.error.type == "SyntaxError"
    assert result.state == "kept"


async def test_an_import_without_end_is_interrupted_and_variables_stay(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "endless", "while True: pass")])
    await box.run("x = 5")
    result = await box.run("import endless", timeout=0.5)
    assert result.timed_out
    assert result.state == "kept"
    assert (await box.run("x")).value == "5"


async def test_a_package_that_needs_threads_says_so(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "busy", "import threading\nthreading.Thread(target=print).start()")])
    result = await box.run("import busy")
    assert result.error is not None
    assert "threads are not available in this sandbox" in result.error.message


async def test_archives_are_linked_into_the_sandbox_and_dropped_when_unused(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    one, two = pure(tmp_path, "one", "X = 1"), pure(tmp_path, "two", "X = 2")
    await mount(box, [one, two])
    folder = folder_of(box)
    assert sorted(path.name for path in folder.iterdir()) == ["one-1.0.zip", "two-1.0.zip"]
    if tmp_path.stat().st_dev == folder.stat().st_dev:
        assert (folder / "one-1.0.zip").samefile(one.blob)
    await mount(box, [two])
    assert sorted(path.name for path in folder.iterdir()) == ["one-1.0.zip", "two-1.0.zip"]
    await mount(box, [two])
    assert [path.name for path in folder.iterdir()] == ["two-1.0.zip"]


async def test_ctypes_is_refused_with_the_reason(box: Sandbox) -> None:
    result = await box.run("import ctypes\nctypes.CDLL(None)")
    assert result.error is not None
    assert result.error.type == "AttributeError"
    assert "ctypes reaches raw memory and is closed" in result.error.message
    sizes = await box.run("from ctypes import c_long, sizeof; sizeof(c_long), ctypes.c_uint8(7)")
    assert sizes.value == "(4, c_uint8(7))"


SHAPES = {
    "shapes/__init__.py": "",
    "shapes/plain.py": "X = 1",
    "shapes/inner/__init__.py": "from . import leaf",
    "shapes/inner/leaf.py": "X = 2",
    "shapes/space/leaf.py": "X = 3",
    "shapes/__main__.py": "print('main of', __package__)",
    "shapes/broken.py": "1/0",
    "shapes/outer.py": "import shapes.broken",
}


@pytest.mark.slow
async def test_every_shape_of_package_is_found(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [package(tmp_path, "shapes", SHAPES)])
    code = "import shapes.plain, shapes.inner, shapes.space.leaf as leaf; shapes.plain.X, shapes.inner.leaf.X, leaf.X"
    assert (await box.run(code)).value == "(1, 2, 3)"
    code = "import pkgutil; sorted(one.name for one in pkgutil.walk_packages(shapes.__path__) if one.name != 'x')"
    assert (await box.run(code)).value == "['__main__', 'broken', 'inner', 'outer', 'plain']"
    assert (await box.run("import inspect; inspect.getsource(shapes.plain)")).value == "'X = 1\\n'"
    assert (await box.run("import importlib; importlib.reload(shapes.plain).X")).value == "1"
    assert (await box.run("shapes.inner.__spec__.submodule_search_locations")).value == "['/opt/packages/shapes/inner']"
    assert (await box.bash("python3 -m shapes")).stdout == "main of shapes\n"


async def test_an_import_that_fails_shows_the_packages_lines_only(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [package(tmp_path, "shapes", {**SHAPES, "shapes/__init__.py": "from . import outer"})])
    result = await box.run("import shapes")
    assert result.error is not None
    files = [line.split('"')[1] for line in result.error.traceback.splitlines() if line.startswith("  File ")]
    assert files == [
        "Cell In[1]",
        "/opt/packages/shapes/__init__.py",
        "/opt/packages/shapes/outer.py",
        "/opt/packages/shapes/broken.py",
    ]
    assert (await box.run("import gc; gc.get_threshold()[0] < 10_000")).value == "True"


async def test_a_file_in_the_workspace_comes_before_a_package(open_box: OpenBox, tmp_path: Path) -> None:
    box = await open_box()
    await mount(box, [pure(tmp_path, "shiny", "WHERE = 'package'")])
    await box.write("shiny.py", "WHERE = 'workspace'")
    assert (await box.run("import shiny; shiny.WHERE")).value == "'workspace'"
