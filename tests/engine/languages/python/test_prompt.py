"""What a prompt asks a sandbox: whether code is whole, what could follow, and input that must not be seen."""

import pytest

from cloche import Completeness, Sandbox


@pytest.mark.parametrize(
    ("code", "status", "indent"),
    [
        ("1", "complete", ""),
        ("def f():", "incomplete", "    "),
        ("def f():\n    return 1\n", "complete", ""),
        ("x = (1,", "incomplete", ""),
        ("'''text", "incomplete", ""),
        ("1 +", "invalid", ""),
    ],
)
async def test_python_says_whether_a_cell_is_whole(box: Sandbox, code: str, status: str, indent: str) -> None:
    answer = await box.is_complete(code)
    assert (answer.status, answer.indent) == (status, indent)


async def test_the_next_cells_number_is_known(box: Sandbox) -> None:
    first = (await box.is_complete("")).count
    assert first is not None
    await box.run("1/0")
    assert (await box.is_complete("")).count == first + 1


async def test_bash_says_whether_a_command_is_whole(box: Sandbox) -> None:
    assert await box.is_complete("for i in 1; do", language="bash") == Completeness("incomplete")
    assert await box.is_complete("echo 1", language="bash") == Completeness("complete")
    assert await box.is_complete("if ; then", language="bash") == Completeness("invalid")


async def test_bash_completes_commands_variables_and_files(box: Sandbox) -> None:
    await box.bash("mkdir -p some/place; touch 'some/one else'; fruit=1; false")
    assert (await box.complete("ech", language="bash")).matches == ["echo"]
    assert (await box.complete("echo $fru", language="bash")).matches == ["fruit"]
    found = await box.complete("ls some/", 8, language="bash")
    assert (found.matches, found.start, found.end) == (["some/one\\ else", "some/place/"], 3, 8)
    assert (await box.bash("echo $?")).stdout == "1\n"


async def test_a_function_that_can_hide_input_learns_when_to(box: Sandbox) -> None:
    asked: list[tuple[str, bool]] = []

    async def answer(prompt: str, *, password: bool) -> str:
        asked.append((prompt, password))
        return "s3"

    code = "import getpass\nprint('first', end=' ')\ninput('name? ') + getpass.getpass('secret? ')"
    result = await box.run(code, on_input=answer, check=True)
    assert result.value == "'s3s3'"
    assert asked == [("name? ", False), ("secret? ", True)]
