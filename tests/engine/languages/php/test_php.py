"""PHP through a real sandbox: cells, the command, files shared with the others, what stops it and what holds it."""

import json
import time
from collections.abc import AsyncGenerator, Iterator

import anyio
import pytest

from cloche import Result, Sandbox, Text
from tests.sandbox.conftest import clean
from tests.sandbox.registries.index_server import Site
from tests.sandbox.registries.makers import ComposerIndex

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

SOON = 2.0
"""Seconds a stopped call may take on a busy machine."""


@pytest.fixture(autouse=True)
async def cleaned(box: Sandbox) -> AsyncGenerator[None]:
    yield
    await clean(box, "php", "bash")


@pytest.fixture
def filled_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[ComposerIndex]:
    """The only repository that Composer knows, with two packages in it."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Site() as site:
        monkeypatch.setenv("CLOCHE_COMPOSER_URL", site.address)
        found = ComposerIndex(site)
        leaf = {"src/Leaf.php": "<?php namespace Mine; class Leaf { const COLOUR = 'green'; }", "f.php": FUNCTION}
        found.add("mine/leaf", files=leaf, autoload={"psr-4": {"Mine\\": "src/"}, "files": ["f.php"]})
        old = {"lib/Old/Thing.php": "<?php class Old_Thing extends Mine\\Leaf {}", "map/a.php": "<?php class Mapped {}"}
        rules = {"psr-0": {"Old_": "lib/"}, "classmap": ["map/"]}
        found.add("mine/old", files=old, autoload=rules, require={"mine/leaf": "*"})
        yield found


FUNCTION = "<?php function leafy() { return 'a function of a package'; }"


async def run(box: Sandbox, code: str, stdin: str | None = None) -> Result:
    with anyio.fail_after(20):
        return await box.run(code, language="php", stdin=stdin)


async def bash(box: Sandbox, script: str) -> Result:
    with anyio.fail_after(20):
        return await box.bash(script)


SOFT = {
    "a loop": "while (true) {}",
    "a loop that catches": "while (true) { try { while (true) {} } catch (Throwable $e) {} finally {} }",
    "a callback": "usort($GLOBALS['list'], function ($a, $b) { while (true) {} });",
    "a generator": "function g() { while (true) yield 1; } foreach (g() as $y) {}",
    "a destructor": "class D { function __destruct() { while (true) {} } } new D; while (true) {}",
    "an output callback": "ob_start(function ($s) { while (true) {} }); echo 1; ob_end_flush(); while (true) {}",
    "a handler of errors": "set_error_handler(function () { while (true) {} }); echo $nothing; while (true) {}",
    "prints": "while (true) echo str_repeat('x', 1000), PHP_EOL;",
    "small sleeps": "while (true) usleep(1000);",
    "a sleep": "sleep(60);",
    "a command": "shell_exec('sleep 60');",
    "goto": "again: goto again;",
    "at the end": "register_shutdown_function(function () { while (true) {} });",
}


@pytest.mark.parametrize("name", SOFT)
async def test_code_is_stopped_and_its_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "$x = 41; $list = [2, 1, 3];")
    with anyio.fail_after(20):
        result = await box.run(SOFT[name], language="php", timeout=0.5)
    assert result.timed_out
    assert result.state == "kept"
    assert result.error is not None
    assert (result.error.type, result.exit_code) == ("KeyboardInterrupt", 130)
    assert result.duration < 0.5 + SOON
    assert (await run(box, "restore_error_handler(); $x + 1")).value == "42"
    assert (await run(box, "$n = 0; for ($i = 0; $i < 100000; $i++) $n++; $n")).value == "100000"


@pytest.mark.parametrize(
    "code",
    [
        "ini_set('pcre.backtrack_limit', PHP_INT_MAX); preg_match('/(a+)+$/', str_repeat('a', 40) . 'b');",
        "hash_pbkdf2('sha512', 'x', 'y', 1 << 30);",
    ],
)
async def test_what_cannot_be_stopped_softly_is_ended_and_said_to_be(box: Sandbox, code: str) -> None:
    await run(box, "$x = 41;")
    with anyio.fail_after(20):
        result = await box.run(code, language="php", timeout=0.3)
    assert result.timed_out
    assert result.state == "lost"
    assert (await run(box, "$x ?? 'gone'")).value == "'gone'"


async def test_a_stack_that_is_too_deep_ends_php_and_not_the_sandbox(box: Sandbox) -> None:
    await box.run("mine = 1")
    result = await run(box, "function m($x) { return array_map('m', [$x]); } m(1);")
    assert result.error is not None
    assert (await run(box, "1 + 1")).value == "2"
    assert (await box.run("mine")).value == "1"


async def test_php_can_go_on_after_it_ran_out_of_memory(box: Sandbox) -> None:
    result = await run(box, "function grow() { $a = []; while (true) $a[] = str_repeat('x', 1 << 20); } grow();")
    assert result.error is not None
    assert "Allowed memory size" in result.error.message
    assert (await run(box, "strlen(str_repeat('x', 100 << 20))")).value == str(100 << 20)


async def test_output_comes_while_code_runs(box: Sandbox) -> None:
    code = "foreach ([1, 2, 3] as $n) { echo $n; usleep(300000); }"
    with anyio.fail_after(20):
        texts = [event.text async for event in box.stream(code, language="php") if isinstance(event, Text)]
    assert texts == ["1", "2", "3"]


async def test_lines_are_asked_for(box: Sandbox) -> None:
    prompts: list[str] = []

    async def answer(prompt: str, password: bool) -> str:
        prompts.append(prompt)
        return f"answer {len(prompts)}"

    with anyio.fail_after(20):
        result = await box.run("[readline('who? '), trim(fgets(STDIN))]", language="php", on_input=answer)
    assert result.value == "['answer 1', 'answer 2']"
    assert prompts == ["who? ", ""]


async def test_commands_run_in_bash(box: Sandbox) -> None:
    code = "exec('echo a; echo b; exit 3', $lines, $code); [$lines, $code, trim(`echo tick`), trim(shell_exec('pwd'))]"
    assert (await run(box, code)).value == "[['a', 'b'], 3, 'tick', '/workspace']"
    result = await run(box, "system('echo out; echo err >&2'); passthru('printf x');")
    assert (result.stdout, result.stderr) == ("out\nx", "err\n")


async def test_a_command_that_needs_this_very_php_is_refused(box: Sandbox) -> None:
    result = await run(box, "exec('php -v', $lines, $code); [$lines, $code !== 0]")
    assert result.value == "[[], true]"


COMMANDS = {
    "php -r 'echo 1 + 1;'": ("2", 0),
    "php -r 'exit(7);'": ("", 7),
    "php -r 'echo json_encode($argv), $argc;' a --b": ('["Standard input code","a","--b"]3', 0),
    "php args.php x 'y z' --v": ('["args.php","x","y z","--v"]/workspace', 0),
    "php -f args.php": ('["args.php"]/workspace', 0),
    "cd /tmp && php /workspace/args.php": ('["\\/workspace\\/args.php"]/workspace', 0),
    "php < args.php": ('["Standard input code"]/workspace', 0),
    "echo '<?php echo strrev(\"abc\");' | php": ("cba", 0),
    "printf 'a\\nb\\n' | php -R 'echo strtoupper($argn), PHP_EOL;'": ("A\nB\n", 0),
    "printf '1\\n2\\n' | php -B '$s = 0;' -R '$s += $argn;' -E 'echo $s;'": ("3", 0),
    "printf 'l1\\nl2\\n' | php -r 'while (($l = fgets(STDIN)) !== false) echo trim($l), \",\";'": ("l1,l2,", 0),
    "php -l args.php": ("No syntax errors detected in args.php\n", 0),
    "php -r 'echo getenv(\"COLOUR\");'": ("", 0),
    'COLOUR=red php -r \'echo getenv("COLOUR"), $_SERVER["COLOUR"];\'': ("redred", 0),
    "php -d memory_limit=64M -r 'echo ini_get(\"memory_limit\");'": ("64M", 0),
    "php -v | head -c 7": ("PHP 8.4", 0),
    "php -m | grep -ci sqlite": ("2\n", 0),
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_command(box: Sandbox, command: str) -> None:
    await box.write("args.php", "<?php echo json_encode($argv), __DIR__;")
    result = await bash(box, command)
    assert (result.stdout, result.exit_code) == COMMANDS[command]


async def test_programs_that_fail_say_so(box: Sandbox) -> None:
    await box.write("bad.php", "<?php\necho 'a';\nnothing();")
    result = await bash(box, "php bad.php")
    assert (result.stdout, result.exit_code) == ("a", 255)
    assert "undefined function nothing() in /workspace/bad.php:3" in result.stderr
    missing = await bash(box, "php nope.php")
    assert (missing.stderr, missing.exit_code) == ("Could not open input file: nope.php\n", 1)


async def test_programs_begin_anew_and_leave_cells_alone(box: Sandbox) -> None:
    await run(box, "$x = 1; function mine() {}")
    assert (await bash(box, "php -r 'var_dump(isset($x), function_exists(\"mine\")); $x = 2;'")).stdout.count(
        "false"
    ) == 2
    assert (await run(box, "$x")).value == "1"


async def test_a_program_is_stopped_too(box: Sandbox) -> None:
    await run(box, "$x = 41;")
    with anyio.fail_after(20):
        result = await box.run("php -r 'while (true) {}'", language="bash", timeout=0.5)
    assert result.timed_out
    assert (await run(box, "$x")).value == "41"


async def test_files_are_shared_with_the_others(box: Sandbox) -> None:
    await box.run("import json; json.dump({'n': [1, 2]}, open('d.json', 'w'))")
    await run(
        box,
        "$d = json_decode(file_get_contents('d.json'), true); $d['n'][] = 3; "
        "file_put_contents('d.json', json_encode($d)); symlink('d.json', 'l.json'); chmod('d.json', 0600);",
    )
    assert (await box.run("json.load(open('l.json'))")).value == "{'n': [1, 2, 3]}"
    assert (await bash(box, "stat -c %a d.json")).stdout == "600\n"


async def test_a_project_of_files(box: Sandbox) -> None:
    await box.write("src/Greeter.php", '<?php\nnamespace App;\nclass Greeter { function hi($n) { return "hi $n"; } }')
    await box.write(
        "boot.php",
        "<?php spl_autoload_register(fn($c) => @include __DIR__ . '/src/' . "
        "basename(strtr($c, '\\\\', '/')) . '.php');",
    )
    assert (await run(box, "require_once 'boot.php'; (new App\\Greeter)->hi('you')")).value == "'hi you'"


async def test_completion_and_inspection(box: Sandbox) -> None:
    await run(
        box, "$total = 1; function my_sum(int $a): int { return $a; } class Cat { function meow() {} }; $c = new Cat;"
    )
    for code, expected in {
        "$tot": "$total",
        "echo my_su": "my_sum",
        "$c->me": "$c->meow",
        "array_key_l": "array_key_last",
    }.items():
        assert expected in (await box.complete(code, language="php")).matches
    assert (await box.is_complete("function f() {", language="php")).status == "incomplete"
    assert (await box.is_complete("echo 1;", language="php")).status == "complete"
    assert (await box.is_complete("echo = 1;", language="php")).status == "invalid"
    assert (await box.complete("$tot", language="php")).start == 0


ESCAPES = [
    "post_message_to_js(str_repeat('x', 1 << 20))",
    "post_message_to_js('run')",
    'post_message_to_js("run\\nsystem(1)")',
    'post_message_to_js("function\\nstrlen")',
    'post_message_to_js("class\\nException")',
    'post_message_to_js("value\\n" . str_repeat("x", 1 << 22))',
    'post_message_to_js("answer\\n{}")',
    'post_message_to_js("prompt\\nx")',
    'post_message_to_js("provide\\n../../etc/passwd")',
    'post_message_to_js("__proto__\\nx")',
    'post_message_to_js("constructor\\nreturn Deno")',
    "\\Cloche\\prepare()",
    "\\Cloche\\environment()",
    "\\Cloche\\completions()",
]


@pytest.mark.parametrize("code", ESCAPES)
async def test_messages_to_the_engine_are_harmless(box: Sandbox, code: str) -> None:
    await run(box, f"@{code};")
    assert (await run(box, "strlen('four')")).value == "4"
    assert (await run(box, "(new Exception('still'))->getMessage()")).value == "'still'"


HELD = {
    "@file_get_contents('/etc/passwd')": "false",
    "@file_get_contents('/proc/self/environ')": "false",
    "@file_put_contents('/usr/local/etc/php.ini', 'x')": "false",
    "@file_put_contents('/new', 'x')": "false",
    "@mkdir('/opt/x')": "false",
    "@chmod('/', 0777) || @file_put_contents('/new', 'x')": "false",
    "@unlink('/usr/share/php/prelude.php')": "false",
    "@symlink('/etc', '/workspace/link') && @file_get_contents('/workspace/link/passwd')": "false",
    "@fopen('http://localhost', 'r')": "false",
    "function_exists('dl') || function_exists('proc_open') || function_exists('fsockopen')": "false",
    "array_filter(scandir('/'), fn($n) => in_array($n, ['etc', 'root', 'var', 'boot']))": "[]",
    "ini_set('disable_functions', '') === false && !function_exists('mail')": "true",
}


@pytest.mark.parametrize("code", HELD)
async def test_what_is_outside_is_not_there(box: Sandbox, code: str) -> None:
    assert (await run(box, code)).value == HELD[code]


async def test_sockets_are_refused_also_to_programs_without_settings(box: Sandbox) -> None:
    result = await bash(
        box, 'php -n -r \'var_dump(@stream_socket_client("tcp://127.0.0.1:1"), @fopen("http://127.0.0.1", "r"));\''
    )
    assert result.stdout == "bool(false)\nbool(false)\n"
    result = await bash(box, "php -n -r '$c = curl_init(\"http://127.0.0.1\"); var_dump(curl_exec($c));'")
    assert "bool(false)" in result.stdout
    result = await bash(box, 'php -n -r \'var_dump(@popen("cat", "w"), @dl("x"), @mail("a", "b", "c"));\'')
    assert result.stdout.count("bool(false)") >= 2


async def test_fibers_are_refused_and_nothing_breaks(box: Sandbox) -> None:
    await bash(box, "php -n -r '$f = new Fiber(fn() => 1); $f->start();'")
    assert (await run(box, "1 + 1")).value == "2"


@pytest.mark.slow
async def test_classes_and_functions_of_packages_are_found(filled_index: ComposerIndex) -> None:
    async with Sandbox() as box:
        before = await run(box, "new Mine\\Leaf;")
        assert before.error is not None
        assert "composer require" in before.error.message
        await box.install("mine/old", language="php")
        assert (await run(box, "Mine\\Leaf::COLOUR . Old_Thing::COLOUR")).value == "'greengreen'"
        assert (await run(box, "[leafy(), (new Mapped)::class]")).value == "['a function of a package', 'Mapped']"
        assert (await run(box, "require 'vendor/autoload.php'; Mine\\Leaf::COLOUR")).value == "'green'"
        await box.write("main.php", "<?php require 'vendor/autoload.php'; echo Mine\\Leaf::COLOUR, leafy();")
        assert (await bash(box, "php main.php")).stdout == "greena function of a package"
        assert (await bash(box, "php -r 'echo Mine\\Leaf::COLOUR;'")).stdout == "green"
        refused = await run(box, "file_put_contents('/opt/languages/php/mine/leaf/f.php', 'x')")
        assert refused.value == "false"


RANDOM = """
[mt_rand(), rand(), lcg_value(), bin2hex(random_bytes(8)), uniqid(), bin2hex(openssl_random_pseudo_bytes(8)),
 password_hash('a', PASSWORD_BCRYPT, ['cost' => 4]), str_shuffle('abcdefghijklmnopqrstuvwxyz'),
 random_int(0, PHP_INT_MAX), (new Random\\Randomizer())->getInt(0, 1 << 30), session_create_id(),
 (new PDO('sqlite::memory:'))->query('select hex(randomblob(8))')->fetchColumn()]
