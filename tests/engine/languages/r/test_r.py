"""R through a real sandbox: cells, plots and tables, the command, what stops it and what holds it."""

import base64
from collections.abc import Awaitable, Callable

import anyio
import pytest

from cloche import Result, Sandbox
from tests.engine.languages.calls import bash, cleans, runs

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

SOON = 2.0
"""Seconds a stopped call may take on a busy machine."""

PNG = b"\x89PNG\r\n\x1a\n"


run = runs("r")
cleaned = cleans("bash")


def images(result: Result) -> list[bytes]:
    found = [display.data["image/png"] for display in result.displays if "image/png" in display.data]
    return [base64.b64decode(each) if isinstance(each, str) else bytes(each) for each in found]


@pytest.mark.slow
async def test_each_page_of_a_plot_is_shown(box: Sandbox) -> None:
    result = await run(
        box, "plot(1:10, main = 'Gr\u00f6\u00dfe')\nlines(1:10)\nhist(c(1, 2, 2))\nbarplot(c(a = 1, b = 2))"
    )
    assert (result.error, result.stdout) == (None, "")
    assert [image[:8] for image in images(result)] == [PNG] * 3
    assert images(await run(box, "1 + 1")) == []
    grid = await run(box, "library(grid)\ngrid.newpage()\ngrid.circle()\ngrid.text('in it')")
    assert len(images(grid)) == 1


async def test_a_plot_has_the_size_that_was_asked_for(box: Sandbox) -> None:
    code = "options(cloche.plot.width = 3, cloche.plot.height = 2, cloche.plot.res = 100)\nplot(1)"
    (image,) = images(await run(box, code))
    await run(box, "options(cloche.plot.width = NULL, cloche.plot.height = NULL, cloche.plot.res = NULL)")
    assert (int.from_bytes(image[16:20]), int.from_bytes(image[20:24])) == (300, 200)


async def test_devices_write_files(box: Sandbox) -> None:
    code = "for (open in c(png, svg, pdf)) { open(sprintf('p%d', dev.cur())); plot(1); dev.off() }"
    assert (await run(box, code)).displays == []
    await run(
        box, "png('p.png'); plot(1); dev.off(); svg('p.svg'); plot(1); dev.off(); pdf('p.pdf'); plot(1); dev.off()"
    )
    assert (await box.read("p.png")).startswith(PNG)
    assert b"<svg" in await box.read("p.svg")
    assert (await box.read("p.pdf")).startswith(b"%PDF")


async def test_a_table_is_shown_as_html_too(box: Sandbox) -> None:
    result = await run(box, "data.frame(n = 1:2, text = c('a', '<b>&'))")
    assert result.value == "  n text\n1 1    a\n2 2 <b>&"
    (shown,) = [display.data["text/html"] for display in result.displays]
    assert "<td>&lt;b>&amp;</td>" in str(shown)
    large = await run(box, "data.frame(n = 1:5000)")
    assert len(str(large.displays[0].data["text/html"])) < 10_000


async def test_a_question_is_asked_while_r_waits(box: Sandbox) -> None:
    asked: list[str] = []

    async def answer(prompt: str) -> str:
        asked.append(prompt)
        return f"answer {len(asked)}"

    code = "x <- readline('name? ')\ny <- readLines(stdin(), n = 1)\nz <- readLines('stdin', n = 1)\nc(x, y, z)"
    with anyio.fail_after(30):
        result = await box.run(code, language="r", on_input=answer)
    assert result.value == '[1] "answer 1" "answer 2" "answer 3"'
    assert asked[0] == "name? "


SOFT = {
    "a loop": "repeat {}",
    "calls": "f <- function() NULL; repeat f()",
    "errors that are caught": "repeat tryCatch(stop('x'), error = function(e) NULL)",
    "a clean-up": "f <- function() { on.exit(cat('bye')); repeat {} }; f()",
    "an apply": "invisible(lapply(1:1e7, function(i) for (j in 1:100) j))",
    "prints": "repeat print(1)",
    "a sleep": "Sys.sleep(60)",
    "sleeps": "repeat Sys.sleep(0.01)",
    "a command": "system('sleep 60')",
    "a pipe": "readLines(pipe('sleep 60'))",
}


