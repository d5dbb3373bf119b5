"""What the edit commands change, show and refuse."""

from typing import Any

import pytest

from cloche.events import FileEditAction, FileEditObservation, FileReadAction, FileReadObservation, FileWriteAction
from cloche.runtime import Runtime
from cloche.runtime.actions.edit_history import EDITS, MOST, STEPS, EditHistory

CAT = "Here's the result of running `cat -n` on"


async def put(runtime: Runtime, text: str) -> None:
    await runtime.write(FileWriteAction("f.txt", text))


async def edit(runtime: Runtime, command: str, path: str = "f.txt", **more: Any) -> FileEditObservation:
    done = await runtime.edit(FileEditAction(path, command, **more))
    assert isinstance(done, FileEditObservation)
    return done


async def view(runtime: Runtime, path: str = "f.txt", view_range: list[int] | None = None) -> str:
    seen = await runtime.read(FileReadAction(path, impl_source="oh_aci", view_range=view_range))
    assert isinstance(seen, FileReadObservation)
    return seen.content


async def test_lines_end_where_other_tools_end_them(runtime: Runtime) -> None:
    await put(runtime, "a\fb\u2028c\rd\ne\n")
    assert await view(runtime, view_range=[2, 2]) == f"{CAT} /workspace/f.txt:\n     2\te\n"
    done = await edit(runtime, "insert", insert_line=1, new_str="new")
    assert done.new_content == "a\fb\u2028c\rd\nnew\ne\n"
    assert (await runtime.read(FileReadAction("f.txt", 1, 2))).content == "new\n"


async def test_a_file_with_carriage_returns_keeps_them(runtime: Runtime) -> None:
    await put(runtime, "one\r\ntwo\r\nthree\r\n")
    done = await edit(runtime, "str_replace", old_str="one\ntwo", new_str="1\n2")
    assert done.new_content == "1\r\n2\r\nthree\r\n"
    done = await edit(runtime, "insert", insert_line=3, new_str="four\nfive")
    assert done.new_content == "1\r\n2\r\nthree\r\nfour\r\nfive\r\n"
    await runtime.write(FileWriteAction("f.txt", "II", 1, 2))
    assert (await runtime.read("f.txt")).content.splitlines(keepends=True)[1] == "II\r\n"


async def test_a_diff_shows_line_ends_too(runtime: Runtime) -> None:
    await put(runtime, "a\nb")
    done = await edit(runtime, "str_replace", old_str="b", new_str="b\n")
    assert (done.diff or "").splitlines()[-3:] == ["-b", "\\ No newline at end of file", "+b"]


async def test_what_is_added_to_a_last_line_without_end_begins_a_new_one(runtime: Runtime) -> None:
    await put(runtime, "one")
    assert (await edit(runtime, "insert", insert_line=1, new_str="two")).new_content == "one\ntwo\n"
    await put(runtime, "one")
    await runtime.write(FileWriteAction("f.txt", "two\n", 1))
    assert (await runtime.read("f.txt")).content == "one\ntwo\n"


async def test_a_large_file_is_edited_at_once_and_shown_where_it_changed(runtime: Runtime) -> None:
    await put(runtime, "".join(f"    x = {n % 50}\n" for n in range(400_000)) + "last = 1\n")
    done = await edit(runtime, "str_replace", old_str="last = 1", new_str="last = 2\nreally = 3")
    assert len((done.diff or "").splitlines()) == 2 + 1 + 3 + 3
    assert [line[:6] for line in done.content.splitlines()[1:-1]] == [str(n) for n in range(399_997, 400_003)]
    undone = await edit(runtime, "undo_edit")
    assert undone.content.splitlines()[-2].endswith("last = 1")


async def test_a_text_that_is_there_very_often_is_refused_at_once(runtime: Runtime) -> None:
    await put(runtime, "x\n" * 1_000_000)
    refused = await edit(runtime, "str_replace", old_str="x", new_str="y")
    assert "in lines [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] and 999990 more." in refused.content


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/etc/new.txt", "/etc/new.txt may not be touched"),
        ("../etc/new.txt", "/etc/new.txt may not be touched"),
        ("f.txt/below.txt", "/workspace/f.txt/below.txt is a file, or lies below one"),
        (".", "File already exists at: /workspace."),
    ],
)
async def test_a_file_that_cannot_be_created_says_why(runtime: Runtime, path: str, said: str) -> None:
    await put(runtime, "x")
    assert (await edit(runtime, "create", path, file_text="x")).content.startswith(f"ERROR:\n{said}")


async def test_what_is_no_text_file_is_refused_by_the_command(runtime: Runtime) -> None:
    await runtime.run("printf '\\xff\\xfe' > bin; mkdir -p folder")
    for path, said in [("bin", "not a text file"), ("gone", "does not exist"), ("folder", "is a folder")]:
        assert said in (await edit(runtime, "str_replace", path, old_str="a", new_str="b")).content
    assert (await view(runtime, "gone")).startswith("ERROR:\nInvalid `path` parameter: /workspace/gone.")


