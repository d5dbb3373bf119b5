"""Environment variables that are added while a runtime runs."""

import pytest

from cloche.errors import RuntimeFailed
from cloche.events import RunCodeAction, RunCodeObservation
from cloche.limits import ENV_LIMIT
from cloche.runtime import Runtime

LOOKS = {
    "python": "import os; os.environ.get('LATE')",
    "javascript": "process.env.LATE",
    "typescript": "process.env.LATE",
    "lua": 'os.getenv("LATE")',
    "scheme": '(get-environment-variable "LATE")',
}


@pytest.mark.parametrize("language", LOOKS)
async def test_they_reach_languages_that_run_already(runtime: Runtime, language: str) -> None:
    await runtime.run_code(RunCodeAction(language, LOOKS[language]), timeout=15)
    await runtime.add_env_vars({"LATE": f"now in {language}"})
    found = await runtime.run_code(RunCodeAction(language, LOOKS[language]), timeout=15)
    assert isinstance(found, RunCodeObservation)
    assert f"now in {language}" in (found.value or "")


async def test_any_value_arrives_as_it_is(runtime: Runtime) -> None:
    odd = {"ODD": "é 'q' \"d\" $x `b` = \n end", "EMPTY": "", "LONG": "x" * 1_000_000}
    await runtime.add_env_vars(odd)
    shell = await runtime.run('printf "%s|" "$ODD" "${EMPTY-unset}" "${#LONG}"')
    assert shell.content == f"{odd['ODD']}||1000000|"
    program = await runtime.run("""python3 -c 'import os; print(os.environ["ODD"], len(os.environ["LONG"]))'""")
    assert program.content == f"{odd['ODD']} 1000000\n"


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"A=B": "x"}, "'A=B' cannot be set"),
        ({"": "x"}, "'' cannot be set"),
        ({"N": "a\0b"}, "'N' cannot be set"),
        ({"S": "\ud800"}, "no text"),
        ({"HUGE": "x" * ENV_LIMIT}, f"over the limit of {ENV_LIMIT}"),
    ],
    ids=["equals", "empty", "nul", "surrogate", "huge"],
)
async def test_one_that_cannot_be_set_is_refused_and_changes_nothing(
    runtime: Runtime, env: dict[str, str], said: str
) -> None:
    with pytest.raises(RuntimeFailed, match="Nothing was added: ") as raised:
        await runtime.add_env_vars({**env, "BESIDE": "x"})
    assert said in str(raised.value)
    assert (await runtime.run("echo [$BESIDE]")).content == "[]\n"


async def test_names_that_are_the_shells_own_do_not_confuse_it(runtime: Runtime) -> None:
    await runtime.add_env_vars({"?": "7", "1": "one", "a-b": "dash"})
    assert (await runtime.run("true; echo $? [$1]")).content == "0 []\n"
    assert "dash" in (await runtime.run_ipython("import os; print(os.environ['a-b'])")).content
