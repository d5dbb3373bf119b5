"""Wheels from outside: what is taken, what is refused, and the result."""

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from cloche.errors import PackageDamaged
from cloche.sandbox.packages import wheels
from cloche.sandbox.packages.blobs import describe_blob, hash_file, store_wheel
from cloche.sandbox.packages.python_target import PythonTarget
from cloche.sandbox.packages.wheels import read_wheel
from tests.guest_python import TAG, VERSION
from tests.sandbox.packages.wheel_index import NATIVE, OTHER, PLATFORM, WASM, add_entry, make_wheel

TARGET = PythonTarget(f"{VERSION}.2", PLATFORM)


@pytest.mark.parametrize(
    "tag",
    [
        *("py3-none-any", "py2.py3-none-any", f"{TAG}-none-any", NATIVE, f"cp312-abi3-{PLATFORM}"),
        f"{OTHER}.{PLATFORM}",
    ],
)
def test_wheels_for_this_python_are_taken(tmp_path: Path, tag: str) -> None:
    assert read_wheel(make_wheel(tmp_path, "leaf", tag=tag), TARGET).name == "leaf"


@pytest.mark.parametrize("tag", ["cp313-cp313-" + PLATFORM, OTHER, "py2-none-any", f"{TAG}-{TAG}-win_amd64"])
def test_wheels_for_another_python_are_refused(tmp_path: Path, tag: str) -> None:
    with pytest.raises(PackageDamaged, match="is not for the Python in the sandbox"):
        read_wheel(make_wheel(tmp_path, "leaf", tag=tag), TARGET)


def test_a_wheel_that_lies_about_its_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageDamaged, match=r"says inside that it is numpy 1\.0"):
        read_wheel(make_wheel(tmp_path, "leaf", inner_name="numpy"), TARGET)


def test_a_wheel_that_lies_about_its_tag_is_refused(tmp_path: Path) -> None:
    for tag in (f"{TAG}-{TAG}-win_amd64", "nonsense"):
        with pytest.raises(PackageDamaged, match="says inside that it is for"):
            read_wheel(make_wheel(tmp_path, "leaf", inner_tag=tag), TARGET)


@pytest.mark.parametrize(
    ("name", "mode", "why"),
    [
        ("../x.py", 0o100644, "leads out"),
        ("leaf/../../x.py", 0o100644, "leads out"),
        ("/etc/x.py", 0o100644, "leads out"),
        ("C:/x.py", 0o100644, "leads out"),
        ("leaf\\..\\x.py", 0o100644, "leads out"),
        ("leaf/./x.py", 0o100644, "leads out"),
        ("leaf//x.py", 0o100644, "leads out"),
        ("leaf/a\nb.py", 0o100644, "characters"),
        ("leaf/link.py", stat.S_IFLNK | 0o777, "is a link"),
        ("leaf/device", stat.S_IFCHR | 0o666, "no plain file"),
        ("leaf/pipe", stat.S_IFIFO | 0o666, "no plain file"),
        ("leaf/__init__.py/x.py", 0o100644, "a file and a folder"),
    ],
)
def test_entries_that_do_harm_are_refused(tmp_path: Path, name: str, mode: int, why: str) -> None:
    path = add_entry(make_wheel(tmp_path, "leaf"), name, b"x", mode)
    with pytest.raises(PackageDamaged, match=why):
        read_wheel(path, TARGET)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = add_entry(make_wheel(tmp_path, "leaf"), "leaf/__init__.py", b"evil")
    with pytest.raises(PackageDamaged, match="appears twice"):
        read_wheel(path, TARGET)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, flip, empty])
async def test_a_damaged_wheel_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "cache"))
    path = make_wheel(tmp_path, "leaf", files={"leaf.py": "x = 1\n" * 1000})
    damage(path)
    with pytest.raises(PackageDamaged, match="not a whole zip file"):
        await store_wheel(path, "0" * 64, TARGET)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "PACKAGE_FILES", 10)
    path = make_wheel(tmp_path, "leaf", files={f"leaf/{number}.py": "" for number in range(10)})
    with pytest.raises(PackageDamaged, match="holds 13 files, more than 10"):
        read_wheel(path, TARGET)


def test_a_list_of_files_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_wheel(tmp_path, "leaf", files={f"leaf/{number}.py": "" for number in range(100)})
    monkeypatch.setattr(wheels, "DIRECTORY_LIMIT", 1000)
    with pytest.raises(PackageDamaged, match="lists more files"):
        read_wheel(path, TARGET)


async def test_a_module_for_another_machine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "cache"))
    path = make_wheel(tmp_path, "leaf", files={"leaf.so": b"\x7fELF"}, tag=NATIVE)
    with pytest.raises(PackageDamaged, match=r"leaf\.so is no WebAssembly module"):
        await store_wheel(path, "0" * 64, TARGET)


def test_a_blob_is_what_belongs_into_site_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain_blobs: None
) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "cache"))
    files = {
        "leaf/__init__.py": "x = 1\n",
        "leaf/core.so": WASM,
        "leaf/data,1.txt": "data\n",
        "leaf/__pycache__/old.cpython-311.pyc": b"",
        "single.py": "",
        "leaf-1.0.data/purelib/extra/__init__.py": "",
        "leaf-1.0.data/platlib/more.py": "",
        "leaf-1.0.data/scripts/leaf": "#!python",
        "leaf-1.0.data/data/share/man/leaf.1": "",
        "leaf-1.0.data/headers/leaf.h": "",
        "leaf-1.0.dist-info/INSTALLER": "somebody",
        "leaf-1.0.dist-info/entry_points.txt": "[console_scripts]\nleaf = leaf:main\n",
    }
    path = make_wheel(tmp_path, "leaf", files=files, requires=["twig>=1"], tag=NATIVE)
    package = anyio.run(store_wheel, path, hash_file(path), TARGET)
    assert package == describe_blob(package.blob)
    assert package.blob.name.startswith(hash_file(path))
    assert (package.imports, package.native, package.requires) == (
        ("extra", "leaf", "more", "single"),
        True,
        ("twig>=1",),
    )
    info = "leaf-1.0.dist-info"
    with zipfile.ZipFile(package.blob) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        assert set(archive.namelist()) == {
            *("leaf/__init__.py", "leaf/core.so", "leaf/data,1.txt", "single.py", "extra/__init__.py", "more.py"),
            *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "INSTALLER", "entry_points.txt")),
        }
        assert archive.read(f"{info}/INSTALLER") == b"cloche\n"
        record = archive.read(f"{info}/RECORD").decode().splitlines()
    assert any(line.startswith("leaf/core.so,sha256=") and line.endswith(",8") for line in record)
    assert any(line.startswith('"leaf/data,1.txt",sha256=') for line in record)
    assert f"{info}/RECORD,," in record
