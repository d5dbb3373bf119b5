"""Outputs that are too long for an observation."""

import pytest

from cloche.events import CmdOutputObservation, CmdRunAction, RunCodeAction
from cloche.limits import OUTPUT_FILES, SHOWN_CHARACTERS
from cloche.runtime import Runtime

LONG = "printf '%040000d' 7"


async def run(runtime: Runtime, command: str, *, hidden: bool = False) -> CmdOutputObservation:
    done = await runtime.run(CmdRunAction(command, hidden=hidden))
    assert isinstance(done, CmdOutputObservation)
    return done


async def kept(runtime: Runtime) -> list[str]:
    return await runtime.list_files("/tmp/outputs")


@pytest.fixture(autouse=True)
async def _none_kept(runtime: Runtime) -> None:
    await runtime.run("rm -rf /tmp/outputs")


async def test_the_note_says_how_much_is_missing_and_where_it_is(runtime: Runtime) -> None:
    done = await run(runtime, LONG)
    head, note, tail = done.content.split("\n")
    assert (len(head), len(tail), done.metadata.prefix) == (SHOWN_CHARACTERS // 2, SHOWN_CHARACTERS // 2, "")
    assert "Observation truncated due to length: 10000 characters are left out here. All of it is in /tmp/" in note
    path = note.partition("is in ")[2].partition(":")[0]
    assert (await run(runtime, f"wc -c < {path}")).content.strip() == "40000"


async def test_what_is_hidden_or_short_is_shown_whole_and_not_kept(runtime: Runtime) -> None:
    assert len((await run(runtime, LONG, hidden=True)).content) == 40_000
    assert len((await run(runtime, f"printf '%0{SHOWN_CHARACTERS}d' 7")).content) == SHOWN_CHARACTERS
    assert await kept(runtime) == []


async def test_output_of_code_is_shown_in_part_too(runtime: Runtime) -> None:
    for done in (
        await runtime.run_ipython("print('x' * 40_000)"),
        await runtime.run_code(RunCodeAction("javascript", "console.log('x'.repeat(40_000))")),
    ):
        assert "characters are left out here. All of it is in /tmp/outputs/" in done.content
    assert len(await kept(runtime)) == 2


async def test_only_the_latest_are_kept(runtime: Runtime) -> None:
    for _ in range(OUTPUT_FILES + 2):
        await run(runtime, LONG)
    assert len(await kept(runtime)) == OUTPUT_FILES


@pytest.mark.parametrize("instead", ["touch /tmp/outputs", "ln -s /etc /tmp/outputs"])
async def test_where_it_cannot_be_kept_the_note_names_no_file(runtime: Runtime, instead: str) -> None:
    await run(runtime, instead)
    assert "10000 characters are left out here. ...]" in (await run(runtime, LONG)).content
