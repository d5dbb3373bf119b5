"""Real packages from the index that the user has configured."""

from pathlib import Path

import pytest

from cloche.sandbox.packages.installed import InstalledPackages
from cloche.sandbox.packages.pyodide_lock import lock_path
from tests.guest_python import SUFFIX
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.conftest import Mounted
from tests.sandbox.packages.wheel_index import NATIVE, WASM, WheelIndex, make_wheel, write_lock

pytestmark = [pytest.mark.network, pytest.mark.timeout(120)]


@pytest.fixture
def real(
    assets: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plain_blobs: None, mounted: Mounted
) -> InstalledPackages:
    """Packages with a cache of their own, and the lock file of the engine."""
    monkeypatch.setenv("CLOCHE_PYODIDE_LOCK", str(lock_path()))
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "cache"))
    return InstalledPackages(mounted.mount, mounted.read)


def names(mounted: Mounted) -> list[str]:
    return [each.split()[0] for each in mounted.names]


async def test_pure_packages_and_their_requirements(real: InstalledPackages, mounted: Mounted) -> None:
    done = await real.install(["rich", "attrs"])
    assert names(mounted) == ["attrs", "markdown-it-py", "mdurl", "rich"]
    assert {module for each in done.packages for module in each.imports} >= {"attr", "attrs", "rich", "mdurl"}


@pytest.mark.slow
async def test_pydantic_comes_with_its_core_for_webassembly(real: InstalledPackages, mounted: Mounted) -> None:
    await real.install(["pydantic"])
    (core,) = [each for each in mounted.changes[-1] if each.name == "pydantic-core"]
    assert core.native
    assert {"annotated-types", "pydantic", "typing-extensions"} <= set(names(mounted))


@pytest.mark.slow
async def test_contourpy_gets_numpy_from_the_distribution(
    real: InstalledPackages, mounted: Mounted, distribution: WheelIndex, tmp_path: Path
) -> None:
    wheel = make_wheel(distribution.folder, "numpy", "2.4.6", files={"numpy/core.so": WASM}, tag=NATIVE)
    write_lock(tmp_path / "lock.json", {wheel: {}})
    await real.install(["contourpy"])
    assert {each.name: each.native for each in mounted.changes[-1]} == {"contourpy": True, "numpy": True}


NUMPY = "class ndarray:\n    pass\n\n\nfloat64 = float\nuint8 = uint32 = int\n"
CONTOURS = f"""
import contourpy
from contourpy import FillType, SerialContourGenerator as Serial, _contourpy
assert _contourpy.__file__ == "/opt/packages/contourpy/_contourpy{SUFFIX}"
assert contourpy.max_threads() == 1 and contourpy.Mpl2005ContourGenerator is _contourpy.Mpl2005ContourGenerator
assert Serial.supports_fill_type(FillType.OuterOffset) and contourpy.as_fill_type("OuterCode") is FillType.OuterCode
contourpy.calc_chunk_sizes(None, 2, None, 5, 7)
"""


@pytest.mark.slow
async def test_contourpy_runs_its_native_module(open_box: OpenBox, distribution: WheelIndex, tmp_path: Path) -> None:
    # Only numpy itself is missing, whose place is taken by what importing contourpy needs of it.
    wheel = make_wheel(distribution.folder, "numpy", "2.4.6", files={"numpy/__init__.py": NUMPY})
    write_lock(tmp_path / "lock.json", {wheel: {}})
    box = await open_box()
    assert [each.name for each in await box.install("contourpy")] == ["contourpy", "numpy"]
    assert (await box.run(CONTOURS, check=True)).value == "(2, 3)"
    refused = await box.run("Serial(1)")
    assert refused.error is not None
    assert refused.error.message.startswith("__init__(): incompatible constructor arguments")


@pytest.mark.slow
async def test_another_installation_keeps_what_is_there(real: InstalledPackages, mounted: Mounted) -> None:
    await real.install(["typing-extensions<4.14"])
    before = mounted.names
    await real.install(["rich"])
    assert set(before) < set(mounted.names)
