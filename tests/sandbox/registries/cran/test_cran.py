import zipfile

import pytest

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.makers import CranIndex, tarball


async def install(libraries: InstalledLibraries, *names: str) -> list[str]:
    done = await libraries.install("r", names, LibraryOrder())
    return [f"{each.name} {each.version}" for each in done.packages]


async def test_a_package_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, cran: CranIndex, mounted: Mounted
) -> None:
    cran.add("leaf", "1.0-2")
    cran.add("leafs", "9.0")
    cran.add("link", "0.1", {"libs/link.so": b"\0asm\1\0\0\0"})
    cran.add("tree", "2.1.0", Depends="R (>= 4.0), methods", Imports="leaf (>= 1.0-1),\n  stats", LinkingTo="link")
    assert await install(libraries, "tree") == ["leaf 1.0-2", "link 0.1", "tree 2.1.0"]
    assert mounted.places == {"r/tree": "2.1.0", "r/leaf": "1.0-2", "r/link": "0.1"}
    blob = next(each.blob for each in libraries.packages if each.name == "tree")
    with zipfile.ZipFile(blob) as archive:
        assert sorted(archive.namelist()) == ["DESCRIPTION", "R/tree.rdb"]


async def test_what_r_comes_with_is_not_installed(libraries: InstalledLibraries, cran: CranIndex) -> None:
    assert await install(libraries, "stats") == []
    assert libraries.warnings == ["stats comes with r: nothing has to be installed"]


async def test_a_version_that_is_too_old_is_reported(libraries: InstalledLibraries, cran: CranIndex) -> None:
    cran.add("leaf", "1.0")
    cran.add("tree", Imports="leaf (>= 2.0)")
    with pytest.raises(
        PackageNotFound, match=r"No version of leaf fits >= 2.0 \(tree asked for >= 2.0\); there are 1.0"
    ):
        await install(libraries, "tree")


async def test_what_is_damaged_or_for_another_machine_is_refused(
    libraries: InstalledLibraries, cran: CranIndex
) -> None:
    cran.add("native", "1.0", {"libs/native.so": b"\x7fELF"})
    with pytest.raises(PackageDamaged, match="no WebAssembly module"):
        await install(libraries, "native")
    cran.add("leaf", "1.0")
    cran.site.put(f"{cran.FOLDER}/leaf_1.0.tgz", tarball({"leaf/DESCRIPTION": "x"}))
    with pytest.raises(PackageDamaged, match="md5"):
        await install(libraries, "leaf")
    cran.add("odd", "1.0")
    page = cran.site.pages[f"{cran.FOLDER}/PACKAGES"]
    cran.site.put(f"{cran.FOLDER}/PACKAGES", page.body.decode().replace("MD5sum", "Other"))
    cran.site.put(f"{cran.FOLDER}/odd_1.0.tgz", tarball({"other/DESCRIPTION": "x"}))
    other = InstalledLibraries(Mounted().mount, libraries._budget)  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    with pytest.raises(PackageDamaged):
        await install(other, "odd")


async def test_unknown_packages_and_nonsense_are_reported(libraries: InstalledLibraries, cran: CranIndex) -> None:
    with pytest.raises(PackageNotFound, match=r"Did you mean dplyr.*built for webR"):
        await install(libraries, "dplry")
    for bad in ("../x", "", "a b", "leaf@new", "1x"):
        with pytest.raises(ConfigError):
            await install(libraries, bad)
    with pytest.raises(PackageNotFound):
        await libraries.provide("r", "stats", LibraryOrder())


async def test_a_server_without_a_list_is_reported(libraries: InstalledLibraries, cran: CranIndex) -> None:
    cran.site.pages.clear()
    with pytest.raises(PackageNotFound, match=r"no list of packages: set CLOCHE_CRAN_URL"):
        await install(libraries, "leaf")
