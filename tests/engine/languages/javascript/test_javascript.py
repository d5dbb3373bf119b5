"""JavaScript and TypeScript through a real sandbox: the command, commands they run, requests, what stops them."""

from collections.abc import AsyncGenerator
from time import monotonic

import anyio
import pytest

from cloche import Result, Sandbox, Text
from tests.sandbox.conftest import clean
from tests.sandbox.network.servers import serve
from tests.sandbox.network.web import Site

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

SOON = 3.0
"""Seconds a stopped call may take on a busy machine."""


@pytest.fixture(autouse=True)
async def cleaned(box: Sandbox) -> AsyncGenerator[None]:
    yield
    await clean(box, "javascript", "bash")


async def run(box: Sandbox, code: str, language: str = "javascript", **options: object) -> Result:
    with anyio.fail_after(30):
        return await box.run(code, language=language, **options)  # type: ignore[arg-type]


async def bash(box: Sandbox, script: str) -> Result:
    with anyio.fail_after(30):
        return await box.bash(script)


COMMANDS = {
    "node -e 'console.log(process.argv.slice(1).join())' a 'b c'": "a,b c\n",
    "node -p '[1, {a: 2}]'": "[ 1, { a: 2 } ]\n",
    "node -p '\"text\"'": "text\n",
    "echo 'console.log(1 + 1)' | node": "2\n",
    "echo 'console.log(process.argv[2])' | node - x": "x\n",
    "echo a | node -e 'process.stdin.on(\"data\", (d) => process.stdout.write(`${d}`.toUpperCase()))'": "A\n",
    "printf 'a\\nb\\n' | node -p 'require(\"fs\").readFileSync(0, \"utf8\").length'": "4\n",
    "node --version | cut -c1": "v\n",
    "node -e 'process.exit(300)'; echo $?": "44\n",
    "node -e 'process.exitCode = 7'; echo $?": "7\n",
    "node -e 'throw 1' 2>&1; echo $?": "Uncaught 1\n1\n",
    "node none.js 2>&1; echo $?": "Error: Cannot find module '/workspace/none.js'\n1\n",
    "node -e 'await 0; console.log(typeof require)'": "function\n",
    "A=1 node -p process.env.A": "1\n",
    "cd /tmp; node -p 'process.cwd()'": "/tmp\n",
    'node -e \'process.on("exit", (c) => console.log("bye", c)); setTimeout(() => process.exit(2), 5)\'': "bye 2\n",
    "node -e 'console.error(1)' 2>/dev/null; node -e 'console.error(2)' 2>&1 >/dev/null": "2\n",
    "node -e; echo $?": "9\n",
    'node -e \'require("node:test")("a", () => {})\' | head -2': "TAP version 13\n# Subtest: a\n",
    'node -e \'require("node:test")("a", () => { throw 1 })\' >/dev/null; echo $?': "1\n",
    "node --test none.js; echo $?": "1\n",
    "node -e 'let n = 0; process.on(\"beforeExit\", () => n++ < 2 && setTimeout(() => console.log(n)))'": "1\n2\n",
    "timeout 1 node -e 'for (;;);'; echo $?": "124\n",
    "timeout 1 node -e 'setInterval(() => {}, 100)'; echo $?": "124\n",
    "node -e 'process.on(\"uncaughtException\", (e) => console.log(e)); setTimeout(() => { throw 1 })'": "1\n",
    "node -e 'process.on(\"unhandledRejection\", (e) => console.log(e)); Promise.reject(2)'": "2\n",
    "ts -e 'enum A { B = 3 }; const x: number = A.B; console.log(x)'": "3\n",
    "ts -p '(1 as number) + 1'": "2\n",
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_command(box: Sandbox, command: str) -> None:
    assert (await bash(box, command)).stdout == COMMANDS[command]


async def test_programs_find_themselves_and_their_modules(box: Sandbox) -> None:
    await box.write("lib/tool.mjs", "export const name = 'tool';\n")
    await box.write("package.json", '{"type": "module"}')
    await box.write(
        "main.js",
        "import { name } from './lib/tool.mjs';\nimport { createRequire } from 'module';\n"
        "const require = createRequire(import.meta.url);\n"
        "console.log(name, import.meta.filename, process.argv.slice(2), require('./old.cjs'));\n",
    )
    await box.write("old.cjs", "module.exports = [require.main === module, __filename];\n")
    result = await bash(
        box, "node main.js 1; node -p 'require(\"./old.cjs\")[0]'; node old.cjs; cd lib; node ../main.js"
    )
    assert result.stderr == ""
    assert result.stdout == (
        "tool /workspace/main.js [ '1' ] [ false, '/workspace/old.cjs' ]\nfalse\n"
        "tool /workspace/main.js [] [ false, '/workspace/old.cjs' ]\n"
    )


async def test_errors_of_a_program_name_its_lines(box: Sandbox) -> None:
    await box.write("s.js", "function f() {\n  null.x;\n}\nf();\n")
    result = await bash(box, "node s.js")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "TypeError: cannot read property 'x' of null",
        "    at f (/workspace/s.js:2:3)",
        "    at /workspace/s.js:4:1",
    ]
    await box.write("s.ts", "enum E { A }\nfunction f(x: string): never {\n  throw new Error(x);\n}\nf('oh');\n")
    result = await bash(box, "ts s.ts")
    assert "at f (/workspace/s.ts:3:" in result.stderr
    await box.write("s.js", "let a = 1;\nlet b = = 2;\n")
    assert "/workspace/s.js:2:9" in (await bash(box, "node s.js")).stderr


