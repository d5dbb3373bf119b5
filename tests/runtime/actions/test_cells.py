"""Cells of Python, and the code that comes before them."""

import pytest

from cloche.events import IPythonRunCellAction
from cloche.runtime import Runtime
from cloche.runtime.actions import cells

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
