"""Python cells in a real sandbox: IPython's manners, input, subprocesses, displays."""

import json
import textwrap
import zipfile
from pathlib import Path

import pytest

from cloche import Cleared, Sandbox, Shown, Text
from tests.guest_python import DIGITS


async def printed(box: Sandbox, code: str) -> str:
    """What code prints that has to work."""
    return (await box.run(textwrap.dedent(code), check=True)).stdout


async def value(box: Sandbox, code: str) -> str | None:
    return (await box.run(textwrap.dedent(code), check=True)).value


async def test_variables_stay_between_cells(box: Sandbox) -> None:
    await box.run("x = 41", check=True)
    await box.run("def up(n):\n    return n + 1", check=True)
    assert await value(box, "up(x)") == "42"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 + 1", "2"),
        ("x = 1", None),
        ("1 + 1;", None),
        ("None", None),
        ("'a\\nb'", "'a\\nb'"),
        ("for i in range(3):\n    i", None),
        ("x = 5\nx * 2", "10"),
        ("# only a comment", None),
        ("", None),
    ],
)
async def test_the_value_is_that_of_the_last_expression(box: Sandbox, code: str, expected: str | None) -> None:
    result = await box.run(code, check=True)
    assert result.value == expected
    assert result.stdout == ""


async def test_earlier_values_are_at_hand_as_in_ipython(box: Sandbox) -> None:
    await box.run("6 * 7", check=True)
    assert await value(box, "_ + 1") == "43"
    assert await value(box, "Out[1], In[1]") == "(42, '6 * 7')"


async def test_await_works_at_the_top_of_a_cell(box: Sandbox) -> None:
    code = """
        import asyncio
        async def slow(n):
            await asyncio.sleep(0.01)
            return n
        a, b = await asyncio.gather(slow(1), slow(2))
        a + b
    """
    assert await value(box, code) == "3"
    assert await printed(box, "print(asyncio.run(slow(4)))") == "4\n"


async def test_a_task_goes_on_while_the_next_cell_awaits(box: Sandbox) -> None:
    await box.run("import asyncio\nseen = []\nasync def work():\n    await asyncio.sleep(0.01)\n    seen.append(1)")
    await box.run("task = asyncio.create_task(work())", check=True)
    assert await value(box, "await task\nseen") == "[1]"


async def test_a_result_has_the_folder_of_python_and_bash(box: Sandbox) -> None:
    assert (await box.run("1")).cwd == "/workspace"
    assert (await box.run("import os; os.makedirs('d'); os.chdir('d')")).cwd == "/workspace/d"
    assert (await box.bash("cd /tmp; false")).cwd == "/tmp"
    assert (await box.run("1/0")).cwd == "/workspace/d"


async def test_magics_work(box: Sandbox) -> None:
    await box.run("alpha = 1\nbeta = 'x'", check=True)
    who = await printed(box, "%who")
    assert who.split() == ["alpha", "beta"]
    assert "Wall time" in await printed(box, "%time sum(range(10))")
    assert "loop" in await printed(box, "%%timeit -n 2 -r 2\nsum(range(10))")
    assert "loop" in await printed(box, "%timeit -n 2 -r 2 sum(range(10))")
    assert await value(box, "%pwd") == "'/workspace'"
    result = await box.run("%nosuchmagic")
    assert result.error is not None
    assert "nosuchmagic" in result.error.message


async def test_a_question_mark_shows_help(box: Sandbox) -> None:
    result = await box.run("len?", check=True)
    shown = result.stdout + "".join(str(display.data.get("text/plain")) for display in result.displays)
    assert "Return the number of items in a container" in shown


async def test_an_exclamation_mark_goes_to_bash(box: Sandbox) -> None:
    assert await printed(box, "!echo glass | tr a-z A-Z") == "GLASS\n"
    assert await value(box, "found = !printf 'a\\nb\\n'\nlist(found)") == "['a', 'b']"
    assert await printed(box, "name = 'x y'\n!echo {name}") == "x y\n"
    assert await printed(box, "%%bash\necho one\necho two") == "one\ntwo\n"