@pytest.mark.parametrize("name", SOFT)
async def test_code_is_stopped_and_its_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "kept <- 41")
    with anyio.fail_after(30):
        result = await box.run(SOFT[name], language="r", timeout=0.5)
    assert result.timed_out
    assert result.error is not None
    assert (result.error.type, result.exit_code, result.state) == ("KeyboardInterrupt", 130, "kept")
    assert result.duration < 0.5 + SOON
    assert (await run(box, "kept + 1")).value == "[1] 42"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    ["repeat tryCatch(repeat {}, interrupt = function(e) NULL)", "x <- matrix(1, 3000, 3000); repeat x %*% x"],
)
async def test_what_cannot_be_stopped_softly_is_ended_and_said_to_be(box: Sandbox, code: str) -> None:
    await run(box, "kept <- 41")
    with anyio.fail_after(30):
        result = await box.run(code, language="r", timeout=0.5)
    assert (result.timed_out, result.state) == (True, "lost")
    assert (await run(box, "exists('kept')")).value == "[1] FALSE"


@pytest.mark.parametrize("code", ["readline()", "readLines('stdin')", "scan()"])
async def test_a_question_can_be_interrupted(box: Sandbox, code: str) -> None:
    waiting = anyio.Event()

    async def silence(_: str) -> str:
        waiting.set()
        await anyio.sleep_forever()
        return ""

    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run(code, language="r", on_input=silence, timeout=None))

    await run(box, "kept <- 41")
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await waiting.wait()
            assert await box.interrupt()
    assert results[0].error is not None
    assert (results[0].error.type, results[0].state) == ("KeyboardInterrupt", "kept")
    assert (await run(box, "kept")).value == "[1] 41"


async def test_a_program_has_an_r_of_its_own(box: Sandbox) -> None:
    await run(box, "kept <- 41; library(grid); setwd('/tmp')")
    await box.write(
        "prog.R",
        "cat(commandArgs(trailingOnly = TRUE), sep = '|')\ncat('\\n')\nexists('kept')\n'grid' %in% loadedNamespaces()\n"
        "interactive()\ngetwd()\nkept <- 1\n",
    )
    result = await bash(box, "Rscript prog.R a --b 'c d'")
    lines = ["a|--b|c d", "[1] FALSE", "[1] FALSE", "[1] FALSE", '[1] "/workspace"']
    assert (result.stdout.splitlines(), result.stderr) == (lines, "")
    assert (await run(box, "setwd('/workspace'); kept")).value == "[1] 41"
    assert (await bash(box, "ls -d /tmp/Rtmp* | wc -l")).stdout.strip() == "1"


@pytest.mark.slow
async def test_programs_come_from_the_line_a_file_or_a_pipe(box: Sandbox) -> None:
    commands: dict[str, tuple[str, int]] = {
        "Rscript -e 'cat(1)' -e 'cat(2)'": ("12", 0),
        "R --slave -e 'cat(1)'": ("1", 0),
        "echo 'cat(3)' | Rscript -": ("3", 0),
        "echo 'cat(4)' | R --no-save --slave": ("4", 0),
        "echo 'cat(5)' > x.R; R -f x.R": ("5", 0),
        "seq 4 | Rscript -e 'cat(sum(scan(file(\"stdin\"), quiet = TRUE)))'": ("10", 0),
        "mkdir -p d; cd d; COLOUR=red Rscript -e 'cat(Sys.getenv(\"COLOUR\"), basename(getwd()))'": ("red d", 0),
        "Rscript -e 'q(status = 7)'": ("", 7),
        "Rscript --version": ("Rscript (R) version 4.6.0\n", 0),
        "Rscript -e 'plot(1)'; ls Rplots.pdf": ("Rplots.pdf\n", 0),
    }
    for command, (stdout, code) in commands.items():
        result = await bash(box, command)
        assert (result.stdout, result.exit_code) == (stdout, code), command


async def test_a_program_that_fails_says_why_and_where(box: Sandbox) -> None:
    await box.write("bad.R", "f <- function() {\n  stop('oops')\n}\nf()\ncat('not reached')\n")
    result = await bash(box, "Rscript bad.R")
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr == "Error in f() : oops\n  at bad.R:2:3\nExecution halted\n"
    assert "unexpected end of input" in (await bash(box, "Rscript -e '1 +'")).stderr
    assert (await bash(box, "Rscript none.R")).exit_code == 2


