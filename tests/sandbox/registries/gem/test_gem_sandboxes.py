"""Gems inside a real sandbox: `require` installs what is missing; what is installed is found at once."""

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from tests.sandbox.registries.makers import GemIndex

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(autouse=True)
def quick_start(_unblocked_loop: BlockBuster) -> None:
    """Lets the loop's own thread wait for the new process."""
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.mark.slow
async def test_require_installs_what_is_missing(gems: GemIndex) -> None:
    gems.add("leaf", "1.4.2")
    gems.add("tree", "0.3.0", {"lib/tree.rb": "require 'leaf'\nTREE = \"tree of #{LEAF}\"\n"}, needs="leaf:~> 1.0")
    with anyio.fail_after(60):
        async with Sandbox(auto_install=True) as box:
            result = await box.run("require 'tree'\nTREE", language="ruby")
            assert result.value == '"tree of 1.4.2"', result
            assert (await box.bash("ruby -rleaf -e 'puts LEAF'")).stdout == "1.4.2\n"
            result = await box.run("x = 1\nrequire 'no_such_gem'", language="ruby")
            assert result.error is not None
            assert (result.error.type, result.error.line, result.state) == ("LoadError", 2, "kept")
            assert "cannot load such file -- no_such_gem" in result.error.message
            assert "hint: " in result.error.message


@pytest.mark.slow
async def test_an_installed_gem_is_found_at_once(gems: GemIndex) -> None:
    gems.add("leaf", "1.4.2")
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.run("require 'leaf'", language="ruby")
            assert result.error is not None
            assert "gem install leaf" in result.error.message
            await box.install("leaf", language="ruby")
            assert (await box.run("gem 'leaf'\nrequire 'leaf'\nLEAF", language="ruby")).value == '"1.4.2"'
            assert (await box.bash("ruby -e 'require \"leaf\"; puts LEAF'")).stdout == "1.4.2\n"


@pytest.mark.slow
async def test_a_gem_that_a_cell_installs_is_found_by_the_same_cell(gems: GemIndex) -> None:
    gems.add("leaf", "1.4.2")
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.run("`gem install leaf`\nrequire 'leaf'\nLEAF", language="ruby")
            assert (result.value, result.error) == ('"1.4.2"', None)


async def test_programs_of_gems_are_commands(gems: GemIndex) -> None:
    program = "#!/usr/bin/env ruby\nrequire 'bell'\nputs [BELL, *ARGV].inspect\nexit 3\n"
    gems.add("bell", "1.0.0", {"lib/bell.rb": "BELL = 'ding'\n", "exe/ring": program})
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.bash("gem install -q bell && ring 'a b'")
            assert (result.stdout, result.exit_code) == ('["ding", "a b"]\n', 3)
