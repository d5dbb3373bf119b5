"""Distributions of CPAN inside a real sandbox: `use` installs what is missing; what is installed is found at once."""

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from cloche.sandbox.registries.cpan.names import ABSENT, CORE, PRAGMAS
from tests.sandbox.registries.makers import CpanIndex

pytestmark = pytest.mark.timeout(60)

LEAF = "package Leaf::Green; use Tree; sub name { 'leaf of ' . Tree->name } 1;"
TREE = "package Tree; sub name { 'tree' } eval { require Bark::XS }; 1;"


@pytest.fixture(autouse=True)
def quick_start(_unblocked_loop: BlockBuster) -> None:
    """Lets the loop's own thread wait for the new process."""
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.fixture
def filled_index(cpan: CpanIndex) -> CpanIndex:
    cpan.add("Tree", "2.1", {"lib/Tree.pm": TREE})
    cpan.add("Leaf-Green", "1.0", {"lib/Leaf/Green.pm": LEAF}, requires=["Tree"])
    cpan.add("Bark-XS", "1.0", {"lib/Bark/XS.pm": "package Bark::XS; print 'loaded'; 1;"})
    return cpan


async def test_use_installs_what_is_missing(filled_index: CpanIndex) -> None:
    with anyio.fail_after(60):
        async with Sandbox(auto_install=True) as box:
            # What a module tries and can do without is not installed.
            result = await box.run("use Leaf::Green; Leaf::Green->name", language="perl")
            assert (result.value, result.stdout) == ("leaf of tree", "")
            assert (await box.bash("perl -MLeaf::Green -e 'print Leaf::Green->name'")).stdout == "leaf of tree"
            result = await box.run("use No::Such::Thing;", language="perl")
            assert result.error is not None
            assert "Can't locate No/Such/Thing.pm" in result.error.message
            assert "No::Such::Thing" in result.error.message.partition("hint: ")[2]
            failed = await box.bash("perl -e 'use No::Such::Thing'")
            assert failed.exit_code == 2
            assert "hint: " in failed.stderr


async def test_an_installed_distribution_is_found_at_once(filled_index: CpanIndex) -> None:
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.run("use Leaf::Green;", language="perl")
            assert result.error is not None
            assert "cpanm Leaf::Green" in result.error.message
            await box.install("Leaf::Green", language="perl")
            assert (await box.run("use Leaf::Green; Leaf::Green->name", language="perl")).value == "leaf of tree"


MAIN = {
    "Filter": "Filter::Util::Call",
    "IO-Compress": "IO::Compress::Gzip",
    "PathTools": "Cwd",
    "Scalar-List-Utils": "List::Util",
    "Test-Simple": "Test::More",
    "Text-Tabs+Wrap": "Text::Wrap",
    "perl": "strict",
}
"""Distributions without a module of their own name."""


async def test_the_lists_of_what_perl_comes_with_are_those_of_the_sandboxs_perl() -> None:
    listed = {MAIN.get(dist, dist.replace("-", "::")) for dist in CORE} | PRAGMAS
    absent = {dist.replace("-", "::") for dist in ABSENT}
    code = """while (<STDIN>) {
        chomp; (my $file = $_) =~ s{::}{/}g;
        print "$_\\n" if grep { !ref and -e "$_/$file.pm" } @INC
    }"""
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.run(code, language="perl", stdin="\n".join(sorted(listed | absent)) + "\n")
    assert set(result.stdout.split()) == listed - {"perl"}, "which is how a version of the language is asked for"