async def test_programs_share_nothing_with_cells(box: Sandbox) -> None:
    await run(box, "globalThis.x = 1")
    assert (await bash(box, "node -p 'typeof x'")).stdout == "undefined\n"
    assert (await run(box, "x")).value == "1"


async def test_commands_run_in_bash(box: Sandbox) -> None:
    code = """
const cp = require("child_process");
const shown = cp.spawnSync("sh", ["-c", 'echo "$1"', "x", "a  $b"]).stdout;
console.log(`${cp.execSync("echo out; echo err >&2")}`.trim(), `${shown}`);
try { cp.execSync("echo gone >&2; exit 3", { stdio: "pipe" }) }
catch (e) { console.log(e.status, `${e.stderr}`.trim()) }
console.log(cp.execFileSync("sort", { input: "b\\na\\n", encoding: "utf8" }).split("\\n"));
const { promisify } = require("util");
console.log(await promisify(cp.exec)("echo $SEEN; pwd", { env: { SEEN: "by it" }, cwd: "/tmp" }));
console.log((await promisify(cp.exec)("node -p '6 * 7'")).stdout.trim());
await new Promise((done) => {
  const child = cp.spawn("cat"); let text = "";
  child.stdout.on("data", (d) => text += d); child.on("close", (code) => done(console.log(text, code)));
  child.stdin.end("through");
});
"""
    result = await run(box, code)
    assert result.error is None
    assert result.stdout.splitlines() == [
        "out a  $b", "", "3 gone", "[ 'a', 'b', '' ]", "{ stdout: 'by it\\n/tmp\\n', stderr: '' }", "42",
        "through 0",
    ]  # fmt: skip
    assert result.stderr == "err\n"


async def test_what_waits_cannot_start_itself(box: Sandbox) -> None:
    result = await run(box, "require('child_process').execSync('node -p 1', { stdio: 'pipe' })")
    assert result.error is not None
    assert "hint: start node with exec or spawn" in result.error.message
    assert (await run(box, "1 + 1")).value == "2"


async def test_packing_gives_its_result_at_once(box: Sandbox) -> None:
    code = """
const z = require("zlib"); const text = "text ".repeat(5000);
const raw = z.inflateRawSync(z.deflateRawSync(text));
const all = [z.gunzipSync(z.gzipSync(text)), z.inflateSync(z.deflateSync(text)), raw];
all.map((each) => `${each}` === text)
"""
    assert (await run(box, code)).value == "[ true, true, true ]"
    await box.bash("printf hello | gzip > h.gz")
    assert (await run(box, "z.gunzipSync(require('fs').readFileSync('h.gz')).toString()")).value == "'hello'"


async def test_input_is_asked_for(box: Sandbox) -> None:
    answers = iter(["Ada", "Bob"])

    def answer(_: str) -> str | None:
        return next(answers, None)

    code = "const lines = require('readline').createInterface({ input: process.stdin });\n"
    code += "for await (const line of lines) console.log('hi', line)"
    assert (await run(box, code, on_input=answer)).stdout == "hi Ada\nhi Bob\n"


async def test_output_comes_while_it_runs(box: Sandbox) -> None:
    with anyio.fail_after(20):
        async for event in box.stream("console.log('first'); for (;;);", language="javascript", timeout=5):
            if isinstance(event, Text):
                assert event.text == "first\n"
                break