async def test_a_traceback_names_the_exact_lines(box: Sandbox) -> None:
    await box.run("def inner():\n    pass\n\n    return 1 / 0", check=True)
    result = await box.run("x = 1\n\ndef outer():\n    inner()\n\nouter()\nprint('no')")
    assert result.error is not None
    assert (result.error.type, result.error.message) == ("ZeroDivisionError", "division by zero")
    text = result.error.traceback
    assert [line for line in ("outer()", "inner()", "return 1 / 0") if line in text] == [
        "outer()",
        "inner()",
        "return 1 / 0",
    ]
    assert "line 6, in <module>" in text
    assert "line 4, in outer" in text
    assert "line 4, in inner" in text
    assert "cloche_guest" not in text
    assert "IPython/" not in text
    assert not result.ok
    assert result.exit_code == 1
    assert result.stdout == ""


async def test_an_error_is_located_in_the_users_own_code(box: Sandbox) -> None:
    result = await box.run("import json\n\ndef load(text):\n    return json.loads(text)\n\nload('{')")
    assert result.error is not None
    assert (result.error.type, result.error.line, result.error.column) == ("JSONDecodeError", 4, 12)
    assert "line 6, in <module>" in result.error.traceback


async def test_a_syntax_error_has_line_and_column(box: Sandbox) -> None:
    result = await box.run("x = 1\ny = = 2")
    assert result.error is not None
    assert (result.error.type, result.error.line, result.error.column) == ("SyntaxError", 2, 5)


@pytest.mark.parametrize("frames", [3000])
async def test_endless_recursion_is_an_error_like_any_other(box: Sandbox, frames: int) -> None:
    result = await box.run(f"x = {frames}\ndef f(): return f()\nf()")
    assert result.error is not None
    assert result.error.type == "RecursionError"
    assert len(result.error.traceback) < 20_000
    assert await value(box, "x") == str(frames)


async def test_displays_pass_every_mime_type_through(box: Sandbox) -> None:
    code = """
        class Rich:
            def _repr_mimebundle_(self, include=None, exclude=None):
                data = {"application/x.odd+json": {"deep": [1, None, "é"]}, "image/png": "aGk="}
                return data, {"image/png": {"width": 3}}
        display(Rich())
        display({"text/html": "<b>x</b>", "text/plain": "x"}, raw=True)
        Rich()
    """
    result = await box.run(textwrap.dedent(code), check=True)
    first, second, last = result.displays
    assert first.kind == "display"
    assert first.data["application/x.odd+json"] == {"deep": [1, None, "é"]}
    assert first.data["image/png"] == "aGk="
    assert first.metadata == {"image/png": {"width": 3}}
    assert second.data == {"text/html": "<b>x</b>", "text/plain": "x"}
    assert last.kind == "result"
    assert last.data["image/png"] == "aGk="


async def test_rich_objects_have_their_own_types(box: Sandbox) -> None:
    result = await box.run(
        "from IPython.display import HTML, JSON, Markdown, SVG\n"
        "display(HTML('<i>h</i>'), Markdown('*m*'), SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))",
        check=True,
    )
    assert [next(iter(set(display.data) - {"text/plain"})) for display in result.displays] == [
        "text/html",
        "text/markdown",
        "image/svg+xml",
    ]
    assert result.displays[0].data["text/html"] == "<i>h</i>"


async def test_a_display_can_be_updated_by_its_id(box: Sandbox) -> None:
    code = "h = display('one', display_id='a')\ndisplay('other')\nh.update('two')"
    events = [event async for event in box.stream(code)]
    shown = [event.display for event in events if isinstance(event, Shown)]
    assert [(each.kind, each.display_id) for each in shown] == [("display", "a"), ("display", None), ("update", "a")]
    result = await box.run(code, check=True)
    assert [display.data["text/plain"] for display in result.displays] == ["'two'", "'other'"]
    assert result.displays[0].kind == "display"


