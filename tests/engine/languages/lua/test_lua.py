"""Lua through a real sandbox: cells, the command, files shared with the others, what stops it and what holds it."""

import anyio
import pytest

from cloche import Result, Sandbox, Text
from tests.engine.languages.calls import bash, cleans, runs

SOON = 2.0
"""Seconds a stopped call may take on a busy machine."""


run = runs("lua")
cleaned = cleans("lua", "bash")


SOFT = {
    "a loop": "while true do end",
    "a pcall in a loop": "while true do pcall(function() while true do end end) end",
    "an error handler": "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "a coroutine": "coroutine.wrap(function() while true do end end)()",
    "coroutines in coroutines": """
        local function nest(n)
          return coroutine.wrap(function() if n > 0 then nest(n - 1)() end while true do pcall(nest, 1) end end)
        end
        nest(5)()""",
    "a closing variable": """
        local c <close> = setmetatable({}, {__close = function() while true do end end})
        while true do end""",
    "prints": "while true do print(('x'):rep(1000)) end",
    "a sort": "table.sort({3, 2, 1}, function() while true do end end)",
    "a command": "os.execute('sleep 60')",
    "a pipe": "io.popen('sleep 60'):read('a')",
    "many objects": "t = {} for i = 1, 500000 do t[i] = {} end while true do end",
}


@pytest.mark.parametrize("name", SOFT)
async def test_code_is_stopped_and_its_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(15):
        result = await box.run(SOFT[name], language="lua", timeout=0.5)
    assert result.timed_out
    assert result.state == "kept"
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert result.exit_code == 130
    assert result.duration < 0.5 + SOON
    assert (await run(box, "x + 1")).value == "42"
    assert (await run(box, "local n = 0 for i = 1, 1e5 do n = n + 1 end return n")).value == "100000"


@pytest.mark.parametrize(
    "code",
    [
        "('a'):rep(40):find(('a*'):rep(40) .. 'b')",
        "setmetatable({}, {__gc = function() while true do end end}) collectgarbage()",
        "string.rep('x', 1 << 27):rep(1):gsub('x', '%0') while true do end",
    ],
)
async def test_what_cannot_be_stopped_softly_is_ended_and_said_to_be(box: Sandbox, code: str) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(15):
        result = await box.run(code, language="lua", timeout=0.3)
    assert result.timed_out
    if result.state == "lost":
        assert (await run(box, "x")).value == "nil"
    assert (await run(box, "1 + 1")).value == "2"


async def test_a_question_is_asked_while_lua_waits(box: Sandbox) -> None:
    answers = iter(["Ada", "36"])

    async def answer(_: str) -> str:
        return next(answers)

    code = "io.write('name? ') local n = io.read() io.write('age? ') return n, io.read('n') + 1"
    with anyio.fail_after(15):
        result = await box.run(code, language="lua", on_input=answer)
    assert result.stdout == "name? age? "
    assert result.value == '"Ada"\t37'


async def test_a_question_can_be_interrupted(box: Sandbox) -> None:
    asked = anyio.Event()

    async def silence(_: str) -> str:
        asked.set()
        await anyio.sleep_forever()
        return ""

    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run("io.read()", language="lua", on_input=silence, timeout=None))

    with anyio.fail_after(15):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await asked.wait()
            assert await box.interrupt()
    assert results[0].state == "kept"
    assert results[0].error is not None
    assert results[0].error.type == "KeyboardInterrupt"


async def test_output_comes_as_it_is_printed(box: Sandbox) -> None:
    code = "io.write('first') local t = os.clock() while os.clock() - t < 0.4 do end print(' second')"
    with anyio.fail_after(15):
        texts = [event.text async for event in box.stream(code, language="lua") if isinstance(event, Text)]
    assert texts[0] == "first"
    assert "".join(texts) == "first second\n"


async def test_commands_run_in_bash(box: Sandbox) -> None:
    code = """
    local ok, how, code = os.execute("echo from bash; exit 3")
    local p = io.popen("echo one; echo two")
    local lines = {} for line in p:lines() do lines[#lines + 1] = line end
    print(ok, how, code, table.concat(lines, "+"), p:close())
    local w = io.popen("tr a-z A-Z; exit 2", "w") w:write("shout\\n") print(w:close())
    print(os.execute())
    """
    result = await run(box, code)
    assert result.stdout == "from bash\nnil\texit\t3\tone+two\ttrue\texit\t0\nSHOUT\nnil\texit\t2\ntrue\n"