STUCK = {
    "loop": "for (;;);",
    "caught": "for (;;) { try { for (;;); } catch {} finally { for (;;); } }",
    "jobs": "(function again() { Promise.resolve().then(again) })()",
    "awaits": "for (;;) { try { await null } catch {} }",
    "timers": "setInterval(() => {}, 1)",
    "ticks": "(function again() { process.nextTick(again) })()",
    "waits": "await new Promise((done) => setTimeout(done, 1e6))",
    "command": "require('child_process').execSync('sleep 100')",
    "later command": "await require('util').promisify(require('child_process').exec)('sleep 100')",
    "getters": "({ get a() { for (;;); } }).a",
    "module": "require('fs').writeFileSync('m.mjs', 'for (;;);'); await import('./m.mjs')",
}


@pytest.mark.parametrize("how", STUCK)
async def test_everything_is_stopped_and_state_is_kept(box: Sandbox, how: str) -> None:
    await run(box, "let kept = 41")
    began = monotonic()
    result = await run(box, STUCK[how], timeout=0.5)
    assert monotonic() - began < SOON
    assert result.timed_out
    assert result.error is not None
    assert (result.error.type, result.state, result.exit_code) == ("KeyboardInterrupt", "kept", 130)
    assert (await run(box, "kept + 1")).value == "42"


async def test_one_long_call_costs_the_state(box: Sandbox) -> None:
    await run(box, "let kept = 41")
    result = await run(box, "/(x+x+)+y/.test('x'.repeat(60))", timeout=0.5)
    assert result.timed_out
    assert (await run(box, "1 + 1")).value == "2"


async def test_completion_and_whole_cells(box: Sandbox) -> None:
    await run(box, "const shape = { width: 1, weight: 2 }; class Thing {}")
    assert (await box.complete("shape.w", language="javascript")).matches == ["weight", "width"]
    assert "Thing" in (await box.complete("new Th", language="javascript")).matches
    assert (await box.complete("console.lo", language="javascript")).matches == ["log"]
    cases = {
        "f(": "incomplete",
        "let x = `a": "incomplete",
        "1 + 1": "complete",
        "let = = 1": "invalid",
        "{a: 1}": "complete",
    }
    for code, expected in cases.items():
        assert (await box.is_complete(code, language="javascript")).status == expected, code
    assert (await box.is_complete("enum A {", language="typescript")).status == "incomplete"
    assert (await box.is_complete("enum A { B }", language="typescript")).status == "complete"


@pytest.mark.slow
async def test_requests_go_where_they_may() -> None:
    site = Site()
    async with serve(site) as server, Sandbox(allow_net=[server.place]) as box:
        url = server.url("")
        code = f"""
const site = {url!r};
const r = await fetch(site + "/hello"); console.log(r.status, r.ok, r.headers.get("x-site"), (await r.text()).trim());
const post = {{ method: "POST", body: JSON.stringify({{ a: 1 }}), headers: {{ "X-Y": "1" }} }};
const e = await (await fetch(site + "/echo?q=ü", post)).json();
console.log(e.method, e.body, e.headers["x-y"], e.target);
const m = await fetch(site + "/once"); console.log(m.redirected, m.url === site + "/hello", (await m.text()).trim());
console.log((await fetch(site + "/missing")).status, (await (await fetch(site + "/gzip")).text()).trim());
let size = 0; for await (const piece of (await fetch(site + "/blob")).body) size += piece.length; console.log(size);
const late = AbortSignal.timeout(200);
await fetch(site + "/slow", {{ signal: late }}).then((r) => r.text()).catch((e) => console.log(e.name));
"""
        result = await run(box, code)
        assert result.error is None
        assert result.stdout.splitlines() == [
            "200 true test hello", 'POST {"a":1} 1 /echo?q=%C3%BC', "true true hello", "404 unpacked", "5242880",
            "TimeoutError",
        ]  # fmt: skip
        refused = await run(box, "1;\nawait fetch('http://example.com/')")
        assert refused.error is not None
        assert (refused.error.type, "example.com:80" in refused.error.message) == ("TypeError", True)
        with anyio.fail_after(20):
            stopped = await box.run("await (await fetch(site + '/slow')).text()", language="javascript", timeout=0.5)
        assert (stopped.timed_out, stopped.state) == (True, "kept")
        assert (await run(box, f"(await (await fetch({url + '/hello'!r})).text()).trim()")).value == "'hello'"