async def test_clear_output_forgets_what_was_shown(box: Sandbox) -> None:
    code = "from IPython.display import clear_output\nprint('old')\ndisplay('old')\nclear_output({})\nprint('new')"
    for wait in ("", "wait=True"):
        result = await box.run(code.format(wait), check=True)
        assert (result.stdout, result.displays) == ("new\n", [])
    events = [event async for event in box.stream(code.format("wait=True"))]
    assert Cleared(wait=True) in events
    assert Text("stdout", "old\n") in events


async def test_completion_knows_modules_and_variables(box: Sandbox) -> None:
    await box.run("import os\nmy_variable = {'key one': 1}", check=True)
    found = await box.complete("x = os.pa")
    assert "x = os.path" in ["x = os.pa"[: found.start] + match for match in found.matches]
    assert found.end == len("x = os.pa")
    assert (await box.complete("my_va")).matches == ["my_variable"]
    middle = await box.complete("my_va + 1", 5)
    assert (middle.matches, middle.start, middle.end) == (["my_variable"], 0, 5)
    assert (await box.complete("no_such_thing_at_")).matches == []


async def test_inspection_gives_signature_and_docstring(box: Sandbox) -> None:
    await box.run("def grow(plant, days=3):\n    '''Wait for it.'''", check=True)
    text = await box.inspect("grow(")
    assert text is not None
    assert "grow(plant, days=3)" in text
    assert "Wait for it." in text
    assert await box.inspect("no_such_name") is None


async def test_completing_and_inspecting_survive_hostile_objects(box: Sandbox) -> None:
    await box.run(
        "class Bad:\n    def __dir__(self): raise SystemExit\n    def __getattr__(self, n): raise KeyboardInterrupt\n"
        "bad = Bad()"
    )
    await box.complete("bad.a")
    await box.inspect("bad")
    assert await value(box, "1 + 1") == "2"


async def test_input_is_answered_by_a_function(box: Sandbox) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return f"glass {len(asked)}"

    result = await box.run("a = input('first? ')\nb = input()\n(a, b)", on_input=answer, check=True)
    assert result.value == "('glass 1', 'glass 2')"
    assert asked == ["first? ", ""]


async def test_input_is_answered_by_a_coroutine(box: Sandbox) -> None:
    async def answer(prompt: str) -> str:
        return prompt.upper()

    assert (await box.run("input('hey')", on_input=answer, check=True)).value == "'HEY'"


async def test_no_answer_is_the_end_of_input(box: Sandbox) -> None:
    result = await box.run("input('more? ')", on_input=lambda prompt: None)
    assert result.error is not None
    assert result.error.type == "EOFError"
    result = await box.run("input()")
    assert result.error is not None
    assert result.error.type == "EOFError"


async def test_a_passwords_prompt_reaches_the_caller(box: Sandbox) -> None:
    result = await box.run("import getpass\ngetpass.getpass('secret: ')", on_input=lambda prompt: "s3", check=True)
    assert result.value == "'s3'"


async def test_stdin_is_read_line_by_line_and_as_a_whole(box: Sandbox) -> None:
    result = await box.run("input(), input()", stdin="one\ntwo\n", check=True)
    assert result.value == "('one', 'two')"
    result = await box.run("import sys\nsys.stdin.read()", stdin="ä\nb", check=True)
    assert result.value == "'ä\\nb'"
    result = await box.run("[line for line in sys.stdin]", stdin="a\nb\n", check=True)
    assert result.value == "['a\\n', 'b\\n']"
    result = await box.run("sys.stdin.buffer.read()", stdin=b"\x00\xff\n", check=True)
    assert result.value == r"b'\x00\xff\n'"


async def test_the_stdin_of_one_cell_is_not_left_for_the_next(box: Sandbox) -> None:
    await box.run("input()", stdin="one\ntwo\n", check=True)
    result = await box.run("input()", stdin="three\n", check=True)
    assert result.value == "'three'"


