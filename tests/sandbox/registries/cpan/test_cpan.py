import zipfile

import pytest

from cloche.errors import ConfigError, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.makers import CpanIndex, tarball


async def install(libraries: InstalledLibraries, *names: str) -> list[str]:
    done = await libraries.install("perl", names, LibraryOrder())
    return [f"{each.name} {each.version}" for each in done.packages]


def files(libraries: InstalledLibraries, name: str) -> list[str]:
    (package,) = [each for each in libraries.packages if each.name == name]
    with zipfile.ZipFile(package.blob) as archive:
        return sorted(archive.namelist())


async def test_a_module_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, cpan: CpanIndex, mounted: Mounted
) -> None:
    cpan.add("Leaf-Green", "1.03")
    cpan.add("Scalar-List-Utils", "1.63")
    cpan.add("Tree", "v2.1.0", requires=["Leaf::Green", "Scalar::List::Utils", "Nowhere::Known"])
    assert await install(libraries, "Tree") == ["Leaf-Green 1.03", "Tree 2.1.0"]
    assert {each.at for each in mounted.changes[-1]} == {"perl"}
    assert files(libraries, "Leaf-Green") == ["Leaf/Green.pm"]
    await libraries.uninstall("perl", ["Tree"])
    assert libraries.packages == []


async def test_a_distribution_may_be_named_too(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    cpan.add("Leaf-Green")
    assert await install(libraries, "Leaf-Green") == ["Leaf-Green 1.0"]


async def test_an_old_distribution_has_its_modules_at_the_top_and_a_description_in_yaml(
    libraries: InstalledLibraries, cpan: CpanIndex
) -> None:
    cpan.add("Leaf")
    meta = "--- #YAML:1.0\nname: Old-Thing\nrequires:\n    Leaf:  0\n    strict: 0\nbuild_requires:\n  Test::Other: 0\n"
    cpan.add("Old-Thing", "1.0", {"Thing.pm": "1;", "META.json": "{}", "t/x.t": ""})
    cpan.add("Old-Yaml", "1.0", {"Yaml.pm": "1;", "META.yml": meta, "META.json": ""})
    assert await install(libraries, "Old::Thing") == ["Old-Thing 1.0"]
    assert files(libraries, "Old-Thing") == ["Old/Thing.pm"]
    assert await install(libraries, "Old::Yaml") == ["Leaf 1.0", "Old-Yaml 1.0"]


async def test_xs_is_refused_unless_there_is_pure_perl(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    cpan.add("Fast", "1.0", {"lib/Fast.pm": "1;", "Fast.xs": "", "Makefile.PL": "WriteMakefile()"})
    with pytest.raises(PackageUnsupported, match=r"Fast 1.0 is native: Fast.xs has to be compiled"):
        await install(libraries, "Fast")
    cpan.add("Both", "1.0", {"lib/Both.pm": "1;", "Both.xs": "", "Makefile.PL": "if ($ENV{PUREPERL_ONLY}) {}"})
    assert await install(libraries, "Both") == ["Both 1.0"]


async def test_what_the_sandboxs_perl_lacks_comes_from_cpan_or_is_refused(
    libraries: InstalledLibraries, cpan: CpanIndex
) -> None:
    cpan.add("Pod-Usage", "2.05")
    cpan.add("HTTP-Tiny", "0.090")
    cpan.add("threads", "2.43")
    cpan.add("Tool", requires=["Pod::Usage", "threads"])
    assert await install(libraries, "Tool") == ["Pod-Usage 2.05", "Tool 1.0"]
    with pytest.raises(PackageUnsupported, match=r"HTTP::Tiny is a part of perl that the sandbox's Perl does not have"):
        await install(libraries, "HTTP::Tiny")


async def test_what_perl_comes_with_is_not_installed(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    cpan.list("JSON::PP", "4.16", "I/IS/ISHIGAKI/JSON-PP-4.16.tar.gz")
    cpan.list("Fcntl", "1.15", "S/SH/SHAY/perl-5.42.0.tar.gz")
    assert await install(libraries, "JSON::PP", "Fcntl") == []
    assert len(libraries.warnings) == 2


async def test_a_distribution_with_the_wrong_hash_is_refused(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    cpan.add("Leaf")
    cpan.site.put("/authors/id/M/ME/ME/Leaf-1.0.tar.gz", tarball({"Leaf-1.0/lib/Leaf.pm": "evil"}))
    with pytest.raises(PackageDamaged, match="sha256"):
        await install(libraries, "Leaf")


async def test_unknown_modules_and_nonsense_are_reported(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    with pytest.raises(PackageNotFound, match="Did you mean Text::CSV"):
        await install(libraries, "Text::CVS")
    for bad in ("../x", "", "a b", "Leaf@1.0", "::"):
        with pytest.raises(ConfigError):
            await install(libraries, bad)
    cpan.list("Odd", "1.0", "M/ME/ME/nonsense")
    with pytest.raises(PackageDamaged, match="no distribution"):
        await install(libraries, "Odd")
    cpan.site.put("/modules/02packages.details.txt.gz", b"noise")
    other = InstalledLibraries(Mounted().mount, libraries._budget)  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    assert other.packages == []


async def test_a_missing_file_leads_to_its_module(libraries: InstalledLibraries, cpan: CpanIndex) -> None:
    cpan.add("Leaf-Green")
    done = await libraries.provide("perl", "Leaf/Green.pm", LibraryOrder())
    assert [each.name for each in done.packages] == ["Leaf-Green"]
    for bad in ("strict", "List::Util", "../x"):
        with pytest.raises(PackageNotFound):
            await libraries.provide("perl", bad, LibraryOrder())