async def test_a_program_from_a_pipe_has_used_up_the_input(box: Sandbox) -> None:
    result = await box.bash("echo 'length(readLines(\"stdin\"))' | Rscript -")
    assert (result.stdout, result.stderr) == ("[1] 0\n", "")


async def test_commands_run_in_bash(box: Sandbox) -> None:
    result = await run(box, "Sys.setenv(COLOUR = 'light blue')\nsystem('echo $COLOUR; echo no >&2; exit 3') + 1")
    assert (result.stdout, result.stderr, result.value) == ("light blue\n", "no\n", "[1] 4")
    assert (await run(box, "system2('printf', c('%s', 'a'), stdout = TRUE)")).value == '[1] "a"'
    assert (await run(box, "system('cat', input = c('x', 'y'), intern = TRUE)")).value == '[1] "x" "y"'
    assert (await run(box, "readLines(pipe('seq 2'))")).value == '[1] "1" "2"'
    assert "waits for a command that it has started itself" in (await run(box, "system('Rscript -e 1')")).stderr


async def test_completion_and_help(box: Sandbox) -> None:
    await run(box, "my_numbers <- list(first = 1, second = 2)")
    assert (await box.complete("x <- my_num", language="r")).matches == ["my_numbers"]
    assert set((await box.complete("1\nmy_numbers$", language="r")).matches) == {
        "my_numbers$first",
        "my_numbers$second",
    }
    statuses = [(await box.is_complete(code, language="r")).status for code in ("f(1)", "f(1,", "1 +* 2", "'a")]
    assert statuses == ["complete", "incomplete", "invalid", "incomplete"]
    found = await box.inspect("median", language="r")
    assert found is not None
    assert "Median" in found
    assert "function (x, na.rm = FALSE, ...)" in found
    shown = await run(box, "help('median')")
    assert "Median Value" in (shown.value or "")


ESCAPES = {
    "webr": "webr::eval_js('1')",
    "its library": "dyn.load('/usr/lib/R/library/webr/libs/webr.so')",
    "code for C": ".C('emscripten_run_script', '1')",
    "the table of the program": "getNativeSymbolInfo('emscripten_run_script_int')",
    "an address": "readLines('http://127.0.0.1:1/')",
    "a socket": "utils::make.socket('127.0.0.1', 1)",
    "popen": ".Internal(system('ls', TRUE, 0, TRUE))",
    "a file at the root": "stopifnot(file.create('/x'))",
    "a changed mode": "Sys.chmod('/', '777'); stopifnot(dir.create('/x'))",
    "shared memory": "stopifnot(file.create('/dev/shm/x'))",
    "R's own files": "stopifnot(file.create('/usr/lib/R/x'))",
    "a device": "writeLines('x', '/dev/random2')",
    "a fifo": "fifo('f', 'w')",
    "the pack": "dyn.load('../../R.wasm')",
}


@pytest.mark.parametrize("name", ESCAPES)
async def test_nothing_leads_out(box: Sandbox, name: str) -> None:
    result = await run(box, ESCAPES[name])
    assert result.error is not None
    shown = f"{result.error.message}{result.error.traceback}{result.stderr}"
    assert not [word for word in ("cache", "packs", "file://", ".ts:", "Deno") if word in shown]
    assert (await run(box, "1 + 1")).value == "[1] 2"


async def test_the_pointer_to_the_host_is_of_no_use(box: Sandbox) -> None:
    find: Callable[[str], Awaitable[Result]] = lambda what: run(  # noqa: E731 - said four times
        box, f"f <- sys.function(1); host <- get('host', environment(f)); {what}"
    )
    for what in (".Call(host, 'eval', list('1'))", ".Call(host, NULL, NULL)", ".Call(host, 'image', list('x'))"):
        result = await find(what)
        assert result.state == "kept"
        assert "Deno" not in f"{result.value}{result.stdout}"
    assert (await run(box, "1 + 1")).value == "[1] 2"
