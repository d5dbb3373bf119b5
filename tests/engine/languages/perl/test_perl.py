"""Perl through a real sandbox: cells, the command and its switches, commands it runs, what stops and what holds it."""

from pathlib import Path

import anyio
import pytest

from cloche import Sandbox, Text
from cloche.sandbox.languages import languages
from tests.engine.languages.calls import bash, cleans, runs

SOON = 3.0
"""Seconds a stopped call may take on a busy machine."""


run = runs("perl")
cleaned = cleans("perl", "bash")


SWITCHES = {
    "perl -e 'print \"@ARGV\\n\"' a 'b c'": "a b c\n",
    "printf 'a b\\nc d\\n' | perl -lane 'print $F[1]'": "b\nd\n",
    "printf 'a:b\\n' | perl -F: -ane 'print $F[1]'": "b\n",
    "printf 'one\\ntwo\\n' | perl -ne 'print if /t/'": "two\n",
    "printf 'one\\n' | perl -pe 's/o/0/; END { print qq(end\\n) }'": "0ne\nend\n",
    "perl -MList::Util=sum -E 'say sum 1 .. 4'": "10\n",
    "perl -0777 -ne 'print length' <<< 'abc'": "4",
    "perl -s -e 'print $x' -- -x=5": "5",
    "printf 'a\\nb\\n' > f; perl -pi -e 's/a/x/' f 2>&1; perl -i.b -ne 'print uc' f 2>&1; cat f f.b": "X\nB\nx\nb\n",
    "perl -we 'my @t = times; print scalar(@t), qq(\\n)' 2>&1": "4\n",
    "perl -we 'my @c = qw(printf %s- a); system { $c[0] } @c, q(b c); exec {q(echo)} qw(echo bye)' 2>&1": "a-b c-bye\n",
    "echo 'my $p = q(echo); system $p qw(echo hi); print <DATA>;\n__DATA__\nsystem { a } b' > s.pl; perl s.pl": (
        "hi\nsystem { a } b\n"
    ),
    "echo 'print \"from stdin @ARGV\"' | perl - 1": "from stdin 1",
    "perl -we 'my $x; print $x + 1' 2>&1": "Use of uninitialized value $x in addition (+) at -e line 1.\n1",
    "perl -v | grep -c 'This is perl 5'": "1\n",
    "perl -c -e 1 2>&1; echo $?": "-e syntax OK\n0\n",
    "perl -Mstrict -e '$x = 1' 2>/dev/null; echo $?": "255\n",
    "perl none.pl; echo $?": "2\n",
    "perl -e 'exit 300'; echo $?": "44\n",
    "perl -e 'die qq(gone\\n)' 2>&1; echo $?": "gone\n255\n",
    "cd /tmp; perl -MCwd -e 'print getcwd'": "/tmp",
    "A=1 perl -e 'print $ENV{A}'": "1",
    "perl -e '$| = 0; print 1; exec q(echo 2)'": "12\n",
    "perl -e 'print qq(x\\n) x 1e6 while 1' | head -1": "x\n",
}


@pytest.mark.parametrize("command", SWITCHES)
async def test_the_command_has_its_switches(box: Sandbox, command: str) -> None:
    assert (await bash(box, command)).stdout == SWITCHES[command]


async def test_files_are_edited_in_place(box: Sandbox) -> None:
    await box.write("a.txt", "one\ntwo\n")
    await bash(box, "perl -i.bak -pe 's/one/ONE/' a.txt")
    assert await box.read("a.txt") == b"ONE\ntwo\n"
    assert await box.read("a.txt.bak") == b"one\ntwo\n"


async def test_a_script_finds_itself_and_its_end(box: Sandbox) -> None:
    await box.write(
        "s.pl", '#!/usr/bin/perl -w\nuse strict;\nprint "$0 @ARGV ", <DATA>;\nEND { $? = 9 }\n__END__\ndata\n'
    )
    result = await bash(box, "chmod +x s.pl; perl s.pl 1; echo $?; ./s.pl 2 | tail -1")
    assert result.stdout == "s.pl 1 data\n9\n./s.pl 2 data\n"


async def test_errors_of_a_program_are_perls_own(box: Sandbox) -> None:
    await box.write("s.pl", "use strict;\nsub f { die 'oh' }\nf();\n")
    result = await bash(box, "perl s.pl")
    assert (result.stderr, result.exit_code) == ("oh at s.pl line 2.\n", 255)


async def test_objects_clean_up_and_buffers_are_written_at_the_end(box: Sandbox) -> None:
    code = (
        "package A; sub DESTROY { eval { die }; print 'gone' } our $o = bless []; open F, '>x'; print F 'kept'; exit 4"
    )
    await box.write("a.pl", code)
    result = await bash(box, 'perl a.pl; echo " $?"; cat x')
    assert result.stdout == "gone 4\nkept"


