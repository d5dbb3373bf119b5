"""Ruby through a real sandbox: cells, the command, other programs, what stops it and what holds it."""

import anyio
import pytest

from cloche import Result, Sandbox, Text
from tests.engine.languages.calls import bash, cleans, runs

pytestmark = pytest.mark.timeout(60)

SOON = 2.0
"""Seconds a stopped call may take on a busy machine."""


run = runs("ruby")
cleaned = cleans("ruby", "bash")


SOFT = {
    "a loop": "loop {}",
    "a while": "while true; end",
    "blocks": "def f(n) = [1, 2].each { f(n - 1) if n > 0 }\nf(40)",
    "a rescue in a loop": "loop { begin; raise 'x'; rescue StandardError; end }",
    "a fiber": "Fiber.new { loop {} }.resume",
    "an enumerator": "e = Enumerator.new { |y| loop { y << 1 } }\nloop { e.next }",
    "a sleep": "sleep 60",
    "prints": "loop { puts 'x' * 1000 }",
    "a command": "system('sleep 60')",
    "backticks": "`sleep 60`",
    "ruby within ruby": "system('ruby', '-e', 'loop {}')",
    "a sort": "[3, 2, 1].sort { loop {} }",
    "a timeout": "require 'timeout'\nTimeout.timeout(60) { loop {} }",
    "a string that grows": "s = +''\nloop { s = 'x' * 1000 + s[0, 10] }",
    "an ensure": "begin\n  loop {}\nensure\n  $ended = true\nend",
}


@pytest.mark.parametrize("name", SOFT)
async def test_code_is_stopped_and_its_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(30):
        result = await box.run(SOFT[name], language="ruby", timeout=0.5)
    assert result.timed_out
    assert result.state == "kept"
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert result.exit_code == 130
    assert result.duration < 0.5 + SOON
    assert (await run(box, "x + 1")).value == "42"
    assert (await run(box, "(1..100_000).sum")).value == "5000050000"


HARD = [
    "begin; loop {}; rescue Interrupt; end; loop {}",
    "trap('INT') {}; loop {}",
    "3 ** (3 ** 17) * 7 ** (3 ** 17)",
]


@pytest.mark.parametrize("code", HARD)
async def test_what_cannot_be_stopped_softly_is_ended_and_said_to_be(box: Sandbox, code: str) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(30):
        result = await box.run(code, language="ruby", timeout=0.3)
    if result.state == "lost":
        assert result.timed_out
        assert (await run(box, "defined?(x)")).value is None
    assert (await run(box, "1 + 1")).value == "2"


DEEP = {
    "each": "def f(n) = [1].each { f(n + 1) }",
    "each of a hash": "def f(n) = { a: 1 }.each { f(n + 1) }",
    "map of an enumerator": "def f(n) = [1].each_with_index.map { f(n + 1) }",
    "sort_by": "def f(n) = [2, 1].sort_by { f(n + 1) }",
    "catch": "def f(n) = catch(:x) { f(n + 1) }",
    "rescue": "def f(n) = (begin; raise 'x'; rescue; [1].each { f(n + 1) }; end)",
    "a fiber": "def g(n) = [1].each { g(n + 1) }\ndef f(n) = Fiber.new { g(n) }.resume",
    "plain calls": "def f(n) = f(n + 1)",
}


@pytest.mark.parametrize("name", DEEP)
async def test_recursion_without_end_is_an_error_like_others(box: Sandbox, name: str) -> None:
    await run(box, "x = 41")
    result = await run(box, f"{DEEP[name]}\nf(0)")
    assert result.error is not None
    assert (result.error.type, result.state) == ("SystemStackError", "kept")
    assert len(result.error.traceback) < 10_000
    assert (await run(box, "x + 1")).value == "42"
    assert (await run(box, "begin; f(0); rescue SystemStackError; GC.start; 'caught'; end")).value == '"caught"'


async def test_garbage_is_collected_and_errors_are_raised_far_down(box: Sandbox) -> None:
    code = """
    def tree(n)
      return [] if n.zero?
      { a: n }.map do |_, v|
        kept = v.to_s * 100
        GC.start if (v % 50).zero?
        [tree(n - 1), begin; raise kept; rescue => e; e.message; end]
      end
    end
    tree(200).flatten.sum(&:size)
    """
    assert (await run(box, code)).value == str(100 * sum(len(str(n)) for n in range(1, 201)))


