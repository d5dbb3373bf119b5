"""Values of every language as plain data."""

from typing import Any

import pytest

from cloche import Sandbox
from cloche.limits import DATA_DEPTH, DATA_LIMIT, DATA_VALUES

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

CASES: dict[str, list[tuple[str, Any]]] = {
    "javascript": [
        ("({ a: [1, 2.5, null, true], b: { c: 'é\\n\"' } })", {"a": [1, 2.5, None, True], "b": {"c": 'é\n"'}}),
        ("'text'", "text"),
        ("1e300", 1e300),
        ("[]", []),
        ("null", None),
        ("[NaN]", None),
        ("Infinity", None),
        ("({ a: undefined })", None),
        ("[, 1]", None),
        ("10n", None),
        ("new Map([[1, 2]])", None),
        ("new (class A { x = 1 })", None),
        ("() => 1", None),
        ("['x'.repeat(300_000)]", None),
        ("Array(60_000).fill(0)", None),
        ("let deep = []; for (let i = 0; i < 100_000; i++) deep = [deep]; deep", None),
        ("const round = {}; round.self = round; round", None),
        ('JSON.parse(\'{"toJSON": 1, "__proto__": 2}\')', {"toJSON": 1, "__proto__": 2}),
        ("Object.assign(Object.create(null), { a: -0 })", {"a": 0}),
    ],
    "typescript": [("const point: { x: number } = { x: 1 }; point", {"x": 1})],
    "ruby": [
        ("{ 'a' => [1, 2.5, nil, true], b: { 'c' => \"é\\n\\\"\" } }", {"a": [1, 2.5, None, True], "b": {"c": 'é\n"'}}),
        ("'text'", "text"),
        ("{ state: :open }", {"state": "open"}),
        ("2**62", 2**62),
        ("2**70", None),
        ("[]", []),
        ("Float::NAN", None),
        ("{ 1 => 2 }", None),
        ("{ 'a' => 1, a: 2 }", None),
        ("[1..2]", None),
        ('["\\xff"]', None),
        ("Class.new(Array).new([1])", None),
        ("['x' * 300_000]", None),
        ("[0] * 60_000", None),
        ("deep = []; 200.times { deep = [deep] }; deep", None),
        ("round = []; round << round", None),
        ("BasicObject.new.then { [_1] } rescue [1]", [1]),
    ],
    "php": [
        (
            "['a' => [1, 2.5, null, true], 'b' => ['c' => \"é\\n\\\"\"]]",
            {"a": [1, 2.5, None, True], "b": {"c": 'é\n"'}},
        ),
        ("'text'", "text"),
        ("1.0", 1.0),
        ("[3 => 'a']", {"3": "a"}),
        ("[]", []),
        ("json_decode('{\"a\": [1]}')", {"a": [1]}),
        ("NAN", None),
        ("[new ArrayObject([1])]", None),
        ("[fn () => 1]", None),
        ('["\\xff"]', None),
        ("[str_repeat('x', 300000)]", None),
        ("range(1, 60000)", None),
        ("$deep = []; for ($i = 0; $i < 200; $i++) { $deep = [$deep]; } $deep", None),
        ("$round = []; $round[] = &$round; $round", None),
    ],
    "lua": [
        ("{ a = { 1, 2.5, true }, b = { c = 'é\\n\"' } }", {"a": [1, 2.5, True], "b": {"c": 'é\n"'}}),
        ("'text'", "text"),
        ("3.0", 3.0),
        ("math.maxinteger", 2**63 - 1),
        ("{}", []),
        ("0/0", None),
        ("1/0", None),
        ("{ 1, 2, x = 3 }", None),
        ("{ [1.5] = 1 }", None),
        ("{ print }", None),
        ("'\\xff'", None),
        ("return 1, 2", None),
        ("{ string.rep('x', 300000) }", None),
        ("deep = {} for i = 1, 200 do deep = { deep } end return deep", None),
        ("round = {} round[1] = round return round", None),
        ("setmetatable({ 1 }, { __index = print })", None),
    ],
    "r": [
        (
            "list(a = list(1L, 2.5, NULL, TRUE), b = list(c = 'é\\n\"'))",
            {"a": [1, 2.5, None, True], "b": {"c": 'é\n"'}},
        ),
        ("'text'", "text"),
        ("c(1, 2.5)", [1, 2.5]),
        ("1:3", [1, 2, 3]),
        ("c(x = 1, y = 2)", {"x": 1, "y": 2}),
        ("c(1, NA, 3)", [1, None, 3]),
        ("c('a', NA)", ["a", None]),
        ("list()", []),
        ("NaN", None),
        ("Inf", None),
        ("factor('a')", None),
        ("matrix(1:4, 2)", None),
        ("function() 1", None),
        ("list(quote(x))", None),
        ("c(a = 1, a = 2)", None),
        ("rep(0, 60000)", None),
        ("as.list(rep(0L, 50000))", [0] * 50_000),
        ("strrep('x', 300000)", None),
        ("deep <- list(); for (i in 1:200) deep <- list(deep); deep", None),
    ],
    "perl": [
        (
            '{ a => [1, 2.5, undef, 1 == 1], b => { c => "\\x{e9}\\n\\"" } }',
            {"a": [1, 2.5, None, True], "b": {"c": 'é\n"'}},
        ),
        ("'é'", "é"),
        ("'12'", "12"),
        ("12", 12),
        ("my @list = (1, 'a'); @list", [1, "a"]),
        ("our %map = (a => 1); %map", {"a": 1}),
        ("[]", []),
        ("9**9**9", None),
        ("[sub { 1 }]", None),
        ("bless {}, 'Thing'", None),
        ("[\\1]", None),
        ("['x' x 300_000]", None),
        ("[(0) x 60_000]", None),
        ("my $deep = []; $deep = [$deep] for 1 .. 200; $deep", None),
        ("our $round = []; push @$round, $round; $round", None),
    ],
    "scheme": [
        ('(list 1 2.5 #t "é\\n\\"" (vector 1 \'()))', [1, 2.5, True, 'é\n"', [1, []]]),
        ('"text"', "text"),
        ("(expt 2 62)", 2**62),
        ("(expt 2 70)", None),
        ("(/ 1 3)", None),
        ("'(a)", None),
        ("'(1 . 2)", None),
        ("(/ 1. 0.)", None),
        ("(make-vector 60000 0)", None),
        ("(let loop ((i 0) (deep '())) (if (= i 200) deep (loop (+ i 1) (list deep))))", None),
        ("(define round (list 1)) (set-cdr! round round) round", None),
    ],
    "sql": [
        ("SELECT 1 AS a, 2.5 AS b, NULL AS c, 'é' AS d", [{"a": 1, "b": 2.5, "c": None, "d": "é"}]),
        ("VALUES (1), (2)", [{"column1": 1}, {"column1": 2}]),
        ("SELECT 1 AS a WHERE 0", []),
        ("SELECT 1 AS a, 2 AS a", None),
        ("SELECT x'00' AS a", None),
        ("SELECT 9e999 AS a", None),
        ("SELECT printf('%.*c', 5000, 'x') AS a", None),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 2000) SELECT n FROM t", None),
        ("CREATE TABLE t(a)", None),
    ],
}
BRIEF = "get_ipython().display_formatter.formatters['text/plain'].for_type(list, lambda _, p, __: p.text('many'))\n"
# One long text in many places, as a value and as a name: short in memory, and as it is shown, but not as JSON.
SHARED = {
    ("python", "value"): BRIEF + "['x' * 262_144] * 50_000",
    ("python", "name"): BRIEF + "[{'x' * 262_144: 0}] * 25_000",
    ("javascript", "value"): "Array(50_000).fill('x'.repeat(262_144))",
    ("javascript", "name"): "Array(50).fill({ ['x'.repeat(262_144)]: 0 })",
    ("ruby", "value"): "['x' * 262_144] * 50",
    ("ruby", "name"): "[{ 'x' * 262_144 => 0 }] * 50",
    ("php", "value"): "array_fill(0, 50000, str_repeat('x', 262144))",
    ("php", "name"): "array_fill(0, 25000, [str_repeat('x', 262144) => 0])",
    ("lua", "value"): "t, s = {}, ('x'):rep(262144) for i = 1, 50000 do t[i] = s end return t",
    ("lua", "name"): "t, s = {}, { [('x'):rep(262144)] = 0 } for i = 1, 25000 do t[i] = s end return t",
    ("r", "value"): "options(max.print = 2); rep(strrep('x', 262144), 50000)",
    ("r", "name"): "options(max.print = 2); x <- rep(0, 50000); names(x) <- rep(strrep('x', 262144), 50000); x",
    ("perl", "value"): "[('x' x 262_144) x 50]",
    ("perl", "name"): "[({ 'x' x 262_144, 0 }) x 25_000]",
    ("scheme", "value"): "(make-vector 50000 (make-string 262144 #\\x))",
    ("sql", "value"): (
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 900) "
        "SELECT printf('%.*c', 1000, 'x') AS a FROM t"
    ),
}
AFTER = {"sql": ("SELECT 2 AS a",), "scheme": ("(+ 1 1)",)}
ALL = [(language, code, data) for language, cases in CASES.items() for code, data in cases]

