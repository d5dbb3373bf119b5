"""What a result gives besides its fields: plain data, tables, and what a notebook shows."""

import pytest

from cloche import CodeFailure, Display, Result, Sandbox
from cloche.sandbox.results.result import Stream
from tests.sandbox.conftest import OpenBox

SCRIPT = "<script>alert(1)</script>"
PICTURE = Display("result", {"text/plain": "<Figure>", "image/png": "aGk=\n", "text/html": SCRIPT})
TABLE = Display("display", {"text/html": f"<table><tr><th>a</th></tr><tr><td>1{SCRIPT}</td></tr></table>"})


def result(
    *,
    output: list[tuple[Stream, str]] | None = None,
    displays: list[Display] | None = None,
    error: CodeFailure | None = None,
    value: str | None = None,
    json: str | None = None,
) -> Result:
    return Result("python", value, "", "", output or [], displays or [], error, 0, False, "kept", 0.1, json=json)


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("{'a': [1, 2.5, None, True], 'b': {'c': 'é'}}", {"a": [1, 2.5, None, True], "b": {"c": "é"}}),
        ("(1, 2)", [1, 2]),
        ("'text'", "text"),
        ("2**62", 2**62),
        ("2**70", None),
        ("float('nan')", None),
        ("{1: 2}", None),
        ("{'a': object()}", None),
        ("['x' * 300_000]", None),
        ("[0] * 60_000", None),
        ("x = []\nfor i in range(200): x = [x]\nx", None),
        ("x = []; x.append(x); x", None),
        ("type('D', (dict,), {})(a=1)", None),
        ("1;", None),
    ],
)
async def test_plain_values_come_as_data(box: Sandbox, code: str, data: object) -> None:
    assert (await box.run(code, check=True)).data == data


async def test_data_is_of_the_last_expression_only(box: Sandbox) -> None:
    assert (await box.run("[1]")).data == [1]
    assert (await box.run("x = 1")).data is None
    assert (await box.run("1/0")).data is None
    assert (await box.bash("echo 1")).data is None


async def test_a_value_that_is_nested_too_deep_is_a_recursion_error(box: Sandbox) -> None:
    result = await box.run("deep = []\nfor _ in range(100_000): deep = [deep]\ndeep", timeout=60)
    assert result.error is not None
    assert (result.error.type, result.state, result.data) == ("RecursionError", "kept", None)
    assert (await box.run("len(deep)")).value == "1"


async def test_results_of_sql_come_as_tables(open_box: OpenBox) -> None:
    box = await open_box(languages=["sql"])
    (table,) = (await box.run("SELECT 1 AS a, '<b>' AS b", language="sql", check=True)).tables
    assert (table.columns, table.rows) == (["a", "b"], [["1", "<b>"]])


def test_data_that_is_no_json_is_none() -> None:
    assert result(json="{").data is None
    assert result(json="[" * 100_000 + "]" * 100_000).data is None


PANDAS = """
class Frame:
    def _repr_html_(self):
        rows = [f"<tr><th>{i}</th><td>{v}</td></tr>" for i, v in [(0, "NaN"), (1, 0.5)]]
        rows.append("<tr><th>...</th><td>...</td></tr><tr><th>9999</th><td>1.5</td></tr>")
        head = '<thead><tr style="text-align: right;"><th></th><th>a</th></tr></thead>'
        table = f'<table border="1" class="dataframe">{head}<tbody>{"".join(rows)}</tbody></table>'
        return f"<div><style scoped>td {{ color: red }}</style>{table}<p>10000 rows &times; 1 columns</p></div>"
Frame()
"""


async def test_a_data_frame_of_many_rows_says_how_many(box: Sandbox) -> None:
    (table,) = (await box.run(PANDAS, check=True)).tables
    assert (table.columns, table.rows) == (["", "a"], [["0", "NaN"], ["1", "0.5"], ["9999", "1.5"]])
    assert (table.cut, table.total_rows) == (True, 10_000)


@pytest.mark.slow
async def test_a_data_frame_of_r_says_how_many_rows_it_has(box: Sandbox) -> None:
    (table,) = (await box.run("data.frame(a = 1:10000, b = 'x')", language="r", check=True)).tables
    assert (table.columns, table.rows[59]) == (["", "a", "b"], ["60", "60", "x"])
    assert (len(table.rows), table.cut, table.total_rows) == (60, True, 10_000)
    (table,) = (await box.run("data.frame(a = c(1, NA), b = factor(c('<x>', NA)))", language="r", check=True)).tables
    assert (table.rows, table.cut, table.total_rows) == ([["1", "1", "<x>"], ["2", "NA", "NA"]], False, None)
    (table,) = (await box.run("as.data.frame(matrix(0, 2, 40))", language="r", check=True)).tables
    assert (len(table.rows[0]), table.cut, table.total_rows) == (31, True, 2)


async def test_a_result_of_sql_says_how_many_rows_it_has(box: Sandbox) -> None:
    code = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10000) SELECT n FROM t"
    (table,) = (await box.run(code, language="sql", check=True)).tables
    assert (table.rows[0], table.cut, table.total_rows) == (["1"], True, 10_000)


def test_a_notebook_shows_output_pictures_and_tables_and_no_script_of_the_code() -> None:
    shown = result(output=[("stdout", f"out {SCRIPT}\n")], displays=[PICTURE, TABLE], value="<Figure>")
    bundle = shown._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] - the name that notebooks ask for
    assert bundle["text/plain"] == f"out {SCRIPT}\n<Figure>"
    assert "<script" not in bundle["text/html"]
    assert '<img src="data:image/png;base64,aGk=">' in bundle["text/html"]
    assert "<th>a</th>" in bundle["text/html"]
    assert "out &lt;script" in bundle["text/html"]


def test_a_notebook_shows_text_as_text_and_why_code_failed() -> None:
    failed = result(output=[("stdout", "a\n")], error=CodeFailure("E", "m", traceback="Traceback: E: m\n"))
    assert failed._repr_mimebundle_() == {"text/plain": "a\nTraceback: E: m"}  # pyright: ignore[reportPrivateUsage] - as above


@pytest.mark.parametrize("code", ['aGk=" onerror="alert(1)', "", "ä"])
def test_a_picture_that_is_none_is_not_shown(code: str) -> None:
    bundle = result(displays=[Display("display", {"image/png": code})])._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] - as above
    assert "text/html" not in bundle


def test_a_picture_that_is_none_is_left_out_at_once() -> None:
    hostile = Display("display", {"image/png": "A" + " " * 8_000_000 + "!"})
    assert "text/html" not in result(displays=[hostile])._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] - as above