@pytest.mark.slow
async def test_perls_that_start_perls_come_to_an_end(box: Sandbox) -> None:
    await box.write("r.pl", "system($^X, 'r.pl'); print $? >> 8, ' ';")
    result = await bash(box, "perl r.pl")
    assert result.stdout == "126 " + "0 " * 8
    assert "waiting for each other" in result.stderr


async def test_programs_share_nothing_with_cells(box: Sandbox) -> None:
    await run(box, "our $x = 1;")
    assert (await bash(box, "perl -e 'our $x; print defined $x ? 1 : 0'")).stdout == "0"
    assert (await run(box, "$x")).value == "1"


async def test_commands_run_in_bash(box: Sandbox) -> None:
    code = r"""
        print `echo out; echo err >&2`;
        my @lines = `printf 'a\nb\n'`;
        print scalar(@lines), " ", system("echo live; exit 3") >> 8, "\n";
        system("sh", "-c", 'echo "$1"', "x", 'a  $b');
        open(my $in, "-|", "printf", "%s\n", 1, 2) or die; print "read $_" while <$in>; close $in;
        open(my $out, "| sort -r") or die; print $out "a\nb\n"; close $out;
        close(do { open(my $f, "-|", "exit 4"); $f }); print $? >> 8, "\n";
        $ENV{SEEN} = "by it"; chdir "/tmp"; print `echo \$SEEN; pwd`;
    """
    result = await run(box, code)
    assert result.error is None
    assert result.stdout == "out\n2 live\n3\na  $b\nread 1\nread 2\nb\na\n4\nby it\n/tmp\n".replace(
        "2 live\n3", "live\n2 3"
    )
    assert result.stderr == "err\n"


async def test_perl_starts_perl(box: Sandbox) -> None:
    result = await run(
        box, """print `perl -e "print 42"`; system($^X, '-e', 'print "@ARGV"; exit 2', 'x y'); $? >> 8"""
    )
    assert (result.stdout, result.value) == ("42x y", "2")


async def test_modes_of_files_are_set(box: Sandbox) -> None:
    await run(box, "open my $f, '>', 'x'; close $f; chmod(0751, 'x') == 1 or die; chmod(0600, 'none') == 0 or die")
    assert (await bash(box, "stat -c %a x")).stdout == "751\n"


async def test_input_is_asked_for(box: Sandbox) -> None:
    answers = iter(["Ada", "Bob"])

    def answer(_: str) -> str | None:
        return next(answers, None)

    with anyio.fail_after(20):
        code = "print 'name? '; while (my $n = <STDIN>) { print \"hi $n\" }"
        result = await box.run(code, language="perl", on_input=answer)
    assert result.stdout == "name? hi Ada\nhi Bob\n"
    with anyio.fail_after(20):
        assert (await box.bash("perl -pe '$_ = uc'", on_input=lambda _: None)).stdout == ""
    assert (await bash(box, "perl -e 'print defined <STDIN> ? 1 : 0'")).stdout == "0"


async def test_output_comes_while_it_runs(box: Sandbox) -> None:
    with anyio.fail_after(20):
        async for event in box.stream("print 'first'; sleep 60;", language="perl", timeout=5):
            if isinstance(event, Text):
                assert event.text == "first"
                break


WAITS = {
    "a sleep": "sleep 60",
    "a command": "system('sleep 60')",
    "a pipe": "open my $p, '-|', 'sleep 60'",
}


@pytest.mark.parametrize("name", WAITS)
async def test_a_wait_is_stopped_and_the_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "my $x = 41;")
    with anyio.fail_after(20):
        result = await box.run(WAITS[name], language="perl", timeout=0.5)
    assert result.timed_out
    assert (result.state, result.exit_code) == ("kept", 130)
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert (await run(box, "$x + 1")).value == "42"