ATTEMPTS = {
    "constructors lead to the guest's own realm": "(() => {}).constructor('return typeof Deno + typeof postMessage')()",
    "of functions of the host too": "process.cwd.constructor('return typeof Deno + typeof postMessage')()",
    "of errors of the host too": (
        "let e; try { require('fs').readFileSync('/none') } catch (x) { e = x }\n"
        "e.constructor.constructor('return typeof Deno + typeof postMessage')()"
    ),
}


@pytest.mark.parametrize("what", ATTEMPTS)
async def test_nothing_of_the_engine_leaks(box: Sandbox, what: str) -> None:
    assert (await run(box, ATTEMPTS[what])).value == "'undefinedundefined'"


@pytest.mark.slow
async def test_wrong_arguments_are_errors_of_the_guest(box: Sandbox) -> None:
    code = """
const fs = require("fs"), bad = [];
const trap = new Proxy({}, { get() { throw new Error("trap") } });
const odd = [undefined, null, -1, NaN, Infinity, {}, [], () => {}, Symbol("s"), 2n, "\\0", "x".repeat(1 << 20), trap];
const acts = [fs.readFileSync, fs.openSync, fs.closeSync, fs.statSync, fs.mkdirSync, require, process.chdir, setTimeout,
  structuredClone, (x) => fs.readSync(x, Buffer.alloc(1)), (x) => fs.writeFileSync("f", "", { flag: x }),
  (x) => fs.renameSync(x, x), (x) => new URL(x), (x) => require("crypto").createHash(x), (x) => Buffer.alloc(x),
  (x) => new Intl.NumberFormat(x), (x) => require("child_process").execSync(x, { stdio: "pipe" }),
  (x) => crypto.getRandomValues(x), (x) => new TextDecoder(x)];
for (const act of acts) for (const value of odd) {
  try { act(value) } catch (e) { if (!(e instanceof Error)) bad.push([act, value, e]) }
}
bad
"""
    result = await run(box, code, timeout=20)
    assert (result.error, result.value, result.state) == (None, "[]", "kept")


async def test_a_program_that_floods_its_pipe_ends_with_it(box: Sandbox) -> None:
    result = await bash(box, "node -e 'for (let i = 0; i < 1e5; i++) console.log(i)' | head -1")
    assert result.stdout == "0\n"


@pytest.mark.slow
async def test_memory_of_one_cell_is_there_for_the_next(box: Sandbox) -> None:
    for _ in range(3):
        result = await run(box, "let big = []; for (;;) big.push(new Array(1e5).fill(1))", timeout=20)
        assert result.error is not None
        assert "out of memory" in result.error.message
        assert (await run(box, "big = null; 1 + 1")).value == "2"


TESTS = """\
const { test, describe, it, beforeEach } = require("node:test");
const assert = require("node:assert");
test("adds", () => assert.equal(1 + 1, 2));
describe("suite", () => {
  beforeEach(() => console.log("before"));
  it("fails", async () => assert.strictEqual(1, 2));
  it.skip("later", () => {});
  it.todo("some day");
});
"""


async def test_node_runs_tests(box: Sandbox) -> None:
    await box.write("a.test.js", TESTS)
    await box.write("test/plain.mjs", "console.log('printed')")
    result = await bash(box, "node --test")
    assert result.exit_code == 1
    assert result.stdout.startswith("TAP version 13\n# Subtest: adds\nok 1 - adds\n  ---\n  duration_ms: ")
    lines = result.stdout.splitlines()
    for line in (
        "# before",
        "    not ok 1 - fails",
        "    ok 2 - later # SKIP",
        "    ok 3 - some day # TODO",
        "not ok 2 - suite",
    ):
        assert line in lines
    assert [line for line in lines if "plain" in line or line == "# printed"] == [
        "# printed",
        "# Subtest: /workspace/test/plain.mjs",
        "ok 3 - /workspace/test/plain.mjs",
    ]
    assert lines[-9:-1] == [
        "1..3",
        "# tests 5",
        "# suites 1",
        "# pass 2",
        "# fail 1",
        "# cancelled 0",
        "# skipped 1",
        "# todo 1",
    ]
    spec = await bash(box, "node --test-reporter=spec a.test.js")
    assert "▶ suite\n" in spec.stdout
    assert "\n✖ failing tests:\n\ntest at a.test.js:6:3\n✖ fails (" in spec.stdout
