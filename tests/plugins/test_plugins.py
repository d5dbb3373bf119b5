"""Plugins are set up before the first action."""

import io
import zipfile
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from cloche.errors import ConfigError
from cloche.events import CopyToAction, FileEditAction, FileWriteAction, IPythonRunCellAction
from cloche.runtime import PluginRequirement, Runtime
from cloche.runtime.actions.file_archives import pack_files
from cloche.runtime.pyodide import PyodideRuntime

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
WORD = f'<w:document xmlns:w="{W}"><w:p><w:r><w:t>Hello</w:t><w:tab/><w:t>Ada</w:t></w:r></w:p></w:document>'
SLIDE = '<p xmlns:a="{}"><a:p><a:r><a:t>slide {}</a:t></a:r></a:p></p>'
TEX = (
    r"\documentclass{a}\begin{document}\section{Hello \textbf{World}} 50\% % not this"
    + "\n"
    + r"\item one\end{document}"
)

OPEN = "open_file('notes/long.txt', 150, 4)"


@pytest.fixture(scope="module")
async def runtime(prepared: object) -> AsyncGenerator[Runtime]:
    plugins = [PluginRequirement("agent_skills"), PluginRequirement("jupyter")]
    async with PyodideRuntime(plugins=plugins) as runtime:
        await runtime.write(FileWriteAction("notes/long.txt", "".join(f"line {n}\n" for n in range(1, 301))))
        await runtime.write(FileWriteAction("paper.tex", TEX))
        files = {"word.docx": document({"word/document.xml": WORD})}
        slides = {f"ppt/slides/slide{n}.xml": SLIDE.format(A, n) for n in (10, 9)}
        files["talk.pptx"] = document(slides)
        await runtime.execute(CopyToAction("/workspace", pack_files(files)))
        await runtime.run("mkdir odd && ln -s nothing odd/dead && echo a > odd/a")
        yield runtime


def document(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


async def printed(runtime: Runtime, code: str) -> str:
    return (await runtime.run_ipython(IPythonRunCellAction(code, include_extra=False))).content


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (OPEN, "(147 more lines above)\n148|line 148\n149|line 149\n150|line 150\n"),
        (f"{OPEN}; scroll_down()", "154|line 154"),
        (f"{OPEN}; scroll_up(); goto_line(300)", "300|line 300\n(this is the end of the file)"),
        (f"{OPEN}; goto_line(0)", "(there is no line 0: the file has 300)"),
        (f"{OPEN}; search_file('line 299')", "[1 lines hold 'line 299' in /workspace/notes/long.txt]"),
        ("search_dir('line 29')", "./notes/long.txt (line 290): line 290"),
        ("find_file('*.pptx')", "./talk.pptx"),
        ("open_file('nothing')", "ERROR: there is no file nothing."),
        ("parse_docx('word.docx')", "@@ Paragraph 1 @@\nHello\tAda\n"),
        ("parse_pptx('talk.pptx')", "@@ Slide 9 @@\nslide 9\n\n@@ Slide 10 @@\nslide 10\n"),
        ("parse_latex('paper.tex')", "Hello World 50%"),
        ("parse_pdf('x.pdf')", "ERROR: parse_pdf needs the package pypdf: run `%pip install pypdf`"),
        ("parse_docx('gone.docx')", "ERROR: gone.docx cannot be read: No such file or directory."),
        ("parse_pptx('notes/long.txt')", "ERROR: notes/long.txt cannot be read: File is not a zip file."),
        ("parse_docx('talk.pptx')", "ERROR: talk.pptx cannot be read: "),
        ("parse_latex('notes')", "ERROR: notes cannot be read: Is a directory."),
        ("search_dir('nowhere', '/workspace/odd')", "[0 lines hold 'nowhere' in /workspace/odd]"),
        ("open_file('odd/a'); import os; os.remove('odd/a'); goto_line(1)", "odd/a cannot be read: No such file"),
        ("parse_image('x.png')", "ERROR: parse_image needs a model"),
    ],
)
async def test_skills_are_at_hand_in_cells(runtime: Runtime, code: str, said: str) -> None:
    assert said in await printed(runtime, code)


async def test_cells_edit_files_as_the_action_does(runtime: Runtime) -> None:
    async def edit(**given: object) -> str:
        return await printed(runtime, f"print(file_editor(**{given!r}), end='')")

    path = "/workspace/edited/by_cell.txt"
    assert await edit(command="create", path=path, file_text="a\r\nb\r\n") == f"File created successfully at: {path}\n"
    edits: list[dict[str, Any]] = [
        {"command": "str_replace", "old_str": "b", "new_str": "c"},
        {"command": "str_replace", "old_str": "zz", "new_str": "c"},
        {"command": "insert", "insert_line": 9, "new_str": "c"},
        {"command": "undo_edit"},
        {"command": "create", "file_text": "x"},
        {"command": "insert"},
        {"command": "fly"},
    ]
    for given in edits:
        await runtime.write(FileWriteAction("by_action.txt", "a\r\nb\r\n"))
        action = await runtime.edit(FileEditAction("by_action.txt", **given))
        said = action.content.replace("/workspace/by_action.txt", path)
        assert (await edit(path=path, **given)).rstrip("\n") == said.rstrip("\n")
    for folder in (path, "/workspace/edited", "/workspace/gone"):
        action = await runtime.edit(FileEditAction(folder, "view"))
        assert (await edit(command="view", path=folder)).rstrip("\n") == action.content.rstrip("\n")
    assert "No edit history found" in await edit(command="undo_edit", path="/workspace/notes/long.txt")
    assert "2\t" in await edit(command="insert", path=path, insert_line="1", new_str="between")
    assert "has been edited" in await printed(runtime, f"edit_file({path!r}, 'between', 'amid')")
    assert (await runtime.read(path)).content == "a\r\namid\r\nb\r\n"


@pytest.mark.slow
async def test_skills_are_there_again_after_python_had_to_be_restarted(runtime: Runtime) -> None:
    await runtime.run_ipython("kept = 1")
    lost = await runtime.run_ipython("sum(range(10**11))", timeout=1)
    assert "The interpreter had to be restarted" in lost.content
    assert "NameError" in await printed(runtime, "kept")
    assert "148|line 148" in await printed(runtime, OPEN)


async def test_skills_can_be_imported(runtime: Runtime) -> None:
    assert await printed(runtime, "import agentskills\nprint('open_file' in agentskills.__all__)") == "True\n"


async def test_a_plugin_that_is_not_known_is_one_clear_error() -> None:
    with pytest.raises(ConfigError, match="'skillz' is not known"):
        await PyodideRuntime(plugins=[PluginRequirement("skillz")]).connect()


async def test_the_first_cell_of_a_user_has_the_number_one() -> None:
    plugins = [PluginRequirement("jupyter"), PluginRequirement("agent_skills")]
    async with PyodideRuntime(plugins=plugins) as runtime:
        observation = await runtime.run_ipython(IPythonRunCellAction("1/0", kernel_init_code="ready = 1"))
        assert 'File "Cell In[1]"' in observation.content
        observation = await runtime.run_ipython(IPythonRunCellAction("ready, open_file.__name__, len(In)"))
        assert observation.content.startswith("(1, 'open_file', 3)")


async def test_code_for_interpreters_that_fails_is_reported() -> None:
    async with PyodideRuntime() as runtime:
        observation = await runtime.run_ipython(IPythonRunCellAction("2", kernel_init_code="nothing_like_it"))
        assert "NameError: name 'nothing_like_it' is not defined" in observation.content
        assert "2" in observation.content
