"""Bytecode for packages, made once by the builder."""

import marshal
import zipfile
from pathlib import Path

import pytest

from cloche import Package, Sandbox
from cloche.sandbox.cache import snapshots
from cloche.sandbox.packages import bytecode
from cloche.sandbox.packages.bytecode import compile_blobs
from tests.guest_python import CACHE_TAG
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.mounting import mount, package, pure

FILES = {
    "pkg/__init__.py": "from pkg.deep import mod\n",
    "pkg/deep/mod.py": "def place(): raise ValueError\n",
    "pkg/template.py": "{% no python %}",
    "pkg/nul.py": "x = '\0'",
    "pkg/nested.py": "x = " + "-" * 100_000 + "1",
    "pkg/__pycache__/old.cpython-311.pyc": b"old",
    "pkg/data.txt": "data",
    "pkg-1.0.dist-info/METADATA": "Name: pkg\n",
}


async def test_modules_get_bytecode_and_everything_else_stays(
    prepared: snapshots.PreparedStart, tmp_path: Path
) -> None:
    blob = package(tmp_path, "pkg", FILES).blob
    await compile_blobs([blob])
    with zipfile.ZipFile(blob) as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
        codes = archive.read(f"pkg/deep/__pycache__/pkg-1.0.{CACHE_TAG}.codes")
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        assert archive.read("pkg/data.txt") == b"data"
    compiled = {f"pkg/__pycache__/pkg-1.0.{CACHE_TAG}.codes", f"pkg/deep/__pycache__/pkg-1.0.{CACHE_TAG}.codes"}
    assert names == FILES.keys() - {"pkg/__pycache__/old.cpython-311.pyc"} | compiled
    assert list(marshal.loads(codes[4:])) == ["mod"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


async def test_bytecode_is_what_a_sandbox_runs(open_box: OpenBox, tmp_path: Path) -> None:
    blob = package(tmp_path, "pkg", FILES).blob
    await compile_blobs([blob])
    # The source is another one now: whoever reads it is found out.
    blob.write_bytes(blob.read_bytes().replace(b"raise ValueError\n", b"raise OSError####"))
    box = await open_box()
    await mount(box, [Package("pkg", "1.0", blob)])
    result = await box.run("import pkg; pkg.mod.place()")
    assert result.error is not None
    assert result.error.type == "ValueError"
    assert 'File "/opt/packages/pkg/deep/mod.py", line 1, in place' in result.error.traceback
    assert (await box.run("import importlib; importlib.reload(pkg.mod).__cached__")).value is not None
    broken = await box.run("import pkg.template")
    assert broken.error is not None
    assert broken.error.type == "SyntaxError"


async def test_what_the_compiler_cannot_read_stays_and_the_others_are_compiled(
    prepared: snapshots.PreparedStart, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no archive")
    good = package(tmp_path, "pkg", FILES).blob
    await compile_blobs([broken, good])
    assert broken.read_bytes() == b"no archive"
    with zipfile.ZipFile(good) as archive:
        assert any(name.endswith(".codes") for name in archive.namelist())
    assert "broken.zip could not be compiled" in caplog.text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.zip", "pkg-1.0.zip"]


async def test_compiling_keeps_no_code_of_its_own_that_could_be_damaged(own_cache: Path, tmp_path: Path) -> None:
    before = set(own_cache.glob("code/*/**/*"))
    blob = pure(tmp_path, "one", "X = 1").blob
    await compile_blobs([blob])
    assert blob.read_bytes().count(b".codes") == 2
    assert set(own_cache.glob("code/*/**/*")) == before


SHAPES = {
    "shapes/__init__.py": "",
    "shapes/plain.py": "'About.'\nX = 1\ndef double(x):\n    return 2 * x\n",
    "shapes/inner/__init__.py": "from . import leaf",
    "shapes/inner/leaf.py": "from ..plain import X",
    "shapes/space/leaf.py": "X = 3",
    "shapes/__main__.py": "import sys\nprint('main of', __package__, __name__, sys.argv[0])",
    "shapes/broken.py": "def fail():\n    1/0\nfail()",
    "shapes/outer.py": "from shapes import broken",
    "shapes/one.py": "from shapes import two",
    "shapes/two.py": "from shapes.one import nothing",
    "shapes/changeling.py": "import sys\nsys.modules[__name__] = 5",
    "shapes/lost.py": "from shapes import nobody",
    "shapes-1.0.dist-info/METADATA": "Name: shapes\nVersion: 1.0\n",
}
FACTS = r"""
import importlib, importlib.util, inspect, pkgutil, sys, shapes.plain as plain
spec = plain.__spec__
assert (plain.__name__, plain.__package__, plain.__doc__) == ("shapes.plain", "shapes", "About.")
assert plain.__file__ == spec.origin == "/opt/packages/shapes/plain.py"
assert plain.__cached__ == spec.cached == importlib.util.cache_from_source(plain.__file__)
assert spec.loader is plain.__loader__ and spec.has_location and not spec._initializing
assert repr(plain) == "<module 'shapes.plain' from '/opt/packages/shapes/plain.py'>"
assert vars(shapes := sys.modules["shapes"])["plain"] is plain
assert inspect.getsource(plain.double) == "def double(x):\n    return 2 * x\n"
assert plain.__loader__.get_source("shapes.plain").startswith("'About")
assert plain.__loader__.get_code("shapes.plain").co_filename == plain.__file__
assert importlib.reload(plain) is plain and importlib.import_module(".plain", "shapes") is plain
import shapes.inner, shapes.space.leaf
assert shapes.inner.leaf.X == 1 and shapes.space.leaf.X == 3
names = {one.name for one in pkgutil.iter_modules(shapes.__path__)}
assert {"plain", "inner", "changeling"} <= names, names
import shapes.changeling
assert shapes.changeling == sys.modules["shapes.changeling"] == 5
"""


@pytest.fixture
async def shapes(open_box: OpenBox, tmp_path: Path) -> Sandbox:
    """A sandbox with a package that is compiled."""
    one = package(tmp_path, "shapes", SHAPES)
    await compile_blobs([one.blob])
    box = await open_box()
    await mount(box, [one])
    return box


@pytest.mark.slow
async def test_compiled_modules_are_what_python_says_of_them(shapes: Sandbox) -> None:
    await shapes.run(FACTS, check=True)
    run = await shapes.bash("python3 -m shapes a; python3 -c 'import shapes.plain as p; print(p.double(4))'")
    assert run.stdout == "main of shapes __main__ /opt/packages/shapes/__main__.py\n8\n"
    await shapes.write("other/shapes/plain.py", "X = 'workspace'")
    await shapes.write("other/shapes/__init__.py", "")
    await shapes.reset()
    code = "import sys; sys.path.insert(0, '/workspace/other'); from shapes import plain; plain.X"
    assert (await shapes.run(code)).value == "'workspace'"


async def test_compiled_modules_fail_as_others_do(shapes: Sandbox) -> None:
    result = await shapes.run("import shapes.outer")
    assert result.error is not None
    files = [line.split('"')[1] for line in result.error.traceback.splitlines() if line.startswith("  File ")]
    assert files == ["Cell In[1]", *(f"/opt/packages/shapes/{name}.py" for name in ("outer", "broken", "broken"))]
    assert "    1/0" in result.error.traceback
    left = "import sys; [name for name in sys.modules if name.startswith('shapes')]"
    assert (await shapes.run(left)).value == "['shapes']"
    circle = await shapes.run("import shapes.one")
    assert circle.error is not None
    assert "partially initialized module 'shapes.one'" in circle.error.message
    lost = await shapes.run("import shapes.lost")
    assert lost.error is not None
    assert lost.error.message.startswith("cannot import name 'nobody' from 'shapes'")
    missing = await shapes.run("import shapes.plain.deeper")
    assert missing.error is not None
    assert missing.error.message == "No module named 'shapes.plain.deeper'; 'shapes.plain' is not a package"


async def test_finders_that_come_first_are_asked_first(shapes: Sandbox) -> None:
    code = "import shapes, sys\nclass Mine:\n  def find_spec(name, path=None, target=None): print(name)\n"
    result = await shapes.run(f"{code}sys.meta_path.insert(0, Mine)\nfrom shapes import plain")
    assert result.stdout == "shapes.plain\n"
    code = "sys.meta_path[:] = []\ntry:\n  import shapes.outer\nexcept ImportError as error: print(error)"
    assert (await shapes.run(code)).stdout == "No module named 'shapes.outer'\n"


async def test_folders_of_several_packages_keep_all_their_modules(open_box: OpenBox, tmp_path: Path) -> None:
    files = {name: {f"space/{name}.py": f"X = '{name}'", f"{name}-1.dist-info/X": ""} for name in ("left", "right")}
    parts = [package(tmp_path, name, inside) for name, inside in files.items()]
    await compile_blobs([part.blob for part in parts])
    box = await open_box()
    await mount(box, parts)
    assert (await box.run("from space import left, right; left.X, right.X")).value == "('left', 'right')"
    await mount(box, parts[:1])
    assert (
        await box.run("import sys; [f'space.{x}' in sys.modules for x in ('left', 'right')]")
    ).value == "[True, False]"
    assert (await box.run("import space.right")).error is not None


async def test_large_packages_share_the_work(
    prepared: snapshots.PreparedStart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bytecode, "SHARE", 1)
    blobs = [pure(tmp_path, name, "X = 1\n" * size).blob for size, name in enumerate(("one", "two", "three"))]
    await compile_blobs(blobs)
    assert [blob.read_bytes().count(b".codes") for blob in blobs] == [2, 2, 2], "its header and its place in the list"


async def test_a_compiler_that_takes_too_long_is_stopped(
    prepared: snapshots.PreparedStart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bytecode, "COMPILE_TIMEOUT", 0.01)
    blob = pure(tmp_path, "one", "X = 1").blob
    before = blob.read_bytes()
    await compile_blobs([blob])
    assert blob.read_bytes() == before
    assert "one-1.0.zip could not be compiled, its imports will be slow: it took more than" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["one-1.0.zip"]
