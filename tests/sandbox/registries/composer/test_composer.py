import json
import zipfile

import pytest

from cloche.errors import ConfigError, PackageConflict, PackageDamaged, PackageNotFound, PackageUnsupported
from cloche.sandbox.registries.composer.autoload import find_classes
from cloche.sandbox.registries.composer.versions import Constraint, parse_version
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from tests.sandbox.registries.conftest import Mounted
from tests.sandbox.registries.makers import ComposerIndex

ROOT = "/opt/languages/php"


async def install(libraries: InstalledLibraries, *names: str) -> list[str]:
    done = await libraries.install("php", names, LibraryOrder())
    return [f"{each.name} {each.version}" for each in done.packages]


def autoload(libraries: InstalledLibraries) -> dict[str, object]:
    (index,) = [each for each in libraries.packages if each.library]
    with zipfile.ZipFile(index.blob) as archive:
        return json.loads(archive.read("autoload.json"))


async def test_a_package_and_what_it_needs_are_installed(
    libraries: InstalledLibraries, composer: ComposerIndex, mounted: Mounted
) -> None:
    composer.add("mine/leaf", "1.2.0")
    composer.add("mine/leaf", "v1.4.0")
    composer.add("mine/leaf", "2.0.0")
    composer.add("mine/tree", require={"php": ">=8.1", "ext-json": "*", "mine/leaf": "^1.2"})
    assert await install(libraries, "mine/tree") == ["mine/leaf 1.4.0", "mine/tree 1.0.0"]
    assert mounted.places == {"php/mine/leaf": "1.4.0", "php/mine/tree": "1.0.0"}


