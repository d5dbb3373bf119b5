"""Bytecode for packages, made once by the builder."""

import marshal
import zipfile
from pathlib import Path

from cloche.sandbox import snapshots
from cloche.sandbox.packages.compiling import compile_blob
from tests.sandbox.conftest import OpenBox
from tests.sandbox.mounted import Mounted, mount, package

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


async def test_modules_get_bytecode_and_everything_else_stays(prepared: snapshots.Prepared, tmp_path: Path) -> None:
    source = package(tmp_path, "pkg", FILES)
    target = tmp_path / "target.zip"
    await compile_blob(source.path, target)
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
        code = archive.read("pkg/deep/__pycache__/mod.cpython-314.pyc")
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        assert archive.read("pkg/data.txt") == b"data"
    compiled = {"pkg/__pycache__/__init__.cpython-314.pyc", "pkg/deep/__pycache__/mod.cpython-314.pyc"}
    assert names == FILES.keys() - {"pkg/__pycache__/old.cpython-311.pyc"} | compiled
    assert code[4:8] == b"\1\0\0\0", "it must be used without a look at its source"
    assert code[16:17] == marshal.dumps(compile("", "", "exec"))[:1]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


async def test_bytecode_is_what_a_sandbox_runs(open_box: OpenBox, tmp_path: Path) -> None:
    target = tmp_path / "compiled.zip"
    await compile_blob(package(tmp_path, "pkg", FILES).path, target)
    # The source is another one now: whoever reads it is found out.
    data = target.read_bytes().replace(b"raise ValueError\n", b"raise OSError####")
    target.write_bytes(data)
    box = await open_box()
    await mount(box, [Mounted("pkg", "1.0", target)])
    result = await box.run("import pkg; pkg.mod.place()")
    assert result.error is not None
    assert result.error.type == "ValueError"
    assert 'File "/opt/packages/pkg/deep/mod.py", line 1, in place' in result.error.traceback
    broken = await box.run("import pkg.template")
    assert broken.error is not None
    assert broken.error.type == "SyntaxError"


async def test_what_the_compiler_cannot_read_is_copied(prepared: snapshots.Prepared, tmp_path: Path) -> None:
    source, target = tmp_path / "broken.zip", tmp_path / "target.zip"
    source.write_bytes(b"no archive")
    await compile_blob(source, target)
    assert target.read_bytes() == b"no archive"
