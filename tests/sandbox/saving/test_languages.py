"""The variables of all languages in a saved sandbox: there again where a language can, named where it cannot."""

import struct
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from cloche import Sandbox, SavedStateError
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.packs import pack_dir
from cloche.sandbox.saving.saved import SavedIndex, SavedMemory, SavedWriter
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(120)


class Saveable(msgspec.Struct, frozen=True):
    """What is run before, what is seen after, and what never ends."""

    language: str
    before: str
    look: str
    value: str
    draw: str
    loop: str


SAVEABLE = [
    Saveable(
        "javascript",
        "let a = { b: [1] }; class P { constructor(x) { this.x = x } }; const fs = require('fs');"
        " process.chdir('/tmp'); function* g() { yield 1; yield 2 } const it = g(); it.next(); process.env.OWN = 'o'",
        "[a, new P(3).x, fs.existsSync('/tmp'), process.cwd(), it.next().value, process.env.OWN]",
        "[ { b: [ 1 ] }, 3, true, '/tmp', 2, 'o' ]",
        "Math.random()",
        "for (;;);",
    ),
    Saveable(
        "typescript",
        "let a: number = 5; enum E { A = 3 }",
        "[a, E.A]",
        "[ 5, 3 ]",
        "Math.random()",
        "for (;;);",
    ),
    Saveable(
        "ruby",
        "x = { a: [1] }; class P; def y = 3; end; pet = P.new; def ff(n) = n + 1; e = [1, 2].each; e.next",
        "[x, pet.y, ff(1), e.next]",
        "[{a: [1]}, 3, 2, 2]",
        "rand",
        "loop {}",
    ),
    Saveable(
        "php",
        "$x = ['a' => 1]; class P { public $y = 3; } $p = new P; function ff($n) { return $n + 1; }"
        " $g = (function () { yield 1; yield 2; })(); $g->next();",
        "json_encode([$x, $p->y, ff(1), $g->current()])",
        "'[{\"a\":1},3,2,2]'",
        "mt_rand()",
        "while (1);",
    ),
    Saveable(
        "lua",
        "t = { 1, x = 'y' }; function f(n) return n + #t end; co = coroutine.wrap(function() coroutine.yield(1)"
        " coroutine.yield(2) end); co()",
        "t.x .. f(1) .. co()",
        '"y22"',
        "math.random()",
        "while true do end",
    ),
    Saveable(
        "perl",
        "my $x = { a => [1, 2] }; sub ff { $_[0] + 1 } use List::Util qw(sum); my @l = (1, 2, 3); my $in = <STDIN>;",
        "join ' ', $x->{a}[1], ff(1), sum(@l)",
        "2 2 6",
        "rand",
        "1 while 1",
    ),
    Saveable(
        "r",
        "x <- c(1, 2); f <- function(n) n + length(x); library(stats4); set.seed(1)",
        "cat(f(1), 'stats4' %in% loadedNamespaces(), nrow(mtcars))",
        "3 TRUE 32",
        "runif(1)",
        "repeat {}",
    ),
]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(each, id=each.language, marks=[pytest.mark.slow] if each.language in ("r", "ruby") else [])
        for each in SAVEABLE
    ],
)
async def test_variables_are_there_again(fresh: Sandbox, open_box: OpenBox, tmp_path: Path, case: Saveable) -> None:
    language = case.language

    async def look(box: Sandbox) -> str:
        seen = await box.run(case.look, language=language, check=True)
        return seen.stdout if language == "r" else seen.value or ""

    with anyio.fail_after(110):
        await fresh.run(case.before, language=language, stdin="line\n", check=True)
        saved = await fresh.save(tmp_path / "it.cloche")
        assert saved.without == ()
        boxes = [await open_box(from_=saved.path, env={"NEW": "n"}) for _ in range(2)]
        drawn = [(await box.run(case.draw, language=language)).value for box in boxes]
        assert len(set(drawn)) == 2
        # One that nobody has used yet is saved as it is.
        third = await open_box(from_=(await (await open_box(from_=saved)).save(tmp_path / "again.cloche")).path)
        assert [await look(box) for box in (fresh, boxes[0], third)] == [case.value] * 3
        stopped = await boxes[1].run(case.loop, language=language, timeout=0.5)
        assert (stopped.timed_out, stopped.state) == (True, "kept")
        assert await look(boxes[1]) == case.value


@pytest.mark.slow
async def test_languages_that_cannot_be_saved_are_named(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("(define x 1)", language="scheme", check=True)
    await fresh.run("open('held.txt', 'w').close()", check=True)
    await fresh.run("const fd = require('fs').openSync('held.txt')", language="javascript", check=True)
    await fresh.run("CREATE TABLE t(a)", language="sql", check=True)
    saved = await fresh.save(tmp_path / "it.cloche")
    assert saved.without == ("javascript", "scheme")
    assert (await fresh.run("typeof fd", language="javascript")).value == "'number'"
    other = await open_box(from_=saved)
    assert (await other.run("typeof fd", language="javascript")).value == "'undefined'"
    assert (await other.run("SELECT count(*) FROM t", language="sql")).value == "0"
    assert (await fresh.save(tmp_path / "files.cloche", python=False)).without == ()


@pytest.mark.slow
async def test_a_reset_begins_anew(fresh: Sandbox, open_box: OpenBox, tmp_path: Path) -> None:
    await fresh.run("x = 1", language="lua", check=True)
    other = await open_box(from_=await fresh.save(tmp_path / "it.cloche", files=False))
    await other.run("1", language="lua", check=True)
    await other.reset("lua")
    assert (await other.run("x", language="lua")).value in (None, "nil")


def forge(path: Path, memory: bytes, pack: str) -> Path:
    """A saved sandbox with this memory of Lua."""
    writer = SavedWriter(path)
    writer.begin()
    writer.write(memory)
    memories = {"lua": SavedMemory(pack, writer.end())}
    writer.finish(SavedIndex(snapshots.snapshot_key(), memories=memories))
    return path


NOTES = b'{"thread":65536,"input":0,"reserve":0,"call":1,"close":2,"hook":3}'
FORGED = {
    "noise": b"\xff" * 4096,
    "endless": struct.pack("<4I", 0x434C4F49, 0xFFFF0000, 0xFFFFFFFF, 0xFFFFFFFF),
    "empty": struct.pack("<4I", 0x434C4F49, 32 << 20, len(NOTES), 0) + NOTES,
}


@pytest.mark.parametrize("kind", FORGED)
async def test_forged_memory_ends_at_most_its_own_language(open_box: OpenBox, tmp_path: Path, kind: str) -> None:
    pack = (await to_thread.run_sync(pack_dir, "lua")).name
    path = await to_thread.run_sync(forge, tmp_path / "it", FORGED[kind], pack)
    box = await open_box(from_=path)
    assert (await box.run("6 * 7")).value == "42"
    assert (await box.run("6 * 7", language="lua")).error is not None
    assert (await box.run("6 * 7", language="lua")).value == "42"


async def test_memory_of_other_files_of_a_language_is_refused(open_box: OpenBox, tmp_path: Path) -> None:
    path = await to_thread.run_sync(forge, tmp_path / "it", b"", "lua-0000000000000000")
    with pytest.raises(SavedStateError, match="another version"):
        await open_box(from_=path)
