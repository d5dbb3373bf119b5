"""jq in a real sandbox: its options, its exit codes, files and modules, and what has no end."""

import pytest

from cloche import Sandbox

PRINTED = {
    'echo \'{"b":[1,{}],"a":null}\' | jq -S .': '{\n  "a": null,\n  "b": [\n    1,\n    {}\n  ]\n}\n',
    "echo '[3,1]' | jq 'sort|unique' -c": "[1,3]\n",
    'jq -nc \'[{"a":1,"b":2},{"a":1,"b":1}] | sort_by(.a,.b) | map(.b)\'': "[1,2]\n",
    "jq -nc '.a.b[2] = 1'": '{"a":{"b":[null,null,1]}}\n',
    'jq -rn \'"aXbX" | gsub("(?<x>X)"; "<\\(.x)>")\'': "a<X>b<X>\n",
    'jq -rn \'@html "<\\("<&>")>"\'': "<&lt;&amp;&gt;>\n",
    "echo 1 2 3 | jq -nc '[inputs]'": "[1,2,3]\n",
    "jq -nc '$ARGS' --args a b": '{"positional":["a","b"],"named":{}}\n',
    "jq -nc --arg x 1 --argjson y '{\"k\":2}' '[$x, $y.k]'": '["1",2]\n',
    "A=é jq -n '$ENV.A, env.A'": '"é"\n"é"\n',
    "jq -an '\"é\"'": '"\\u00e9"\n',
    "echo '\"a b\"' | jq -r '@sh'": "'a b'\n",
    "jq -jn '1,2'": "12",
    "echo '[10,2]' | jq '.[]' | sort -n": "2\n10\n",
    "echo '[1]' | jq --tab .": "[\n\t1\n]\n",
    "echo '[1]' | jq --indent 1 .": "[\n 1\n]\n",
    "echo '{\"a\":[1]}' | jq -c --stream .": '[["a",0],1]\n[["a",0]]\n[["a"]]\n',
    "jq -n --seq 1 | od -An -tx1": " 1e 31 0a\n",
    "echo 1 | jq -C .": "\x1b[0;39m1\x1b[0m\n",
    "printf 'a\\nb' | jq -R .": '"a"\n"b"\n',
    "echo 1 2 | jq -sc .": "[1,2]\n",
    "jq -n '[limit(3; range(10))] | length'": "3\n",
    "jq . <(echo 5); jq -nc --slurpfile q <(echo 7) '$q'": "5\n[7]\n",
    "jq -n '\"2015-03-05T23:51:47Z\" | fromdate, (0 | todate)'": '1425599507\n"1970-01-01T00:00:00Z"\n',
    "TZ=Asia/Tokyo jq -n '0 | strflocaltime(\"%F %H:%M %z\")'": '"1970-01-01 09:00 +0900"\n',
    "jq -n '0 | strftime(\"%A %j %Z\")'": '"Thursday 001 UTC"\n',
    'jq -nc \'"10:20 PM, 3 Feb 2020" | strptime("%I:%M %p, %d %b %Y")\'': "[2020,1,3,22,20,0,1,33]\n",
    "jq -n 'reduce range(5000) as $_ ([]; [.]) | tojson | length'": "10002\n",
    "jq --version": "jq-1.8.2\n",
}
ENDED = {
    "echo '{}' | jq -e .x": 1,
    "echo '{\"x\":0}' | jq -e .x": 0,
    "jq -en empty": 4,
    "jq . /nowhere": 2,
    "jq '.['": 3,
    "jq -n '{} | .[0]'": 5,
    "jq -n '\"bye\" | halt_error(9)'": 9,
}


@pytest.mark.parametrize("command", PRINTED)
async def test_it_prints_what_the_real_one_does(shell: Sandbox, command: str) -> None:
    done = await shell.bash(command)
    assert (done.stdout, done.stderr, done.exit_code) == (PRINTED[command], "", 0)


@pytest.mark.parametrize("command", ENDED)
async def test_it_ends_with_the_exit_code_of_the_real_one(shell: Sandbox, command: str) -> None:
    assert (await shell.bash(command, stdin="")).exit_code == ENDED[command]