"""


@pytest.mark.slow
async def test_no_php_throws_the_dice_of_another() -> None:
    thrown: list[list[object]] = []
    for _ in range(2):
        async with Sandbox() as box:
            for _ in range(2):
                thrown.append(json.loads((await run(box, f"echo json_encode({RANDOM});")).stdout))
                await box.reset("php")
    for same in zip(*thrown, strict=True):
        assert len(set(same)) == len(thrown)


@pytest.mark.slow
async def test_php_wakes_here_and_now() -> None:
    async with Sandbox(env={"COLOUR": "red"}) as box:
        began = int(time.time())
        seen = await run(box, "[getenv('COLOUR'), $_ENV['COLOUR'], $_SERVER['COLOUR'], getenv('HOME'), getcwd()]")
        assert seen.value == "['red', 'red', 'red', '/home/user', '/workspace']"
        times = "echo json_encode([$_SERVER['REQUEST_TIME'], (int) $_SERVER['REQUEST_TIME_FLOAT'], time(), date('U')]);"
        for each in json.loads((await run(box, times)).stdout):
            assert began <= int(each) <= time.time()


@pytest.mark.slow
async def test_packages_that_come_while_php_runs(filled_index: ComposerIndex) -> None:
    async with Sandbox() as box:
        assert (await run(box, "class_exists('Mine\\Leaf')")).value == "false"
        assert (await bash(box, "composer require mine/leaf")).exit_code == 0
        assert (await run(box, "class_exists('Mine\\Leaf')")).value == "true"


@pytest.mark.slow
async def test_a_class_that_is_missing_brings_its_package(filled_index: ComposerIndex) -> None:
    files = {"src/Logger.php": "<?php namespace Monolog; class Logger { function __construct(public $name) {} }"}
    filled_index.add("monolog/monolog", files=files, autoload={"psr-4": {"Monolog\\": "src"}})
    async with Sandbox(auto_install=True) as box:
        assert (await run(box, "(new Monolog\\Logger('mine'))->name")).value == "'mine'"
        unknown = await run(box, "new Some\\Thing;")
        assert unknown.error is not None
        assert "is not known" in unknown.error.message