HOSTILE = {
    "ruby": (
        "class Array; def to_json(*) = puts('to_json'); def to_s = puts('to_s'); end\n"
        "x = [1]\ndef x.each = puts('each')\ndef x.class = puts('class')\n[x, 2]",
        [[1], 2],
    ),
    "php": (
        "class J implements JsonSerializable { function jsonSerialize(): mixed { echo 'json'; return 1; } }\n[new J]",
        None,
    ),
    "lua": ("setmetatable({}, { __pairs = function() print('pairs') end, __len = function() print('len') end })", None),
    "perl": (
        "package T { sub TIEARRAY { bless [] } sub FETCH { 1 } sub FETCHSIZE { 0 } }\ntie my @t, 'T'; [\\@t]",
        None,
    ),
}


@pytest.mark.parametrize(("language", "code", "data"), ALL)
async def test_plain_values_come_as_data(box: Sandbox, language: str, code: str, data: Any) -> None:
    result = await box.run(code, language=language, timeout=60)
    assert (result.state, result.error) == ("kept", None)
    assert result.data == data
    assert type(result.data) is type(data)


@pytest.mark.parametrize("language", HOSTILE)
async def test_nothing_of_the_value_is_called(box: Sandbox, language: str) -> None:
    code, data = HOSTILE[language]
    result = await box.run(code, language=language, check=True)
    assert (result.stdout, result.data) == ("", data)