async def test_a_program_that_ends_during_a_later_cell_leaves_that_cell_its_input(box: Sandbox) -> None:
    await box.run("import asyncio, os", stdin="of the first", check=True)
    program = "import os, time; open('begun', 'w').close(); time.sleep(0.5); os.rename('begun', 'ended')"
    await box.bash(f'echo its own | python3 -c "{program}" & while [ ! -e begun ]; do sleep 0.01; done', check=True)
    wait = "while not os.path.exists('ended'): await asyncio.sleep(0.05)\nawait asyncio.sleep(0.1)\n"
    result = await box.run(f"{wait}os.read(0, 20)", stdin="of the second", check=True)
    assert result.value == "b'of the second'"


async def test_subprocesses_go_to_bash(box: Sandbox) -> None:
    await box.run("import subprocess, os", check=True)
    assert await value(box, "subprocess.run(['echo', 'a b'], capture_output=True, text=True).stdout") == "'a b\\n'"
    assert await value(box, "subprocess.run('exit 7', shell=True).returncode") == "7"
    assert await value(box, "subprocess.check_output('tr a-z A-Z', shell=True, input=b'glass')") == "b'GLASS'"
    code = "subprocess.run('echo o; echo e >&2', shell=True, capture_output=True, text=True).stderr"
    assert await value(box, code) == "'e\\n'"
    result = await box.run("subprocess.run(['false'], check=True)")
    assert result.error is not None
    assert result.error.type == "CalledProcessError"
    result = await box.run("subprocess.run(['no-such-program'])")
    assert result.error is not None
    assert result.error.type == "FileNotFoundError"
    result = await box.run("subprocess.run(['sleep', '30'], timeout=0.1)", timeout=10)
    assert result.error is not None
    assert result.error.type == "TimeoutExpired"
    code = "subprocess.run(['sh', '-c', 'echo $K; pwd'], env={'K': 'v'}, cwd='/tmp', capture_output=True).stdout"
    assert await value(box, code) == "b'v\\n/tmp\\n'"


async def test_popen_has_pipes(box: Sandbox) -> None:
    code = """
        import subprocess
        with subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
            out, err = p.communicate("b\\na\\n")
        (out, err, p.returncode)
    """
    assert await value(box, code) == "('a\\nb\\n', None, 0)"


async def test_os_system_and_popen_go_to_bash(box: Sandbox) -> None:
    result = await box.run("import os\nstatus = os.system('echo glass; exit 3')\nos.waitstatus_to_exitcode(status)")
    assert (result.stdout, result.value) == ("glass\n", "3")
    assert await value(box, "os.popen('echo one; echo two').read()") == "'one\\ntwo\\n'"


async def test_a_subprocess_writes_between_the_prints_around_it(box: Sandbox) -> None:
    code = "import os, sys\nprint('a')\nos.system('echo b; echo c >&2')\nprint('d')\nprint('e', file=sys.stderr)"
    result = await box.run(code, check=True)
    assert result.output == [("stdout", "a\nb\n"), ("stderr", "c\n"), ("stdout", "d\n"), ("stderr", "e\n")]


async def test_python_may_call_bash_that_calls_python(box: Sandbox) -> None:
    code = "import subprocess\nx = 1\nsubprocess.run(['python3', '-c', 'x = 5; print(x)'], capture_output=True).stdout"
    assert await value(box, code) == "b'5\\n'"
    assert await value(box, "x") == "1"


async def test_time_passes_in_sleep(box: Sandbox) -> None:
    code = "import time\nt = time.monotonic()\ntime.sleep({0})\ntime.monotonic() - t >= {0}"
    assert await value(box, code.format(0.05)) == "True"


async def test_random_is_seeded_anew_in_each_sandbox(box: Sandbox) -> None:
    code = """
        import os, random, secrets, tempfile, uuid
        random.random(), str(uuid.uuid4()), os.urandom(8), secrets.token_hex(4), tempfile.mktemp()
    """
    first = await value(box, code)
    await box.reset()
    second = await value(box, code)
    assert first is not None
    assert second is not None
    before, after = first.strip("()").split(", "), second.strip("()").split(", ")
    assert all(one != other for one, other in zip(before, after, strict=True))


