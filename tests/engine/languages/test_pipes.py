"""Programs in pipelines whose reader leaves: they end, and nothing else does."""

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

ENDLESS = {
    "python": "python3 -c 'while True: print(1)'",
    "javascript": "node -e 'while (true) console.log(1)'",
    "typescript": "ts -e 'while (true as boolean) console.log(1)'",
    "ruby": "ruby -e 'loop { puts 1 }'",
    "php": "php -r 'while (true) echo \"1\\n\";'",
    "lua": "lua -e 'while true do print(1) end'",
    "r": "Rscript -e 'while (TRUE) cat(\"1\\n\")'",
    "perl": "perl -e 'print \"1\\n\" while 1'",
    "scheme": "scheme -e '(let loop () (display 1) (newline) (loop))'",
    "sql": "sqlite3 :memory: 'with recursive n(x) as (select 1 union all select 1 from n) select x from n'",
}


@pytest.mark.parametrize("language", ENDLESS)
async def test_an_endless_program_ends_with_its_reader(box: Sandbox, language: str) -> None:
    result = await box.bash(f"{ENDLESS[language]} | head -2; echo ${{PIPESTATUS[@]}}", timeout=30)
    assert (result.stdout, result.stderr, result.state) == ("1\n1\n141 0\n", "", "kept")
    # The next one is not ended by what ended this one.
    again = await box.bash(f"{ENDLESS[language]} | head -c 3 | wc -c", timeout=30)
    assert (again.stdout.strip(), again.stderr) == ("3", "")


@pytest.mark.parametrize(
    "program",
    [
        'python3 -c \'print(1); print(2); open("end", "w").write("x")\'',
        'ruby -e \'puts 1; puts 2; File.write("end", "x")\'',
        'node -e \'console.log(1); console.log(2); require("fs").writeFileSync("end", "x")\'',
        'perl -e \'print "1\\n2\\n"; open F, ">", "end"; print F "x"; close F\'',
    ],
)
async def test_a_program_that_prints_little_more_does_its_work(box: Sandbox, program: str) -> None:
    result = await box.bash(f"rm -f end; {program} | head -1; echo ${{PIPESTATUS[0]}}; cat end")
    # Whether the reader is still there when the second line comes is a matter of luck, as on a real machine.
    assert (result.stdout, result.stderr) in [(f"1\n{code}\nx", "") for code in (0, 141)]


async def test_python_may_catch_the_broken_pipe(box: Sandbox) -> None:
    await box.write("careful.py", "try:\n    while True: print(1)\nexcept BrokenPipeError:\n    raise SystemExit(7)\n")
    result = await box.bash("python3 careful.py | head -1; echo ${PIPESTATUS[0]}", timeout=30)
    assert (result.stdout, result.stderr) == ("1\n7\n", "")


@pytest.mark.parametrize("language", ["javascript", "ruby", "python"])
async def test_a_cell_that_waits_for_the_pipeline_goes_on(box: Sandbox, language: str) -> None:
    command = ENDLESS["lua" if language == "ruby" else language].replace('"', '\\"')
    waiting = {
        "javascript": f'await new Promise(go => require("child_process").exec("{command} | head -1", (_, o) => go(o)))',
        "ruby": f"`{command} | head -1`",
        "python": f'import subprocess; subprocess.run("{command} | head -1", shell=True, capture_output=True).stdout',
    }
    result = await box.run(waiting[language], language=language, timeout=30)
    assert (result.error, (result.value or "").strip("b'\"")) == (None, "1\\n")
    assert (await box.run("1 + 1", language=language)).value == "2"


FLOODS = {
    "javascript": "node -e 'const a = \"x\".repeat(1 << 20); while (true) console.log(a)'",
    "php": "php -r '$a = str_repeat(\"x\", 1 << 20); while (true) echo $a;'",
    "lua": "lua -e 'local a = (\"x\"):rep(1 << 20) while true do print(a) end'",
    "ruby": "ruby -e 'a = \"x\" * (1 << 20); loop { puts a }'",
    "perl": "perl -e 'my $a = \"x\" x (1 << 20); print $a while 1'",
}


@pytest.mark.parametrize("language", FLOODS)
@pytest.mark.slow
async def test_a_program_waits_for_a_slow_reader_and_ends_with_it(box: Sandbox, language: str) -> None:
    result = await box.bash(f"{FLOODS[language]} | {{ sleep 1; head -c 3; }}; echo ${{PIPESTATUS[0]}}", timeout=60)
    assert (result.stdout, result.stderr, result.state) == ("xxx141\n", "", "kept")
    assert (await box.bash(f"{FLOODS[language]} | head -c 2")).stdout == "xx"


@pytest.mark.slow
async def test_a_reader_in_the_same_language_does_not_hold_up_its_writer(box: Sandbox) -> None:
    many = "ruby -e '100_000.times { |n| puts n }'"
    script = f"{many} | while read x; do [ $x = 99999 ] && ruby -e 'puts ARGV[0]' $x; done"
    assert (await box.bash(script, timeout=60)).stdout == "99999\n"
