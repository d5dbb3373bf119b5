"""Packages: imports from the blob, installs from the cache, large wheels."""

import compileall
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from random import Random

from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, clock, in_ms

FILES = 1000
LARGE_MB = 20
RICH = "rich"
MODULE = '''"""Module {0}."""

import os


class Part{0}:
    size = {0}

    def area(self, by: int = 2) -> int:
        return self.size * by


def make{0}(count: int) -> list[Part{0}]:
    return [Part{0}() for _ in range(count)]
'''
IMPORT = "import time; begin = time.perf_counter(); import thousand; passed = time.perf_counter() - begin"


async def rows(scale: Scale) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="bench-wheels-") as name:
        folder = Path(name)
        many = await to_thread.run_sync(_many, folder)
        large = await to_thread.run_sync(_large, folder)
        return [
            await _imports(many, folder / "native", scale.bulk),
            await _installs(RICH, scale.bulk),
            await _mounts(large, scale.bulk),
        ]


async def _imports(wheel: Path, native: Path, count: int) -> Row:
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(count):
        async with cloche.Sandbox(confinement="require", packages=[wheel]) as box:
            await box.run(IMPORT, check=True)
            ours.append(float(str((await box.run("passed", check=True)).value)))
        theirs.append(await to_thread.run_sync(_native, native))
    return Row(
        name=f"`import` of a package of {FILES:,} files",
        unit="ms",
        ours=in_ms(ours),
        peer="native CPython with .pyc",
        theirs=in_ms(theirs),
        target=Target("ratio", 1.5),
    )


def _native(folder: Path) -> float:
    argv = [sys.executable, "-c", f"{IMPORT}; print(passed)"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return float(done.stdout)


async def _installs(name: str, count: int) -> Row:
    """The first one, which may download, is not counted."""
    seconds = [await _install(name) for _ in range(count + 1)][1:]
    return Row(name=f'`install("{name}")`, cache warm', unit="ms", ours=in_ms(seconds), target=Target("median", 300))


async def _mounts(wheel: Path, count: int) -> Row:
    seconds = [await _install(wheel) for _ in range(count + 1)][1:]
    return Row(
        name=f"wheel of {LARGE_MB} MB installed, cache warm",
        unit="ms",
        ours=in_ms(seconds),
        target=Target("median", 150),
    )


async def _install(package: str | Path) -> float:
    async with cloche.Sandbox(confinement="require") as box:
        return await clock(box.install(package))


def _many(folder: Path) -> Path:
    """A package whose first module imports all the others; it is unpacked and compiled for the native side too."""
    names = [f"part{number}" for number in range(FILES - 1)]
    sources = {f"thousand/{name}.py": MODULE.format(number) for number, name in enumerate(names)}
    sources["thousand/__init__.py"] = "".join(f"from thousand import {name}\n" for name in names)
    native = folder / "native"
    for path, text in sources.items():
        (native / path).parent.mkdir(parents=True, exist_ok=True)
        (native / path).write_text(text)
    compileall.compile_dir(native, quiet=2)
    return _wheel(folder, "thousand", {path: text.encode() for path, text in sources.items()})


def _large(folder: Path) -> Path:
    return _wheel(folder, "large", {"large/__init__.py": b"", "large/data.bin": Random(1).randbytes(LARGE_MB * 10**6)})


def _wheel(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    path, info = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    metadata = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{each},,\n" for each in [*files, *metadata, f"{info}/RECORD"]).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in {**files, **metadata, f"{info}/RECORD": record}.items():
            archive.writestr(each, data)
    return path
