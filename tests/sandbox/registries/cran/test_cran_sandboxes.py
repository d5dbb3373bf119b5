"""Packages of CRAN inside a real sandbox: built by R itself, installed by name or by `library`, found at once."""

import io
import tarfile
from pathlib import Path

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from cloche.sandbox.registries.cran.names import BASE
from tests.sandbox.registries.makers import CranIndex

pytestmark = pytest.mark.timeout(90)

BUILD = """
build <- function(name, code, imports = "", native = FALSE) {
  source <- file.path("src", name)
  out <- file.path("lib", name)
  for (folder in c(file.path(source, "R"), file.path(out, "R"))) dir.create(folder, recursive = TRUE)
  writeLines(c(
    paste("Package:", name), "Version: 1.2.0", "Title: T", "Description: D", "License: MIT", "Author: A",
    "Maintainer: A <a@b.c>", if (nzchar(imports)) paste("Imports:", imports)
  ), file.path(source, "DESCRIPTION"))
  uses <- c(if (nzchar(imports)) sprintf("import(%s)", imports), if (native) sprintf("useDynLib(%s)", name))
  writeLines(c("export(say)", uses), file.path(source, "NAMESPACE"))
  writeLines(code, file.path(source, "R", "code.R"))
  tools:::.install_package_description(source, out)
  tools:::.install_package_namespace_info(source, out)
  file.copy(file.path(source, "NAMESPACE"), out)
  tools:::.install_package_code_files(source, out)
  .libPaths("lib")
  tools:::makeLazyLoading(name, "lib")
}
build("twig", "say <- function() 'a twig'")
build("bark", "say <- function() .Call('same', 'from C', PACKAGE = 'bark')", native = TRUE)
build("leafy", "say <- function() paste('a leaf on', twig::say())", "twig")
"""


def section(kind: int, *body: bytes) -> bytes:
    data = b"".join(body)
    return bytes([kind, len(data)]) + data


LIBRARY = (
    b"\0asm\1\0\0\0"
    + section(0, b"\x08dylink.0", b"\x01\x04\x00\x00\x00\x00")
    + section(1, b"\x01\x60\x01\x7f\x01\x7f")
    + section(3, b"\x01\x00")
    + section(7, b"\x01\x04same\x00\x00")
    + section(10, b"\x01\x04\x00\x20\x00\x0b")
)
"""A library with one function, which gives what it gets."""


@pytest.fixture(autouse=True)
def quick_start(_unblocked_loop: BlockBuster) -> None:
    """Lets the loop's own thread wait for the new process."""
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def built() -> dict[str, dict[str, bytes]]:
    """The files of two packages."""
    async with Sandbox() as box:
        await box.run(BUILD, language="r", check=True)
        await box.bash("tar cf lib.tar -C lib .", check=True)
        data = await box.read("lib.tar")
    packages: dict[str, dict[str, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and (contents := archive.extractfile(member)):
                name, *rest = Path(member.name).parts
                packages.setdefault(name, {})["/".join(rest)] = contents.read()
    return packages


@pytest.fixture
def filled_index(cran: CranIndex, built: dict[str, dict[str, bytes]]) -> CranIndex:
    cran.add("twig", "1.2.0", built["twig"])
    cran.add("bark", "1.2.0", {**built["bark"], "libs/bark.so": LIBRARY})
    cran.add("leafy", "1.2.0", built["leafy"], Imports="twig (>= 1.0)")
    return cran


@pytest.mark.slow
async def test_library_installs_what_is_missing(filled_index: CranIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox(auto_install=True) as box:
            assert (await box.run("library(leafy)\nsay()", language="r")).value == '[1] "a leaf on a twig"'
            assert (await box.bash("Rscript -e 'leafy::say()'")).stdout == '[1] "a leaf on a twig"\n'
            result = await box.run("library(nosuchthing)", language="r")
            assert result.error is not None
            assert result.error.type == "packageNotFoundError"
            assert "nosuchthing" in result.error.message.partition("hint: ")[2]


async def test_a_name_with_colons_installs_it_too(filled_index: CranIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox(auto_install=True) as box:
            assert (await box.run("twig::say()", language="r")).value == '[1] "a twig"'
            assert (await box.run("(requireNamespace('leafy'))", language="r")).value == "[1] TRUE"


async def test_an_installed_package_is_found_at_once(filled_index: CranIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox() as box:
            result = await box.run("library(leafy)", language="r")
            assert result.error is not None
            assert 'install.packages("leafy")' in result.error.message
            await box.install("leafy", language="r")
            assert (await box.run("library(leafy)\nsay()", language="r")).value == '[1] "a leaf on a twig"'
            assert (await box.run("cat('x', file = '/opt/languages/r/leafy/x')", language="r")).error is not None


async def test_r_installs_by_name(filled_index: CranIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox() as box:
            result = await box.run('install.packages("twig")\ntwig::say()', language="r")
            assert (result.value, result.error) == ('[1] "a twig"', None)
            result = await box.run('install.packages("nosuchthing")', language="r")
            assert result.error is not None
            assert "nosuchthing" in result.error.message


@pytest.mark.slow
async def test_native_code_of_packages_runs_and_no_other(filled_index: CranIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox() as box:
            await box.install("bark", language="r")
            assert (await box.run("bark::say()", language="r")).value == '[1] "from C"'
            assert (await box.bash("Rscript -e 'bark::say()'")).stdout == '[1] "from C"\n'
            await box.write("mine.so", LIBRARY)
            await box.bash("ln -s /workspace/mine.so link.so")
            for path in ("mine.so", "/workspace/link.so", "/tmp/../workspace/mine.so"):
                result = await box.run(f"dyn.load('{path}')", language="r")
                assert result.error is not None
                assert "only libraries of installed packages" in result.error.message


async def test_the_list_of_what_r_comes_with_is_that_of_the_sandboxs_r() -> None:
    with anyio.fail_after(80):
        async with Sandbox() as box:
            result = await box.run("cat(list.files(.Library))", language="r")
    # `R` is how packages name the language itself; tcltk belongs to R everywhere, and is not in this one.
    assert {*result.stdout.split(), "R", "tcltk"} >= BASE - {"webr"}
    assert set(result.stdout.split()) <= BASE