async def test_files_are_shared_with_the_other_languages(box: Sandbox) -> None:
    await run(box, "f = io.open('shared.txt', 'w') f:write('not closed yet')")
    assert (await bash(box, "cat shared.txt; echo ' more' >> shared.txt")).stdout == "not closed yet"
    assert (await run(box, "io.open('shared.txt'):read('a')")).value == '"not closed yet more\\n"'
    assert await box.read("/workspace/shared.txt") == b"not closed yet more\n"


COMMANDS = {
    "lua -e 'print(1 + 1)'": ("2\n", "", 0),
    "lua s.lua a 'b c'": ("s.lua\ta\tb c\t2\n", "", 0),
    "lua -e 'n = 5' -l m s.lua x": ("s.lua\tx\tnil\t1\n", "", 0),
    "lua -l g=m -e 'print(g.name)'": ("m\n", "", 0),
    "echo 'print(...)' | lua - a b": ("a\tb\n", "", 0),
    "echo 'print(7)' | lua": ("7\n", "", 0),
    "printf '1\\n2\\n' | lua -e 'for n in io.lines() do print(n * 2) end' | sort -r": ("4\n2\n", "", 0),
    "lua -e 'os.exit(7)'": ("", "", 7),
    "lua -e 'io.write(1) os.exit(true, true)'; echo $?": ("10\n", "", 0),
    "lua -e 'local t <const> = 1 print(arg[0], arg[-1])'": ("lua\tnil\n", "", 0),
    "lua nothere.lua": ("", "lua: cannot open nothere.lua: No such file or directory\n", 1),
    "lua -x": ("", "lua: unrecognized option '-x'\n", 1),
    "lua -e": ("", "lua: '-e' needs argument\n", 1),
    "lua -i": ("", "lua: '-i' is not available here", 1),
    "lua -e 'x ='": ("", "lua: (command line):1: unexpected symbol near <eof>\n", 1),
    "lua -e 'error({})'": ("", "lua: (error object is a table value)\n", 1),
    "lua -v": ("Lua 5.4", "", 0),
    'cd /tmp && lua -e \'io.open("here", "w"):close()\' && ls here': ("here\n", "", 0),
    "A=b lua -e 'print(os.getenv(\"A\"))'": ("b\n", "", 0),
    "lua -e 'setmetatable({}, {__gc = function() print(\"end\") end})'": ("end\n", "", 0),
    "lua -e 'io.stderr:write(\"e\") print(1)' 2>/dev/null": ("1\n", "", 0),
    "echo \"$(lua -e 'print(3)')\"": ("3\n", "", 0),
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_command_works_as_elsewhere(box: Sandbox, command: str) -> None:
    await box.write("/workspace/s.lua", b"#!/usr/bin/lua\nlocal a, b = ... print(arg[0], a, b, #arg)\n")
    await box.write("/workspace/m.lua", b"return {name = ...}")
    stdout, stderr, code = COMMANDS[command]
    result = await bash(box, command)
    assert result.stdout.startswith(stdout) if command.endswith("-v") else result.stdout == stdout, result
    assert result.stderr.startswith(stderr), result
    assert result.exit_code == code


async def test_a_script_that_fails_says_where(box: Sandbox) -> None:
    await box.write("/workspace/f.lua", b"local function f()\n  error('bad')\nend\nf()\n")
    result = await bash(box, "lua f.lua")
    assert result.exit_code == 1
    assert result.stderr.startswith("lua: f.lua:2: bad\nstack traceback:\n")
    assert "f.lua:4: in main chunk" in result.stderr


async def test_each_command_has_a_state_of_its_own(box: Sandbox) -> None:
    await run(box, "x = 'cell'")
    assert (await bash(box, "lua -e 'print(x) x = 1'; lua -e 'print(x)'")).stdout == "nil\nnil\n"
    assert (await run(box, "x")).value == '"cell"'


@pytest.mark.slow
async def test_many_commands_in_a_row_leave_no_memory_behind(box: Sandbox) -> None:
    result = await bash(box, "for i in $(seq 100); do lua -e 'io.write(1)'; done")
    assert result.stdout == "1" * 100


async def test_a_command_is_stopped_too(box: Sandbox) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(15):
        result = await box.bash("lua -e 'while true do pcall(error) end'; echo $?", timeout=0.5)
    assert result.timed_out
    assert (await run(box, "x")).value == "41"


async def test_lua_started_by_lua_is_refused_with_the_reason(box: Sandbox) -> None:
    result = await run(box, "os.execute('lua -v')")
    assert "waits" in result.stderr


ESCAPES = [
    "debug.getregistry",
    "io.open('/proc/self/environ')",
    "io.open('/etc/passwd')",
    "io.open('../../../../etc/passwd')",
    "package.loadlib('libc.so.6', '*')",
    "require('js')",
    "load('\\27Lua')",
]


@pytest.mark.parametrize("code", ESCAPES)
async def test_nothing_outside_can_be_reached(box: Sandbox, code: str) -> None:
    value = (await run(box, f"local _, v = pcall(function() return {code} end) return tostring(v)")).value or ""
    assert value.startswith(('"nil"', '"module', '"<cell>')), value
    assert "root:" not in value


async def test_functions_of_ours_hold_when_their_insides_are_changed(box: Sandbox) -> None:
    code = """
    for _, f in ipairs({os.getenv, os.exit, os.clock}) do
      for _, v in ipairs({-1, 99, 1e300, 0/0, "x", {}}) do debug.setupvalue(f, 1, v) pcall(f, "x") end
    end
    """
    await run(box, code)
    assert (await run(box, "1 + 1")).value == "2"


async def test_broken_bytecode_harms_nobody_else(box: Sandbox) -> None:
    code = """
    local d = string.dump(function(a, b) local t = {a, b} for i = 1, 3 do t[i] = a .. b end return t end)
    for i = 40, #d do
      local broken = d:sub(1, i - 1) .. string.char((d:byte(i) + 77) % 256) .. d:sub(i + 1)
      pcall(function() load(broken, "d", "b")(1, 2) end)
    end
    """
    with anyio.fail_after(15):
        await box.run(code, language="lua", timeout=3)
    assert (await run(box, "1 + 1")).value == "2"
    assert (await bash(box, "echo on")).stdout == "on\n"


async def test_code_is_completed_and_checked(box: Sandbox) -> None:
    await run(box, "config = {name = 1, nested = {deep = 2}} function config.go() end")
    with anyio.fail_after(10):
        assert (await box.complete("x = string.re", language="lua")).matches == ["rep", "reverse"]
        assert (await box.complete("config.n", language="lua")).matches == ["name", "nested"]
        assert (await box.complete("config:", language="lua")).matches == ["go"]
        assert (await box.complete("config.nested.", language="lua")).matches == ["deep"]
        assert (await box.complete("io.stdout:see", language="lua")).matches == ["seek"]
        assert (await box.complete("whi", language="lua")).matches == ["while"]
        assert (await box.is_complete("for i = 1, 2 do", language="lua")).status == "incomplete"
        assert (await box.is_complete("x = [[", language="lua")).status == "incomplete"
        assert (await box.is_complete("x = )", language="lua")).status == "invalid"
        assert (await box.is_complete("1 + 1", language="lua")).status == "complete"


@pytest.mark.slow
async def test_memory_is_reported_and_limited(box: Sandbox) -> None:
    await run(box, "x = 7")
    with anyio.fail_after(15):
        before = {each.name: each.memory for each in await box.languages()}["lua"]
    assert 0 < before < 64 << 20
    result = await run(box, "t = {} while true do t[#t + 1] = ('x'):rep(1 << 20) .. #t end")
    assert result.error is not None
    assert result.error.message == "not enough memory"
    assert result.state == "kept"
    assert (await run(box, "t = nil collectgarbage() return x")).value == "7"


@pytest.mark.slow
async def test_memory_that_is_used_up_can_be_given_back(box: Sandbox) -> None:
    result = await run(box, "x = 7 t = {} for i = 1, 1e9 do t[i] = {i} end")
    assert result.error is not None
    assert result.error.message == "not enough memory"
    for _ in range(3):
        assert (await run(box, "#t > 1000, x")).value == "true\t7"
    await run(box, "t = nil")
    assert (await run(box, "#('x'):rep(1 << 20), x")).value == "1048576\t7"