@pytest.mark.parametrize(
    "value",
    [
        "{ get a() { console.log('getter'); return 1 } }",
        "Object.defineProperty([1], 0, { get() { console.log('getter'); return 1 }, enumerable: true })",
        "{ toJSON() { console.log('toJSON'); return 1 } }",
    ],
)
async def test_nothing_of_an_object_is_called(box: Sandbox, value: str) -> None:
    result = await box.run(f"const hostile = {value}; [hostile].length === 1 && [[[[hostile]]]]", language="javascript")
    assert (result.stdout, result.error, result.data) == ("", None, None)


async def test_nothing_of_all_lists_is_called(box: Sandbox) -> None:
    hostile = "Array.prototype.toJSON = function () { console.log('toJSON'); return 1 }; [1]"
    result = await box.run(hostile, language="javascript", check=True)
    assert (result.stdout, result.data) == ("", None)
    result = await box.run("delete Array.prototype.toJSON; [1]", language="javascript", check=True)
    assert result.data == [1]


async def test_traps_are_called_no_more_than_by_what_shows_a_value(box: Sandbox) -> None:
    trap = "const seen = []; const p = new Proxy({ a: 1 }, { get(t, k) { seen.push(k); return t[k] }, "
    trap += "getPrototypeOf() { throw new Error('trap') } });\n[[[[p]]]]"
    result = await box.run(trap, language="javascript", check=True)
    assert result.data is None
    assert (await box.run("seen.length", language="javascript")).data == 0


@pytest.mark.parametrize(
    ("language", "many", "deep", "long"),
    [
        ("python", "[0] * {}", "x = []\nfor _ in range({}): x = [x]\nx", "'x' * {}"),
        ("javascript", "Array({}).fill(0)", "let x = []; for (let i = 0; i < {}; i++) x = [x]; x", "'x'.repeat({})"),
        ("ruby", "[0] * {}", "x = []; {}.times {{ x = [x] }}; x", "'x' * {}"),
        (
            "php",
            "array_fill(0, {}, 0)",
            "$x = []; for ($i = 0; $i < {}; $i++) {{ $x = [$x]; }} $x",
            "str_repeat('x', {})",
        ),
        (
            "lua",
            "x = {{}} for i = 1, {} do x[i] = 0 end return x",
            "x = {{}} for i = 1, {} do x = {{ x }} end return x",
            "('x'):rep({})",
        ),
        ("r", "rep(0L, {})", "x <- list(); for (i in 1:{}) x <- list(x); x", "strrep('x', {})"),
        ("perl", "[(0) x {}]", "my $x = []; $x = [$x] for 1 .. {}; $x", "'x' x {}"),
    ],
)
async def test_every_language_has_the_same_limits(box: Sandbox, language: str, many: str, deep: str, long: str) -> None:
    for code, most in ((many, DATA_VALUES), (deep, DATA_DEPTH - 1), (long, DATA_LIMIT - 2)):
        fits, not_any_more = [await box.run(code.format(most + more), language=language, timeout=60) for more in (0, 1)]
        assert fits.data is not None, code
        assert not_any_more.data is None, code


@pytest.mark.parametrize(("language", "name"), SHARED)
@pytest.mark.slow
async def test_a_text_that_is_there_often_counts_each_time(box: Sandbox, language: str, name: str) -> None:
    result = await box.run(SHARED[language, name], language=language, timeout=60)
    assert (result.state, result.error, result.data) == ("kept", None, None)
    assert result.value or result.stdout
    again = await box.run(*AFTER.get(language, ("1 + 1",)), language=language, timeout=60)
    assert (again.error, again.data) == (None, [{"a": 2}] if language == "sql" else 2)


@pytest.mark.parametrize("data", ["'\"' + 'x' * 300_000 + '\"'", "[1]", "''"])
async def test_what_a_guest_says_its_data_is_has_the_limits_too(box: Sandbox, data: str) -> None:
    result = await box.run(f"get_ipython().displayhook.data = {data}")
    assert (result.state, result.error, result.data) == ("kept", None, None)


async def test_a_vector_that_is_too_long_is_not_read(box: Sandbox) -> None:
    result = await box.run("1:1e9", language="r", timeout=60)
    assert (result.state, result.error, result.data) == ("kept", None, None)