async def test_how_classes_are_found_is_gathered_with_the_guests_paths(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    composer.add(
        "mine/leaf", autoload={"psr-4": {"Mine\\": "src/", "Both\\": ["a", "./b/"]}, "files": ["src/first.php"]}
    )
    files = {
        "lib/Old.php": "<?php // class Commented {}\nclass Old_Thing { const X = 'class Quoted {}'; } interface Two {}",
        "other/No.php": "<?php class No {}",
        "boot.php": "<?php",
    }
    rules = {"classmap": ["lib/"], "psr-0": {"Old_": "lib"}, "files": ["boot.php"]}
    composer.add("mine/old", "1.0.0", files, autoload=rules, require={"mine/leaf": "*"})
    await install(libraries, "mine/old")
    assert autoload(libraries) == {
        "psr-4": {
            "Mine\\": [f"{ROOT}/mine/leaf/src/"],
            "Both\\": [f"{ROOT}/mine/leaf/a/", f"{ROOT}/mine/leaf/b/"],
        },
        "psr-0": {"Old_": [f"{ROOT}/mine/old/lib/"]},
        "classmap": {"Old_Thing": f"{ROOT}/mine/old/lib/Old.php", "Two": f"{ROOT}/mine/old/lib/Old.php"},
        "files": [f"{ROOT}/mine/leaf/src/first.php", f"{ROOT}/mine/old/boot.php"],
    }
    await libraries.uninstall("php", ["mine/old"])
    assert libraries.packages == []


async def test_paths_of_a_package_do_not_lead_out(libraries: InstalledLibraries, composer: ComposerIndex) -> None:
    composer.add("mine/leaf", autoload={"files": ["../../../../workspace/x.php"], "psr-4": {"M\\": "../../x"}})
    await install(libraries, "mine/leaf")
    assert autoload(libraries) == {"psr-4": {"M\\": []}, "psr-0": {}, "classmap": {}, "files": []}


async def test_what_this_php_cannot_run_is_refused_with_the_reason(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    composer.add("mine/old", require={"php": "^5.6"})
    composer.add("mine/native", require={"ext-imagick": "*"})
    with pytest.raises(PackageUnsupported, match=r"mine/old can be used here: 1.0.0 needs PHP \^5.6"):
        await install(libraries, "mine/old")
    with pytest.raises(PackageUnsupported, match="needs the extension imagick"):
        await install(libraries, "mine/native")
    composer.add("mine/native", "0.9.0")
    with pytest.raises(PackageUnsupported):
        await install(libraries, "mine/native")


async def test_branches_and_versions_before_a_release_are_passed_over(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    for version in ("1.0.0", "2.0.0-beta1", "dev-main", "3.x-dev"):
        composer.add("mine/leaf", version)
    assert await install(libraries, "mine/leaf") == ["mine/leaf 1.0.0"]
    other = InstalledLibraries(Mounted().mount, libraries._budget)  # pyright: ignore[reportPrivateUsage] - nobody else needs it
    assert await install(other, "mine/leaf:^2@beta") == ["mine/leaf 2.0.0-beta1"]


async def test_requirements_that_cannot_be_met_together_name_both_sides(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    composer.add("mine/leaf", "1.0.0")
    composer.add("mine/leaf", "2.0.0")
    composer.add("mine/left", require={"mine/leaf": "^1"})
    composer.add("mine/right", require={"mine/leaf": "^2"})
    with pytest.raises(PackageConflict, match=r"mine/left asked for \^1; mine/right asked for \^2"):
        await install(libraries, "mine/left", "mine/right")


async def test_a_package_with_the_wrong_hash_is_refused(libraries: InstalledLibraries, composer: ComposerIndex) -> None:
    composer.add("mine/leaf", shasum="0" * 40)
    with pytest.raises(PackageDamaged, match="sha1"):
        await install(libraries, "mine/leaf")
    composer.add("mine/plain", shasum="")
    assert await install(libraries, "mine/plain") == ["mine/plain 1.0.0"]


async def test_what_others_provide_under_a_name_is_no_package(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    composer.add("mine/leaf", require={"psr/log-implementation": "1.0", "composer-runtime-api": "^2"})
    composer.add("mine/meta", require={"mine/leaf": "*"}, type="metapackage")
    assert await install(libraries, "mine/leaf") == ["mine/leaf 1.0.0"]


async def test_unknown_packages_and_nonsense_are_reported(
    libraries: InstalledLibraries, composer: ComposerIndex
) -> None:
    with pytest.raises(PackageNotFound, match="Did you mean monolog/monolog"):
        await install(libraries, "monolog/monolg")
    for bad in ("monolog", "a/b/c", "../x", "mine/leaf:nonsense", ""):
        with pytest.raises(ConfigError):
            await install(libraries, bad)
    composer.site.put("/p2/mine/noise.json", '{"packages": {"mine/noise": [3]}}')
    with pytest.raises(PackageDamaged, match="cannot be read"):
        await install(libraries, "mine/noise")
    with pytest.raises(PackageNotFound, match="vendor/name"):
        await libraries.provide("php", "Somebody\\Logger", LibraryOrder())


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("Monolog\\Logger", "monolog/monolog"),
        ("Symfony\\Component\\OptionsResolver\\X", "symfony/options-resolver"),
        ("mine/leaf", "mine/leaf"),
    ],
)
async def test_a_missing_class_leads_to_its_package_where_that_is_known(
    libraries: InstalledLibraries, composer: ComposerIndex, name: str, package: str
) -> None:
    composer.add(package)
    done = await libraries.provide("php", name, LibraryOrder())
    assert [each.name for each in done.packages] == [package]


@pytest.mark.parametrize(
    ("constraint", "yes", "no"),
    [
        ("^1.2", ["1.2.0", "1.9.9", "v1.2.1"], ["1.1.9", "2.0.0", "2.0.0-beta1"]),
        ("^0.3", ["0.3.0", "0.3.9"], ["0.4.0", "0.2.9"]),
        ("^0.0.3", ["0.0.3"], ["0.0.4"]),
        ("~1.2", ["1.2", "1.9"], ["2.0", "1.1"]),
        ("~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]),
        ("1.2.*", ["1.2.0", "1.2.99"], ["1.3.0", "1.1.0"]),
        ("*", ["0.1", "9.9"], ["9.9-beta"]),
        (">=1.0 <1.1 || >=1.2", ["1.0.5", "1.2", "3.0"], ["1.1.0"]),
        (">=1.0,<2", ["1.5"], ["2.0", "2.0-RC1"]),
        ("1.0 - 2.0", ["1.0", "2.0.9"], ["2.1", "0.9"]),
        ("1.0.0 - 2.1.0", ["2.1.0"], ["2.1.1"]),
        ("!=1.5", ["1.4", "1.6"], ["1.5.0"]),
        ("1.5", ["1.5", "1.5.0.0"], ["1.5.1"]),
        ("^1.0|^2.0", ["1.5", "2.5"], ["3.0"]),
        (">= 1.0", ["1.0"], ["0.9"]),
        ("dev-main || ^1", ["1.0"], ["2.0"]),
        ("^1@beta", ["1.1-beta2", "1.1-RC1", "1.0"], ["1.1-alpha1"]),
        ("1.0-p1", ["1.0-p1", "1.0-pl1"], ["1.0"]),
    ],
)
def test_constraints_of_composer(constraint: str, yes: list[str], no: list[str]) -> None:
    read = Constraint(constraint)
    assert [version for version in yes if not read.allows(version)] == []
    assert [version for version in no if read.allows(version)] == []


def test_versions_of_composer_have_an_order() -> None:
    ordered = ["1.0-alpha1", "1.0-beta2", "1.0-beta10", "1.0-RC1", "1.0", "1.0-p1", "1.0.0.1", "1.10", "2"]
    found = [parse_version(each) for each in ordered]
    assert all(found)
    assert sorted(filter(None, found)) == found


def test_classes_are_found_where_they_are_defined() -> None:
    code = """<?php
    namespace A\\B;
    /* class No1 {} */ # class No2 {}
    #[Attribute] final readonly class One extends Two implements Three {}
    abstract class Four {}
    enum Suit: string { case A = 'a'; }
    trait Five {} interface Six {}
    $x = new class { public $class; }; echo Foo::class; $y = "class No3 {}";
    """
    assert find_classes(code) == ["A\\B\\One", "A\\B\\Four", "A\\B\\Suit", "A\\B\\Five", "A\\B\\Six"]