async def test_a_question_is_asked_while_ruby_waits(box: Sandbox) -> None:
    answers = iter(["Ada", "36"])

    async def answer(_: str) -> str:
        return next(answers)

    code = "print 'name? '\nn = gets.chomp\nprint 'age? '\n[n, gets.to_i + 1]"
    with anyio.fail_after(30):
        result = await box.run(code, language="ruby", on_input=answer)
    assert result.stdout == "name? age? "
    assert result.value == '["Ada", 37]'


async def test_a_question_can_be_interrupted(box: Sandbox) -> None:
    asked = anyio.Event()

    async def silence(_: str) -> str:
        asked.set()
        await anyio.sleep_forever()
        return ""

    results: list[Result] = []

    async def call() -> None:
        results.append(await box.run("gets", language="ruby", on_input=silence, timeout=None))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await asked.wait()
            assert await box.interrupt()
    assert results[0].state == "kept"
    assert results[0].error is not None
    assert results[0].error.type == "KeyboardInterrupt"


async def test_output_comes_as_it_is_printed(box: Sandbox) -> None:
    code = "print 'first'\nt = Time.now\nnil while Time.now - t < 0.4\nputs ' second'"
    with anyio.fail_after(30):
        texts = [event.text async for event in box.stream(code, language="ruby") if isinstance(event, Text)]
    assert texts[0] == "first"
    assert "".join(texts) == "first second\n"


async def test_files_are_shared_with_the_other_languages(box: Sandbox) -> None:
    await run(box, "f = File.open('shared.txt', 'w')\nf.sync = true\nf.write('not closed yet')")
    assert (await bash(box, "cat shared.txt; echo ' more' >> shared.txt")).stdout == "not closed yet"
    assert (await run(box, "f.close\nFile.chmod(0o600, 'shared.txt')\nFile.read('shared.txt')")).value is not None
    assert await box.read("/workspace/shared.txt") == b"not closed yet more\n"
    assert (await bash(box, "stat -c %a shared.txt")).stdout == "600\n"


PROGRAMS = {
    "[system('exit 3'), $?.exitstatus, system('no_such_command'), system('true')]": "[false, 3, nil, true]",
    "[`echo a b`, `ruby -e 'puts 1'`, $?.success?, $?.class]": '["a b\\n", "1\\n", true, Cloche::Status]',
    "`ls no_such_file 2>&1; exit 4`.include?('No such file') && $?.exitstatus": "4",
    "Process.wait(spawn('exit 5')); $?.exitstatus": "5",
    "IO.popen('sort', 'r+') { |io| io.puts 3, 1; io.close_write; io.readlines }": '["1\\n", "3\\n"]',
    "IO.popen(['echo', 'x  y'], &:read)": '"x  y\\n"',
    "require 'open3'; Open3.capture3('cat; echo e >&2; exit 4', stdin_data: 'in')[..1]": '["in", "e\\n"]',
    "require 'open3'; Open3.capture2e('echo a; echo b >&2').first": '"a\\nb\\n"',
    "require 'open3'; Open3.popen3('tr a-z A-Z') { |i, o| i << 'abc'; i.close; o.read }": '"ABC"',
    "system({ 'A' => '1' }, 'test $A = 1')": "true",
    "system('echo x', out: 'o.txt'); File.read('o.txt')": '"x\\n"',
    "`pwd`.then { |here| [here, system('test $PWD = /tmp', chdir: '/tmp')] }": '["/workspace\\n", true]',
    "system('exit 2', exception: true) rescue $!.message": '"Command failed with exit 2: exit 2"',
}


@pytest.mark.parametrize("code", PROGRAMS)
async def test_other_programs_are_run(box: Sandbox, code: str) -> None:
    assert (await run(box, code)).value == PROGRAMS[code]


