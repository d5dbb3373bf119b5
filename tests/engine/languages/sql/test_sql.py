"""SQL through a real sandbox: cells, the command, databases shared with the others, what stops it and what holds it."""

import json

import anyio
import pytest

from cloche import Sandbox
from tests.engine.languages.calls import bash, cleans, runs

SOON = 2.0
"""Seconds a stopped call may take on a busy machine."""

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


run = runs("sql")
cleaned = cleans("sql", "bash")


async def test_a_result_is_shown_as_a_table_of_html_too(box: Sandbox) -> None:
    result = await run(box, "SELECT 1 AS a, '<b>' AS b, NULL AS c")
    assert result.stdout.startswith("+---+-----+------+\n| a | b   | c    |\n")
    data = result.displays[0].data
    assert data["text/plain"] == result.stdout
    assert "<th>a</th><th>b</th><th>c</th>" in data["text/html"]
    assert '<td align="right">1</td><td>&lt;b&gt;</td><td><i>NULL</i></td>' in data["text/html"]


async def test_many_rows_are_cut_and_counted(box: Sandbox) -> None:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) SELECT i FROM n"
    result = await run(box, sql)
    assert result.stdout.count("\n") == 1000 + 5
    assert result.stdout.endswith("(24000 more of 25000 rows)\n")
    assert result.displays[0].data["text/html"].count("<tr>") == 1001


SOFT = {
    "an endless query": ENDLESS,
    "endless rows": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "endless output": ".mode csv\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "a large join": "SELECT count(*) FROM t, t AS b, t AS c, t AS d, t AS e, t AS f, t AS g, t AS h",
    "a write": f"INSERT INTO t {ENDLESS}",
}


@pytest.mark.parametrize("name", SOFT)
async def test_statements_are_stopped_and_everything_stays(box: Sandbox, name: str) -> None:
    series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
    await run(box, f"CREATE TABLE t (x); INSERT INTO t {series} SELECT i FROM n; CREATE TEMP TABLE kept (y)")
    with anyio.fail_after(15):
        result = await box.run(SOFT[name], language="sql", timeout=0.5)
    assert result.timed_out
    assert result.state == "kept"
    assert result.error is not None
    assert result.error.type == "KeyboardInterrupt"
    assert result.exit_code == 130
    assert result.duration < 0.5 + SOON
    assert (await run(box, "SELECT count(*) FROM t, (SELECT count(*) FROM kept)")).value == "100"


async def test_what_cannot_be_stopped_softly_is_ended(box: Sandbox) -> None:
    search = "SELECT instr(zeroblob(30000000), CAST(zeroblob(15000000) || 'x' AS BLOB))"
    with anyio.fail_after(15):
        result = await box.run(search, language="sql", timeout=0.3)
    assert result.timed_out
    assert (await run(box, "SELECT 1")).value == "1"


async def test_the_default_database_is_made_when_it_is_written(box: Sandbox) -> None:
    await run(box, "SELECT count(*) FROM sqlite_schema")
    assert (await bash(box, "ls /workspace")).stdout == ""
    await run(box, "CREATE TABLE t (x)")
    assert (await bash(box, "ls /workspace")).stdout == "main.db\n"