async def test_it_reads_files_and_modules_of_the_sandbox(shell: Sandbox) -> None:
    await shell.bash(
        "mkdir -p lib; echo 'def twice: . * 2;' > lib/m.jq; echo 1 > a.json; echo 2 > b.json; echo .+1 > p.jq"
    )
    names = await shell.bash("jq -c '[., input_filename]' a.json b.json")
    assert names.stdout == '[1,"a.json"]\n[2,"b.json"]\n'
    assert (await shell.bash("jq -L lib 'import \"m\" as m; m::twice' b.json")).stdout == "4\n"
    assert (await shell.bash("jq -f p.jq a.json; jq -nc --rawfile r a.json '$r'")).stdout == '2\n"1\\n"\n'


async def test_messages_go_to_stderr(shell: Sandbox) -> None:
    done = await shell.bash("jq -n '1 | debug | stderr'; jq '.[' <<< 1")
    assert done.stdout == "1\n"
    assert done.stderr.startswith('["DEBUG:",1]\n1jq: error: syntax error, unexpected end of file')


async def test_an_argument_may_be_long(shell: Sandbox) -> None:
    text = "é" * 40_000
    assert (await shell.bash(f"x={text}; jq -n --arg x $x '$x | length'")).stdout == "40000\n"


@pytest.mark.parametrize("program", ["def f: f; f", "last(range(1e12))", "range(1e12) | empty"])
async def test_what_has_no_end_is_stopped_and_the_shell_stays(shell: Sandbox, program: str) -> None:
    done = await shell.bash(f"kept=1; jq -n '{program}'", timeout=1)
    assert (done.timed_out, done.state) == (True, "kept")
    assert (await shell.bash("echo $kept; jq -n 2")).stdout == "1\n2\n"


async def test_a_reader_that_leaves_ends_it(shell: Sandbox) -> None:
    done = await shell.bash("jq -n 'range(1e12)' | head -2; echo ${PIPESTATUS[@]}", timeout=10)
    assert done.stdout == "0\n1\n141 0\n"


async def test_others_run_while_it_computes(shell: Sandbox) -> None:
    done = await shell.bash("timeout .5 jq -n 'def f: f; f'; echo $?", timeout=10)
    assert (done.stdout, done.timed_out) == ("124\n", False)
    done = await shell.bash("jq -n 'def f: f; f' & sleep .1; kill $!; wait $!; echo $?", timeout=10)
    assert (done.stdout, done.timed_out) == ("143\n", False)


async def test_it_reads_its_input_as_it_comes(shell: Sandbox) -> None:
    script = """
    (echo 1; until [ -e go ]; do sleep .01; done; echo 2) | jq --unbuffered ". + 10" | { read y; touch go; cat; }
    """
    assert (await shell.bash(script, timeout=10)).stdout == "12\n"


async def test_a_file_that_is_not_there_is_named(shell: Sandbox) -> None:
    done = await shell.bash("jq . /nowhere")
    assert done.stderr == "jq: error: Could not open file /nowhere: No such file or directory\n"


async def test_too_much_memory_fails_and_the_next_call_works(shell: Sandbox) -> None:
    done = await shell.bash("jq -n '\"x\" * 3e8 | length'; echo $?; jq -n 2", timeout=60)
    assert done.stdout == "134\n2\n"
    assert "memory" in done.stderr


async def test_data_nested_deeper_than_the_stack_is_refused_by_name_and_the_next_call_works(shell: Sandbox) -> None:
    nested = "jq -nc 'reduce range({}) as $_ (null; [.]) | tojson | fromjson | tojson | length'"
    done = await shell.bash(nested.format(4000))
    assert (done.stdout, done.exit_code) == ("8004\n", 0)
    done = await shell.bash(f"{nested.format(9900)}; echo $?; jq -n 2")
    assert done.stdout == "134\n2\n"
    assert "nested too deep: the sandbox has a stack for about 5,000 levels" in done.stderr