async def test_exit_codes_of_a_cell(box: Sandbox) -> None:
    result = await box.run("import sys\nprint('a')\nsys.exit(3)")
    assert (result.exit_code, result.stdout, result.state) == (3, "a\n", "kept")
    assert (await box.run("sys.exit()")).ok
    result = await box.run("sys.exit('gone wrong')")
    assert (result.exit_code, result.stderr) == (1, "gone wrong\n")
    assert await value(box, "1 + 1") == "2"


async def test_prints_keep_their_order_across_both_streams(box: Sandbox) -> None:
    code = "import sys\nfor i in range(3):\n    print(i)\n    print(-i, file=sys.stderr)"
    result = await box.run(code, check=True)
    assert "".join(text for _, text in result.output) == "0\n0\n1\n-1\n2\n-2\n"
    assert (result.stdout, result.stderr) == ("0\n1\n2\n", "0\n-1\n-2\n")


async def test_warnings_go_to_stderr(box: Sandbox) -> None:
    result = await box.run("import warnings\nwarnings.warn('careful')", check=True)
    assert "careful" in result.stderr
    assert result.stdout == ""


async def test_a_module_in_the_workspace_can_be_imported(box: Sandbox) -> None:
    await box.write("leaf.py", "COLOUR = 'green'\n")
    assert await value(box, "import leaf\nleaf.COLOUR") == "'green'"


async def test_the_profile_names_lines_and_functions(box: Sandbox) -> None:
    code = "def busy():\n    return sum(i * i for i in range(20000))\nkept = bytearray(3_000_000)\nbusy()"
    result = await box.run(code, profile=True, check=True)
    assert result.profile is not None
    lines = {entry["line"]: entry for entry in result.profile["lines"]}
    assert lines[2]["hits"] >= 1
    assert lines[2]["ms"] > 0
    assert lines[3]["kb"] > 2900
    assert "busy" in [entry["name"] for entry in result.profile["functions"]]
    assert result.profile["memory_peak_kb"] > 2900
    assert json.dumps(result.profile)
    assert (await box.run("1", check=True)).profile is None


async def test_the_profile_is_about_the_cells_own_code(box: Sandbox) -> None:
    result = await box.run("def own():\n    return 1\nown()", profile=True, check=True)
    assert result.profile is not None
    assert result.profile["functions"][0]["name"] in ("<module>", "own")


@pytest.mark.parametrize(
    "code",
    [
        "import threading\nthreading.Thread(target=print).start()",
        "import multiprocessing\nmultiprocessing.Process(target=print).start()",
        "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor().submit(print)",
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print).result()",
        "import os\nos.fork()",
    ],
)
async def test_threads_and_processes_give_one_clear_error(box: Sandbox, code: str) -> None:
    result = await box.run(code, timeout=5)
    assert result.error is not None
    assert "sandbox" in result.error.message
    assert result.state == "kept"


async def test_the_standard_library_is_compiled_already_and_still_has_its_source(box: Sandbox, assets: Path) -> None:
    names = set(zipfile.ZipFile(assets / "python/python_stdlib.zip").namelist())
    modules = {name for name in names if name.endswith(".py")}
    assert len(modules) > 400
    assert {f"{name}c" for name in modules} <= names
    result = await box.run("import wave, inspect\ninspect.getsource(wave.Error), wave.Error.__module__")
    assert "class Error(Exception)" in (result.value or "")
    failed = await box.run("import wave\nwave.open(3.5)")
    assert failed.error is not None
    assert f"python{DIGITS}.zip/wave.py" in failed.error.traceback
    assert "return Wave_read(f)" in failed.error.traceback


async def test_a_cell_may_begin_in_a_folder_and_leaves_no_trace_of_that(box: Sandbox) -> None:
    await box.bash("mkdir -p '/tmp/a b'")
    before = (await box.run("import os; len(In)")).value
    assert (await box.run("os.getcwd()", cwd="/tmp/a b")).value == "'/tmp/a b'"
    failed = await box.run("1/0", cwd="/tmp/not there")
    assert failed.error is not None
    assert (failed.error.line, failed.cwd) == (1, "/tmp/a b")
    assert (await box.run("len(In)")).value == str(int(before or 0) + 3)