LOOPS = {
    "a loop": "1 while 1",
    "a loop in a sub in an eval": "sub f { for (;;) { $n++ } } eval { f() }; 1",
    "a recursion": "sub g { my $n = shift; $n < 2 ? $n : g($n - 1) + g($n - 2) } g(60)",
    "a comparison": "my @l = sort { 1 while 1 } 1, 2",
    "prints": "print 'x' x 1000, \"\\n\" while 1",
    "a pattern": "('a' x 100) =~ /^(?:(a)|(aa))+\\2[bc]/",
    "a map": "map { $_ * 2 while 1 } 1 .. 3",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
async def test_a_computation_is_stopped_and_the_state_stays(box: Sandbox, name: str) -> None:
    await run(box, "my $x = 41;")
    for _ in range(2):
        with anyio.fail_after(20):
            result = await box.run(LOOPS[name], language="perl", timeout=0.5)
        assert result.timed_out
        assert (result.state, result.exit_code) == ("kept", 130)
        assert result.error is not None
        assert result.error.type == "KeyboardInterrupt"
        assert (await run(box, "eval { die 7 }; 1 for 1 .. 100_000; $x + 1")).value == "42"


STUCK = {
    "an eval in a loop": "while (1) { eval { 1 while 1 } }",
    "a sleep that is tried again": "while (1) { eval { sleep 1 } }",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUCK)
async def test_what_does_not_stop_is_ended_and_said_to_be(box: Sandbox, name: str) -> None:
    await run(box, "my $x = 41;")
    with anyio.fail_after(20):
        result = await box.run(STUCK[name], language="perl", timeout=0.5)
    assert result.timed_out
    assert result.state == "lost"
    assert result.duration < 0.5 + SOON
    assert (await run(box, "defined $x ? 1 : 0")).value == "0"


async def test_a_program_that_is_stopped_leaves_the_cells_alone(box: Sandbox) -> None:
    await run(box, "my $x = 41;")
    with anyio.fail_after(20):
        result = await box.bash("perl -e '1 while 1'", timeout=0.5)
    assert result.timed_out
    assert (await run(box, "$x + 1")).value == "42"


@pytest.mark.slow
async def test_too_much_memory_ends_it_with_the_reason(box: Sandbox) -> None:
    result = await run(box, "my @l; push @l, 'x' x 1_000_000 . $_ for 1 .. 1000;")
    assert result.error is not None
    assert (result.error.type, result.state) == ("MemoryError", "lost")
    assert f"{languages()['perl'].memory} MB" in result.error.message
    failed = await bash(box, "perl -e 'my @l; push @l, (\"x\" x 1_000_000) . $_ for 1 .. 1000'; echo $?")
    assert "Out of memory" in failed.stderr
    assert failed.stdout == "1\n"


@pytest.mark.slow
async def test_each_perl_has_its_own_chance_time_and_environment() -> None:
    code = "join q( ), $ENV{A}, time - $^T < 60, $ENV{HOME}, rand"
    answers: list[list[str]] = []
    for name in ("one", "two"):
        async with Sandbox(env={"A": name}) as box:
            answers.append(str((await run(box, code)).value).split(" "))
    assert [answer[:3] for answer in answers] == [[name, "1", "/home/user"] for name in ("one", "two")]
    assert answers[0][3] != answers[1][3]


@pytest.mark.slow
async def test_variables_that_perl_reads_as_it_starts_are_read() -> None:
    async with Sandbox(env={"PERL5LIB": "/workspace/mine"}) as box:
        await box.write("/workspace/mine/Mine.pm", "package Mine; sub x { 7 } 1;")
        assert (await run(box, "use Mine; Mine::x()")).value == "7"


async def test_completion_and_what_is_not_finished(box: Sandbox) -> None:
    await run(box, "my $counter = 1; my @columns; sub compute { }")
    assert (await box.complete("$cou", language="perl")).matches == ["counter"]
    assert (await box.complete("print comp", language="perl")).matches == ["compute"]
    assert (await box.is_complete("sub f {", language="perl")).status == "incomplete"
    assert (await box.is_complete("sub f { 1 }", language="perl")).status == "complete"


async def test_modules_of_the_workspace_are_found(box: Sandbox) -> None:
    await box.write("lib/My/Thing.pm", "package My::Thing;\nsub fail { die 'inside' }\n1;\n")
    result = await run(box, "use lib 'lib';\nuse My::Thing;\nMy::Thing::fail();")
    assert result.error is not None
    assert result.error.message == "inside at lib/My/Thing.pm line 2."
    assert result.error.line == 3


ESCAPES = {
    "files of the host": "my $ok = open(my $f, '<', '/etc/passwd'); $ok ? 'seen' : 'no'",
    "climbing": "my $ok = open(my $f, '<', '/workspace/../../../../etc/passwd'); $ok ? 'seen' : 'no'",
    "a link": "symlink('/etc/passwd', 'l'); my $ok = open(my $f, '<', 'l'); $ok ? 'seen' : 'no'",
    "processes": "-e '/proc/self/environ' ? 'seen' : 'no'",
    "the host's environment": "exists $ENV{CLOCHE_CACHE} ? 'seen' : 'no'",
    "its own library": "my $ok = open(my $f, '>', '/usr/share/perl5/POSIX.pm'); $ok ? 'seen' : 'no'",
    "requests without sense": "open(my $h, '+<', '/dev/host'); syswrite $h, $_ for '', chr(255) x 9, 'x' x 1e5; 'no'",
    "numbers of files": "Cloche::ask('duplicate', $_, 1e9) for -1, 3, 1e9; 'no'",
    "sockets": "eval { require Socket; 1 } ? 'seen' : 'no'",
}


@pytest.mark.parametrize("name", ESCAPES)
async def test_nothing_outside_is_reached(box: Sandbox, name: str) -> None:
    assert (await run(box, ESCAPES[name])).value == "no"


async def test_nothing_of_the_host_is_named(box: Sandbox, tmp_path: Path) -> None:
    result = await run(box, "open(my $f, '<', 'none') or die $!; ")
    shown = f"{result.error}{(await run(box, 'join chr 10, %INC, @INC, %ENV')).value}"
    assert str(tmp_path.parts[1]) + "/w" not in shown
    assert "file:" not in shown