COMMANDS = {
    "ruby -e 'puts 1 + 1'": ("2\n", "", 0),
    "ruby s.rb a 'b c'": ('["a", "b c"] true /workspace\ndata\n', "", 0),
    "echo 'puts ARGV' | ruby - a b": ("a\nb\n", "", 0),
    "echo 'puts 7' | ruby": ("7\n", "", 0),
    "printf '1,2\\n3,4\\n' | ruby -ne 'puts $_.strip.split(\",\").reverse.join(\",\")' | sort": ("2,1\n4,3\n", "", 0),
    "printf 'a b\\nc d\\n' | ruby -lane 'print $F.reverse.join(\" \")'": ("b a\nd c\n", "", 0),
    "printf 'a:b\\n' | ruby -F: -lane 'print $F[1]'": ("b\n", "", 0),
    "printf 'x\\ny\\nz\\n' | ruby -pe 'next if /y/; $_.upcase!'": ("X\ny\nZ\n", "", 0),
    "printf 'xa\\nxb\\n' | ruby -pe 'sub(/x/, \"y\"); chomp; gsub(/[ab]/) { |c| c.upcase }'": ("yAyB", "", 0),
    "printf '1\\n2\\n' | ruby -ne 'BEGIN { s = 0 }; s += $_.to_i; END { puts s }'": ("3\n", "", 0),
    "printf 'one\\n' > f; ruby -i.bak -pe '$_.upcase!' f; cat f f.bak": ("ONE\none\n", "", 0),
    "ruby -e 'END { puts 2 }' -e 'at_exit { puts 1 }'": ("1\n2\n", "", 0),
    "ruby -rjson -rset -e 'puts [1].to_json'": ("[1]\n", "", 0),
    "ruby -I. -rm -e 'p M'": ("3\n", "", 0),
    "ruby -c s.rb": ("Syntax OK\n", "", 0),
    "ruby -c bad.rb": ("", "bad.rb:1: syntax error", 1),
    "ruby e.rb": ("", "e.rb:2:in 'Object#a': no (ArgumentError)\n\tfrom e.rb:4:in '<main>'\n", 1),
    "ruby nothere.rb": ("", "ruby: No such file or directory -- nothere.rb (LoadError)\n", 1),
    "ruby -e 'exit 7'": ("", "", 7),
    "ruby -e 'abort \"bad\"'": ("", "bad\n", 1),
    "ruby -e 'at_exit { puts 1 }; exit! 2'": ("", "", 2),
    'ruby -e \'exec "echo", "x"\'': ("x\n", "", 0),
    "ruby --nonsense": ("", "ruby: invalid option --nonsense", 1),
    "ruby -s -e 'p $foo' -- -foo=3": ('"3"\n', "", 0),
    "ruby -v": ("ruby 4.0.0", "", 0),
    "A=b ruby -e 'puts ENV[\"A\"]'": ("b\n", "", 0),
    'cd /tmp && ruby -e \'File.write("here", "")\' && ls here': ("here\n", "", 0),
    "ruby -e 'puts ARGF.read' m.rb": ("M = 3\n", "", 0),
    "ruby -e 'p $stdin.read' < m.rb": ('"M = 3\\n"\n', "", 0),
    "echo \"$(ruby -e 'puts 3')\"": ("3\n", "", 0),
    'ruby -e \'system("ruby -e 1"); system("echo x | ruby -pe 1")\'': ("", "", 0),
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_command_works_as_elsewhere(box: Sandbox, command: str) -> None:
    script = b'puts "#{ARGV} #{__FILE__ == $0} #{__dir__}"\nputs DATA.read\n__END__\ndata\n'
    files = {
        "s.rb": script,
        "m.rb": b"M = 3\n",
        "bad.rb": b"x = (\n",
        "e.rb": b"def a\n  raise ArgumentError, 'no'\nend\na\n",
    }
    for name, data in files.items():
        await box.write(f"/workspace/{name}", data)
    stdout, stderr, code = COMMANDS[command]
    result = await bash(box, command)
    assert result.stdout.startswith(stdout) if command.endswith("-v") else result.stdout == stdout, result
    assert result.stderr.startswith(stderr), result
    assert result.exit_code == code


async def test_each_command_has_a_state_of_its_own(box: Sandbox) -> None:
    await run(box, "$x = 'cell'")
    assert (await bash(box, "ruby -e 'p $x; $x = 1'; ruby -e 'p $x'")).stdout == "nil\nnil\n"
    assert (await run(box, "$x")).value == '"cell"'


async def test_chance_and_clocks_begin_anew_in_each_command(box: Sandbox) -> None:
    code = "p rand, [*1..99].shuffle, Random.new_seed, Random.bytes(8), Process.times.utime < 1000"
    first, second = [(await bash(box, f"ruby -e '{code}'")).stdout.splitlines() for _ in range(2)]
    assert [first[4], second[4]] == ["true", "true"]
    assert all(one != other for one, other in zip(first[:4], second[:4], strict=True))


async def test_many_commands_in_a_row_leave_no_memory_behind(box: Sandbox) -> None:
    result = await bash(box, "for i in $(seq 40); do ruby -e 'print 1'; done")
    assert result.stdout == "1" * 40


async def test_a_command_is_stopped_too(box: Sandbox) -> None:
    await run(box, "x = 41")
    with anyio.fail_after(30):
        result = await box.bash("ruby -e 'loop {}'; echo $?", timeout=0.5)
    assert result.timed_out
    assert (await run(box, "x")).value == "41"


@pytest.mark.slow
async def test_a_command_that_breaks_its_interpreter_harms_no_other(box: Sandbox) -> None:
    await run(box, "x = 41")
    result = await bash(box, 'ruby -e \'eval("1+" * 100000 + "1")\'; echo $?')
    assert result.stdout == "134\n"
    assert "nested too deeply" in result.stderr
    assert (await run(box, "x")).value == "41"


BRIDGES = [
    "require 'js'; JS.eval('1')",
    "require 'js.so'; JS.global",
    "ObjectSpace.each_object(Module).select { |m| m.name.to_s.start_with?('JS') }.first.eval('1')",
    "ObjectSpace.each_object(Class).find { |c| c.name == 'JS::Object' }.allocate.call(:x)",
    "Object.const_get(:JS)",
    "File.read('/proc/self/environ')",
    "File.read('../../../../etc/passwd')",
    "File.symlink('/etc/passwd', 'l'); File.read('l')",
    "IO.new(3).read",
    "syscall(1)",
    "require 'fiddle'; Fiddle.dlopen(nil)",
]


@pytest.mark.parametrize("code", BRIDGES)
async def test_nothing_outside_can_be_reached(box: Sandbox, code: str) -> None:
    result = await run(box, code)
    assert result.error is not None, result
    assert "root:" not in repr(result)
    assert (await run(box, "1 + 1")).value == "2"


async def test_the_channel_gives_nothing_that_code_does_not_have(box: Sandbox) -> None:
    code = """
    fields = [%w[work], %w[done 0 1 fake], %w[exec], %w[exec argv k / x 99 a], %w[provide ../x], %w[chmod 9 /etc],
              %w[alarm -5], %w[nonsense], []]
    fields.each { |each| Cloche.ask(*each) rescue nil }
    File.open('/dev/cloche', 'r+b') { |f| f.syswrite([1 << 31].pack('V') + 'x'); f.read }
    'end'
    """
    await run(box, code)
    assert (await run(box, "1 + 1")).value == "2"
    assert (await bash(box, "echo on")).stdout == "on\n"


async def test_damage_that_code_does_to_what_runs_it_ends_with_a_reset(box: Sandbox) -> None:
    await run(box, "class String; def b = raise('broken'); end")
    await box.reset("ruby")
    assert (await run(box, "'a'.b")).value == '"a"'


async def test_code_is_completed_checked_and_explained(box: Sandbox) -> None:
    await run(box, "numbers = [1]\ndef greet(name, loud: false) = name\nclass Tree; LEAF = 1; end")
    with anyio.fail_after(30):
        assert "numbers" in (await box.complete("numb", language="ruby")).matches
        assert "each_slice" in (await box.complete("numbers.each_s", language="ruby")).matches
        assert (await box.complete("Tree::L", language="ruby")).matches == ["LEAF"]
        assert "greet" in (await box.complete("x = gree", language="ruby")).matches
        states = {"def f": "incomplete", "f(1,": "incomplete", "x = [": "incomplete", "1 + 1": "complete"}
        states |= {"'open": "incomplete", "end": "invalid", "x = = 1": "invalid", "if true\n  1\n": "incomplete"}
        for code, state in states.items():
            assert (await box.is_complete(code, language="ruby")).status == state, code
        assert await box.inspect("greet", language="ruby") == "Object#greet(name, loud:)"
        assert await box.inspect("numbers", language="ruby") == "[1]"
        assert await box.inspect("no_such_name", language="ruby") is None


async def test_the_environment_follows(box: Sandbox) -> None:
    assert (await run(box, "ENV['COLOUR'] = 'red'\n`echo $COLOUR`")).value == '"red\\n"'


async def test_memory_is_reported_without_what_is_never_used(box: Sandbox) -> None:
    await run(box, "1")
    with anyio.fail_after(30):
        state = next(each for each in await box.languages() if each.name == "ruby")
    assert state.loaded
    assert 0 < state.memory < 200 << 20