async def test_the_message_says_whether_it_was_done(runtime: Runtime) -> None:
    assert (await edit(runtime, "undo_edit", "gone")).message == "I could not edit /workspace/gone."
    assert (await runtime.execute(FileEditAction("gone", "view"))).message == "I could not view /workspace/gone."
    await put(runtime, "ERROR:\nof a log")
    assert (await runtime.read("f.txt")).message == "I read the file /workspace/f.txt."


async def test_edits_are_taken_back_one_by_one_whatever_the_file_is_called(runtime: Runtime) -> None:
    await edit(runtime, "create", "u.txt", file_text="0")
    for n in range(3):
        await edit(runtime, "str_replace", "folder/../u.txt", old_str=str(n), new_str=str(n + 1))
    for n in (2, 1, 0):
        assert (await edit(runtime, "undo_edit", "/workspace/u.txt")).new_content == str(n)
    assert (await edit(runtime, "undo_edit", "u.txt")).new_content is None
    assert "u.txt" not in await runtime.list_files()
    assert "No edit history found for /workspace/u.txt" in (await edit(runtime, "undo_edit", "u.txt")).content


async def test_a_folder_is_shown_two_levels_deep(runtime: Runtime) -> None:
    await runtime.run("mkdir -p v/b/c v/.h && touch v/a v/b/d v/b/.e v/b/c/deep v/.h/x && ln -s /etc v/link")
    assert await view(runtime, "v") == (
        "Here's the files and directories up to 2 levels deep in /workspace/v, excluding hidden items:\n/workspace/v/\n"
        "/workspace/v/a\n/workspace/v/b/\n/workspace/v/b/c/\n/workspace/v/b/d\n/workspace/v/link\n\n"
        "1 hidden files/directories in this directory are excluded. You can use 'ls -la /workspace/v' to see them."
    )
    assert "`view_range` parameter is not allowed" in await view(runtime, "v", [1, 2])


async def test_a_folder_with_very_much_is_shown_in_part(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.runtime.actions.text_edits.NAMES", 10)
    await runtime.run("mkdir many && cd many && touch $(seq 15) && cd ..")
    assert (await view(runtime, "many")).splitlines()[-1] == "... and 5 more: view a folder below."


async def test_an_empty_file_may_be_viewed_to_its_end(runtime: Runtime) -> None:
    await put(runtime, "")
    assert await view(runtime, view_range=[1, -1]) == f"{CAT} /workspace/f.txt:\n     1\t\n"
    assert await view(runtime) == f"{CAT} /workspace/f.txt:\n     1\t\n"


async def test_a_long_file_is_shown_in_part_and_says_so(runtime: Runtime) -> None:
    await put(runtime, "".join(f"line {n}\n" for n in range(16_000)))
    seen = await view(runtime)
    assert "only part of this file has been shown to you" in seen
    assert len(seen) < 40_000
    assert seen.endswith(" 16000\tline 15999\n")
    assert await view(runtime, view_range=[9000, 9000]) == f"{CAT} /workspace/f.txt:\n  9000\tline 8999\n"


@pytest.mark.parametrize(
    ("command", "given", "said"),
    [
        ("create", {}, "Parameter `file_text` is required for command: create."),
        ("str_replace", {"new_str": "a"}, "Parameter `old_str` is required for command: str_replace."),
        ("str_replace", {"old_str": "a", "new_str": "a"}, "`new_str` and `old_str` must be different."),
        ("str_replace", {"old_str": "", "new_str": "a"}, "Multiple occurrences of old_str `` in lines [1, 2]."),
        ("str_replace", {"old_str": "z" * 2000}, f"old_str `{'z' * 1000}...` did not appear verbatim"),
        ("insert", {"new_str": "a"}, "Parameter `insert_line` is required for command: insert."),
        ("insert", {"insert_line": 1}, "Parameter `new_str` is required for command: insert."),
        ("insert", {"insert_line": 3, "new_str": "a"}, "within the range of allowed values: [0, 2]"),
    ],
)
async def test_what_cannot_be_done_is_refused_in_words_that_models_know(
    runtime: Runtime, command: str, given: dict[str, Any], said: str
) -> None:
    await put(runtime, "one\ntwo\n")
    refused = await edit(runtime, command, **given)
    assert refused.refused
    assert said in refused.content


def test_history_forgets_the_oldest() -> None:
    history = EditHistory()
    for n in range(STEPS + 2):
        history.remember("a", str(n))
    for n in range(STEPS + 1, 1, -1):
        assert history.last("a") == str(n)
        history.forget_last("a")
    assert "a" not in history
    history.remember("small", None)
    for name in "bc":
        history.remember(name, "x" * (MOST // 2 + 1))
    assert [name for name in ("small", "b", "c") if name in history] == ["c"]
    for n in range(EDITS):
        history.remember(str(n), None)
    assert "c" not in history
