"""Which package a missing import is about."""

import ast
from pathlib import Path

import pytest

from cloche.errors import PackageNotFound
from cloche.sandbox.cache.assets import ENGINE
from cloche.sandbox.packages.import_names import find_package
from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.pyodide_lock import PyodideLock, load_lock
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel


@pytest.fixture(scope="module")
def lock(assets: Path) -> PyodideLock:
    return load_lock()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        *(
            ("numpy", "numpy"),
            ("yaml", "pyyaml"),
            ("PIL", "pillow"),
            ("sklearn", "scikit-learn"),
            ("cv2", "opencv-python"),
        ),
        *(("bs4", "beautifulsoup4"), ("dateutil", "python-dateutil"), ("attr", "attrs"), ("docx", "python-docx")),
        *(("some_thing", "some-thing"), ("flask", "flask"), ("zebra", "zebra")),
    ],
)
def test_modules_are_found_by_their_package(lock: PyodideLock, module: str, name: str) -> None:
    assert find_package(module, lock) == name


@pytest.mark.parametrize(
    "module", ["jsonn", "colections", "requestss", "nunpy", "padnas", "_private", "a b", "../x", ""]
)
def test_a_name_that_looks_misspelt_is_not_installed(lock: PyodideLock, module: str) -> None:
    with pytest.raises(PackageNotFound):
        find_package(module, lock)


def test_what_belongs_to_python_is_not_looked_for(lock: PyodideLock) -> None:
    with pytest.raises(PackageNotFound, match="tkinter belongs to Python itself"):
        find_package("tkinter", lock)


async def test_a_module_is_provided(packages: InstalledPackages, mounted: Mounted, index: WheelIndex) -> None:
    make_wheel(index.folder, "python-docx", files={"docx/__init__.py": ""})
    await packages.provide("docx")
    assert mounted.names == ["python-docx 1.0"]


async def test_a_package_without_that_module_is_not_installed(
    packages: InstalledPackages, mounted: Mounted, index: WheelIndex
) -> None:
    make_wheel(index.folder, "zebra", files={"horse.py": ""})
    with pytest.raises(PackageNotFound, match="'zebra' has no module 'zebra'"):
        await packages.provide("zebra")
    assert mounted.changes == []


def test_what_the_guest_is_hinted_at_is_what_the_host_would_install(lock: PyodideLock) -> None:
    source = (
        ENGINE / "languages" / "python" / "guest" / "cloche_guest" / "packages" / "installed_packages.py"
    ).read_text()
    [table] = [
        ast.literal_eval(node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PACKAGES"
    ]
    assert {module: find_package(module, lock) for module in table} == table
