"""Cells of Python, and the code that comes before them."""

import pytest

from cloche.events import IPythonRunCellAction
from cloche.runtime import Runtime
from cloche.runtime.actions import cells

STUCK = "sum(range(10**11))"
"""Code that no interrupt reaches."""
COUNT = "{0} = globals().get('{0}', 0) + 1"


async def counted(runtime: Runtime, name: str) -> str:
    cell = IPythonRunCellAction(f"print({name})", include_extra=False, kernel_init_code=COUNT.format(name))
    return (await runtime.run_ipython(cell)).content


async def test_code_for_a_new_interpreter_runs_once_as_long_as_it_is_remembered(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [await counted(runtime, name) for name in "abab"] == ["1\n"] * 4
    monkeypatch.setattr(cells, "SETUPS", 2)
    assert [await counted(runtime, name) for name in "cba"] == ["1\n", "1\n", "2\n"]


@pytest.mark.slow
async def test_code_that_costs_the_interpreter_is_given_once_and_the_rest_to_the_next_one(runtime: Runtime) -> None:
    await runtime.run("mkdir -p /tmp/deep && cd /tmp/deep")
    await runtime.run_ipython(IPythonRunCellAction("", include_extra=False, kernel_init_code="kept = 7"))
    cell = IPythonRunCellAction("import os; print(kept, os.getcwd())", include_extra=False, kernel_init_code=STUCK)
    shown = (await runtime.run_ipython(cell, timeout=1)).content
    assert "The interpreter had to be restarted" in shown
    assert shown.endswith("7 /tmp/deep\n")
    await runtime.run_ipython(IPythonRunCellAction("x = 1", include_extra=False))
    again = await runtime.run_ipython(IPythonRunCellAction("print(kept + x)", include_extra=False))
    assert again.content == "8\n"


async def test_what_a_cell_clears_is_in_its_observation_but_not_its_pictures(runtime: Runtime) -> None:
    code = "from IPython.display import clear_output\nprint('old')\nclear_output()\nprint('new')"
    assert (await runtime.run_ipython(IPythonRunCellAction(code, include_extra=False))).content == "old\nnew\n"
