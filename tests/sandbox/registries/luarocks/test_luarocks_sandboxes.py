"""Rocks inside a real sandbox: `require` installs what is missing; what is installed is found at once."""

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from tests.sandbox.registries.makers import RockIndex

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(autouse=True)
def quick_start(_unblocked_loop: BlockBuster) -> None:
    """Lets the loop's own thread wait for the new process."""
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


async def test_require_installs_what_is_missing(rocks: RockIndex) -> None:
    rocks.add("leaf", "1.0-1", {"src/leaf.lua": "return { name = ... }"})
    with anyio.fail_after(60):
        async with Sandbox(auto_install=True) as box:
            assert (await box.run("require('leaf').name", language="lua")).value == '"leaf"'
            assert (await box.bash("lua -e 'print(require(\"leaf\").name)'")).stdout == "leaf\n"
            result = await box.run("require('no_such_rock')", language="lua")
            assert result.error is not None
            assert "module 'no_such_rock' not found" in result.error.message
            assert "not installed: " in result.error.message
            assert result.state == "kept"


async def test_an_installed_rock_is_found_at_once(rocks: RockIndex) -> None:
    rocks.add("leaf", "1.0-1", {"src/leaf.lua": "return { name = ... }"})
    with anyio.fail_after(60):
        async with Sandbox() as box:
            result = await box.run("require('leaf')", language="lua")
            assert result.error is not None
            await box.install("leaf", language="lua")
            assert (await box.run("require('leaf').name", language="lua")).value == '"leaf"'
