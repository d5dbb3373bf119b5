"""Packages for the tests of mounting: each is one archive with a few files."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cloche import Package, Sandbox


def package(folder: Path, name: str, files: Mapping[str, str | bytes], version: str = "1.0") -> Package:
    """Write the archive of a package."""
    path = folder / f"{name}-{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for file, content in files.items():
            archive.writestr(zipfile.ZipInfo(file), content)
    return Package(name, version, path)


def pure(folder: Path, name: str, source: str, version: str = "1.0") -> Package:
    """A package of one module with its metadata."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    return package(folder, name, {f"{name}.py": source, f"{info}/METADATA": metadata}, version)


async def mount(box: Sandbox, packages: Sequence[Package]) -> None:
    """Make these the packages of a sandbox, as installing does at its end."""
    await box._mount(packages)  # pyright: ignore[reportPrivateUsage] - this is what is tested


def folder_of(box: Sandbox) -> Path:
    """The host's folder with the archives of a sandbox."""
    return box._folders.packages  # pyright: ignore[reportPrivateUsage] - nobody else needs it


def kill(box: Sandbox) -> None:
    """End its process, as the system may do at any time."""
    assert box._process is not None  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    box._process.kill()  # pyright: ignore[reportPrivateUsage] - nobody else needs it