async def test_python_and_sql_see_each_other_at_once(box: Sandbox) -> None:
    await run(box, "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    code = "import sqlite3\nwith sqlite3.connect('main.db') as db: db.execute('insert into t values (2)')"
    with anyio.fail_after(20):
        (await box.run(code)).check()
    assert (await run(box, "SELECT sum(x) FROM t")).value == "3"
    await run(box, "INSERT INTO t VALUES (3)")
    with anyio.fail_after(20):
        assert (await box.run("sqlite3.connect('main.db').execute('select sum(x) from t').fetchone()")).value == "(6,)"
    assert (await bash(box, "sqlite3 main.db 'select sum(x) from t; insert into t values (4)'")).stdout == "6\n"
    assert (await run(box, "SELECT sum(x) FROM t")).value == "10"


async def test_a_database_that_is_replaced_or_removed_is_noticed(box: Sandbox) -> None:
    await run(box, "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    await bash(box, "sqlite3 new.db 'create table t (x); insert into t values (7)'; mv new.db main.db")
    assert (await run(box, "SELECT x FROM t")).value == "7"
    await bash(box, "rm main.db")
    result = await run(box, "SELECT x FROM t")
    assert result.error is not None
    assert "no such table: t" in result.error.message


async def test_a_transaction_locks_out_the_command(box: Sandbox) -> None:
    await run(box, "CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (1)")
    locked = await bash(box, "sqlite3 main.db 'insert into t values (2)'")
    assert "database is locked" in locked.stderr
    assert locked.exit_code == 5
    assert (await bash(box, "sqlite3 main.db 'select count(*) from t'")).stdout == "0\n"
    await run(box, "COMMIT")
    assert (await bash(box, "sqlite3 main.db 'insert into t values (2); select count(*) from t'")).stdout == "2\n"


async def test_a_read_only_mount_can_be_read_and_not_written(box: Sandbox) -> None:
    await bash(box, "sqlite3 ro.db 'create table t (x); insert into t values (5)'")
    result = await run(box, ".open --readonly ro.db\nSELECT x FROM t;\nINSERT INTO t VALUES (6)")
    assert result.error is not None
    assert result.error.message.startswith("attempt to write a readonly database")
    assert result.error.line == 3


COMMANDS = {
    "sqlite3 :memory: 'select 1, 2'": ("1|2\n", "", 0),
    "sqlite3 db 'create table t (a); insert into t values (5)'; sqlite3 db 'select a from t'": ("5\n", "", 0),
    "echo 'select 1; select 2;' | sqlite3": ("1\n2\n", "", 0),
    "sqlite3 db < s.sql": ("7\n", "", 0),
    "sqlite3 -csv -header :memory: \"select 1 as a, 'x,y' as b\"": ('a,b\r\n1,"x,y"\r\n', "", 0),
    "sqlite3 -json :memory: 'select 1 as a'": ('[{"a":1}]\n', "", 0),
    "sqlite3 -separator ';' :memory: 'select 1, 2'": ("1;2\n", "", 0),
    "sqlite3 -line :memory: 'select 1 as a'": ("    a = 1\n", "", 0),
    "sqlite3 -markdown :memory: 'select 1 as a'": ("| a |\n|---|\n| 1 |\n", "", 0),
    "sqlite3 -table :memory: 'select 1 as a where 0'": ("", "", 0),
    "sqlite3 -cmd '.mode json' -batch :memory: 'select 1 as a'": ('[{"a":1}]\n', "", 0),
    "sqlite3 -init s.sql :memory: 'select 8'": ("7\n8\n", "", 0),
    "sqlite3 -nullvalue NIL :memory: 'select null'": ("NIL\n", "", 0),
    "sqlite3 :memory: .tables '.exit 4' 'select 1'": ("", "", 4),
    "sqlite3 :memory: 'select * from nope'": ("", "Error: in prepare, no such table: nope\n", 1),
    "echo 'select 1;\nselect * from nope;\nselect 2;' | sqlite3": (
        "1\n2\n",
        "Parse error near line 2: no such table: nope\n",
        1,
    ),
    "echo 'select * from nope;\nselect 2;' | sqlite3 -bail": ("", "Parse error near line 1: no such table: nope\n", 1),
    "sqlite3 -frob": ("", "sqlite3: Error: unknown option: -frob\nUse -help for a list of options.\n", 1),
    "sqlite3 /nowhere/db 'create table t (a)'": (
        "",
        'Error: unable to open database "/nowhere/db": unable to open database file\n',
        1,
    ),
    "cd /tmp; sqlite3 here.db 'create table t (a)'; ls here.db": ("here.db\n", "", 0),
    "sqlite3 -box :memory: \"select 'ab' as a, 'line' || char(10) || 'two' as long\"": (
        "┌────┬──────┐\n│ a  │ long │\n├────┼──────┤\n│ ab │ line │\n│    │ two  │\n└────┴──────┘\n",
        "",
        0,
    ),
    "sqlite3 :memory: '.mode insert t' \"select 1, 'it''s', null\" '.mode tcl' \"select 'a b', 2\"": (
        "INSERT INTO t VALUES(1,'it''s',NULL);\n\"a b\" \"2\"\n",
        "",
        0,
    ),
    "sqlite3 :memory: '.once f' 'select 1' 'select 2' '.output g' 'select 3' '.output' 'select 4'; cat f g": (
        "2\n4\n1\n3\n",
        "",
        0,
    ),
    "sqlite3 x.db 'create table t as select 5 as a' '.backup y.db'; sqlite3 y.db 'select a from t' '.shell echo hi'": (
        "5\nhi\n",
        "",
        0,
    ),
    "printf 'a,b\\n1,2\\n' | sqlite3 :memory: '.import --csv /dev/stdin t' 'select b from t'": ("2\n", "", 0),
    "sqlite3 :memory: 'create table t(a)' 'explain query plan select * from t union select 1'": (
        "QUERY PLAN\n`--MERGE (UNION)\n   |--LEFT\n   |  |--SCAN t\n   |  `--USE TEMP B-TREE FOR ORDER BY\n"
        "   `--RIGHT\n      `--SCAN CONSTANT ROW\n",
        "",
        0,
    ),
    "printf 'select 1;\\nselect a,\\n  nope from t;\\nselect 3;\\n' | sqlite3": (
        "1\n3\n",
        "Parse error near line 2: no such table: t\n",
        1,
    ),
    "printf '.changes on\\n.echo on\\ncreate table t(a);\\nselect b\\n  from t;\\n' | sqlite3": (
        "create table t(a);\nchanges: 0   total_changes: 0\n",
        "Parse error near line 4: no such column: b\n  select b   from t;\n         ^--- error here\n",
        1,
    ),
    "sqlite3 :memory: \"select 'b' union select 'a'\" | sort -r | tr a-z A-Z": ("B\nA\n", "", 0),
    "sqlite3 a.db 'create table t (x)'; sqlite3 a.db .dump | sqlite3 b.db; sqlite3 b.db .tables": ("t\n", "", 0),
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_command_works_as_elsewhere(box: Sandbox, command: str) -> None:
    await box.write("/workspace/s.sql", b"-- a script\nselect 7;\n")
    result = await bash(box, command)
    assert (result.stdout, result.stderr, result.exit_code) == COMMANDS[command]


async def test_the_version_is_printed(box: Sandbox) -> None:
    version = (await run(box, "SELECT sqlite_version()")).value
    assert version is not None
    assert (await bash(box, "sqlite3 -version")).stdout.startswith(f"{version} 20")
    with anyio.fail_after(10):
        told = {each.name: each.version for each in await box.languages()}["sql"]
    assert version.startswith(told)


async def test_a_command_is_stopped_too(box: Sandbox) -> None:
    with anyio.fail_after(15):
        result = await box.bash(f'sqlite3 :memory: "{ENDLESS}"', timeout=0.5)
    assert result.timed_out
    assert (await run(box, "SELECT 1")).value == "1"


async def test_code_is_completed_and_checked(box: Sandbox) -> None:
    await run(box, "CREATE TABLE customers (name, customer_number)")
    with anyio.fail_after(10):
        assert (await box.complete("SELECT * FROM cust", language="sql")).matches == ["customers", "customer_number"]
        assert (await box.complete("SELECT customers.n", language="sql")).matches == ["name"]
        assert "SELECT" in (await box.complete("SEL", language="sql")).matches
        assert "select" in (await box.complete("sel", language="sql")).matches
        assert (await box.complete(".ta", language="sql")).matches == ["tables"]
        assert (await box.is_complete("SELECT 1", language="sql")).status == "incomplete"
        assert (await box.is_complete("SELECT 'a;", language="sql")).status == "incomplete"
        assert (await box.is_complete("SELECT 1;", language="sql")).status == "complete"
        assert (await box.is_complete(".tables", language="sql")).status == "complete"


async def test_nothing_outside_can_be_reached(box: Sandbox) -> None:
    for path in ("/etc/passwd", "/proc/self/mem", "../../../etc/passwd", "file:///etc/passwd", "file:x?vfs=unix"):
        result = await run(box, f"ATTACH '{path}' AS p; SELECT count(*) FROM p.sqlite_schema")
        assert result.error is not None, path
    result = await run(box, ".read /etc/passwd")
    assert result.error is not None
    result = await run(box, ".shell echo x")
    assert result.error is not None


async def test_a_broken_file_is_an_error_and_no_more(box: Sandbox) -> None:
    await run(box, "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    data = bytearray(await box.read("/workspace/main.db"))
    for at in range(100, len(data), 7):
        data[at] = (data[at] * 31 + at) % 256
    await box.write("/workspace/broken.db", bytes(data))
    await box.write("/workspace/text.db", b"this is no database, but it is long enough to look like one" * 100)
    for name in ("broken.db", "text.db"):
        result = await run(box, f".open {name}\nSELECT * FROM t; PRAGMA integrity_check")
        assert result.error is not None
        assert result.state == "kept"
    assert (await run(box, ".open main.db\nSELECT x FROM t")).value == "1"


async def test_a_dump_makes_the_same_database_again(box: Sandbox) -> None:
    script = """CREATE TABLE "odd name" (id INTEGER PRIMARY KEY AUTOINCREMENT, "a b" TEXT, data BLOB, n REAL);
    INSERT INTO "odd name" ("a b", data, n) VALUES ('it''s', x'00ff', 0.1), (char(10), NULL, -1e300);
    CREATE VIEW v AS SELECT count(*) AS n FROM "odd name";
    CREATE TRIGGER tr AFTER DELETE ON "odd name" BEGIN SELECT 1; END;"""
    await run(box, script)
    await bash(box, "sqlite3 main.db .dump > d.sql; sqlite3 copy.db < d.sql")
    both = await bash(box, "for f in main copy; do sqlite3 $f.db .dump | sha256sum; done | uniq | wc -l")
    assert both.stdout.strip() == "1"
    rows = await bash(box, 'sqlite3 -json copy.db \'select id, "a b" as t, hex(data) as d, n from "odd name"\'')
    assert json.loads(rows.stdout) == [
        {"id": 1, "t": "it's", "d": "00FF", "n": 0.1},
        {"id": 2, "t": "\n", "d": "", "n": -1e300},
    ]
