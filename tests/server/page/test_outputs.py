"""What code shows, in the page: each type by its renderer, whether it is whole or broken, short or long."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.page.conftest import NewSession, OpenPage, run_code, run_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PNG = """
import struct, zlib
def png(width, height):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    pixels = lambda y: b"".join(bytes((x * 255 // width, y * 255 // height, 120)) for x in range(width))
    rows = b"".join(b"\\0" + pixels(y) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
"""
FRAME = """
rows = "".join(f"<tr><th>{at}</th><td>name {at % 7}</td><td>{(at * 37) % 1000 / 10}</td></tr>" for at in range(120))
head = '<tr style="text-align: right;"><th></th><th>name</th><th>price</th></tr>'
table = f'<table border="1" class="dataframe"><thead>{head}</thead><tbody>{rows}</tbody></table>'
HTML(f"<div>{table}<p>120 rows &times; 2 columns</p></div>")
"""
CHART: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "data": {"values": [{"a": "A", "b": 28}, {"a": "B", "b": 55}, {"a": "C", "b": 43}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "a", "type": "nominal"},
        "y": {"field": "b", "type": "quantitative"},
        "tooltip": {"field": "b"},
    },
}
IMPORTS = "from IPython.display import HTML, Markdown, Latex, SVG, JSON, Image, display\n"


def show(bundle: dict[str, Any]) -> dict[str, Any]:
    """The cell that displays this."""
    return run_python(f"from IPython.display import display\ndisplay({bundle!r}, raw=True)")


async def open_outputs(open_page: OpenPage, sid: str, **look: Any) -> tuple[Page, Locator]:
    """The page with the tab of outputs open."""
    page = await open_page(f"/s/{sid}", **look)
    await page.get_by_role("tab", name="Outputs").click()
    return page, page.locator("section[aria-label=Workspace]")


async def test_pictures_have_their_size_and_are_shown_whole(open_page: OpenPage, new_session: NewSession) -> None:
    svg = '<svg width="80" height="40"><script>alert(1)</script><rect width="80" height="40" fill="teal"/></svg>'
    sid = await new_session(
        run_python(f"{IMPORTS}{PNG}\ndisplay(Image(png(300, 200)))"), run_python(f"{IMPORTS}SVG('''{svg}''')")
    )
    page, outputs = await open_outputs(open_page, sid)
    await expect(outputs.get_by_text("image/png, 300 \u00d7 200")).to_be_visible()
    await expect(outputs.get_by_text("image/svg+xml, 80 \u00d7 40")).to_be_visible()
    assert await outputs.locator("svg").count() == 0
    await outputs.get_by_role("button", name="Show the picture whole (image/png").click()
    await expect(page.get_by_role("dialog").get_by_alt_text("The picture whole")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_data_frame_sorts_and_has_pages(open_page: OpenPage, new_session: NewSession) -> None:
    _, outputs = await open_outputs(open_page, await new_session(run_python(IMPORTS + FRAME)))
    await expect(outputs.get_by_text("rows 1 to 50 of 120")).to_be_visible()
    await expect(outputs.get_by_text("120 rows \u00d7 2 columns")).to_be_visible()
    await outputs.get_by_role("button", name="Next rows").click()
    await expect(outputs.get_by_text("rows 51 to 100 of 120")).to_be_visible()
    price = outputs.get_by_role("button", name="Sort by price")
    await price.click()
    await expect(outputs.locator("tbody tr").first).to_contain_text("0name 00.0")
    await price.press("Enter")
    await expect(outputs.locator("th[aria-sort=descending]")).to_contain_text("price")
    await expect(outputs.locator("tbody tr").first.locator("td").last).to_have_text("99.9")
    assert await outputs.locator("iframe").count() == 0


async def test_results_of_sql_and_r_are_tables(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(run_code("sql", "create table t(a, b); insert into t values (1, 'x<y'); select * from t"))
    _, outputs = await open_outputs(open_page, sid)
    await expect(outputs.get_by_role("cell", name="x<y")).to_be_visible()


async def test_markdown_formulas_and_charts(open_page: OpenPage, new_session: NewSession) -> None:
    text = "# Title\n\n- one $x^2$\n\n<script>alert(1)</script><img src=x onerror=alert(1)>[link](javascript:alert(1))"
    sid = await new_session(
        run_python(f"{IMPORTS}display(Markdown({text!r}))\ndisplay(Latex(r'$$\\frac{{1}}{{2}}$$'))"),
        show({"application/vnd.vegalite.v5+json": CHART, "text/plain": "chart"}),
    )
    _, outputs = await open_outputs(open_page, sid)
    await expect(outputs.get_by_role("heading", name="Title")).to_be_visible()
    await expect(outputs.locator(".markdown .katex")).to_have_count(1)
    await expect(outputs.locator(".latex .katex-display")).to_have_count(1)
    await expect(outputs.locator(".vega-output canvas")).to_be_visible()
    assert await outputs.locator(".markdown script, .markdown img, .markdown a[href^=javascript]").count() == 0


async def test_a_chart_loads_nothing_and_says_so(
    open_page: OpenPage, new_session: NewSession, page_errors: list[str]
) -> None:
    options = {"embedOptions": {"loader": {"target": "_blank"}, "ast": False, "actions": True}}
    chart = CHART | {"data": {"url": "/api/sessions"}, "usermeta": options}
    _, outputs = await open_outputs(open_page, await new_session(show({"application/vnd.vegalite.v5+json": chart})))
    await expect(outputs.get_by_text("a chart may load nothing")).to_be_visible()
    assert page_errors == []


async def test_data_is_a_tree_and_records_are_a_table(open_page: OpenPage, new_session: NewSession) -> None:
    tree = {"name": "glass", "many": list(range(1000)), "deep": {"a": {"b": None}}}
    records = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    sid = await new_session(show({"application/json": tree}), show({"application/json": records}))
    _, outputs = await open_outputs(open_page, sid)
    await outputs.get_by_role("button", name="many").click()
    await expect(outputs.get_by_text("Show more: 900 are left")).to_be_visible()
    await expect(outputs.get_by_role("cell", name="y")).to_be_visible()
    await outputs.get_by_role("button", name="Show as a tree").click()
    await expect(outputs.get_by_role("button", name="Show as a table")).to_be_visible()


async def test_tracebacks_show_the_users_lines_and_fold_libraries(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(
        run_python("import json\ndef f(x):\n    return json.loads(x)\nf('{bad')"),
        run_code("ruby", "def f\n  1/0\nend\nf"),
        run_code("javascript", "function f(){ throw new TypeError('no') }\nf()"),
    )
    _, outputs = await open_outputs(open_page, sid)
    await expect(outputs.get_by_text("JSONDecodeError", exact=True)).to_be_visible()
    await expect(outputs.get_by_text("return json.loads(x)")).to_be_visible()
    await expect(outputs.get_by_text("raw_decode(s")).to_have_count(0)
    await outputs.get_by_role("button", name="3 frames of libraries").click()
    await expect(outputs.get_by_text("raw_decode(s")).to_be_visible()
    await expect(outputs.get_by_text("ZeroDivisionError", exact=True)).to_be_visible()
    await expect(outputs.get_by_text("TypeError", exact=True)).to_be_visible()


async def test_what_is_broken_says_so_and_leaves_the_others_alone(open_page: OpenPage, new_session: NewSession) -> None:
    sid = await new_session(
        show({"image/png": "not base64!"}),
        show({"image/png": "aGVsbG8="}),
        show({"application/vnd.vegalite.v5+json": "{not json"}),
        show({"application/vnd.vega.v5+json": [1]}),
        show({"application/vnd.cloche.table+json": {"rows": 1}}),
        show({"application/x-mystery": "aGk="}),
        run_python("from IPython.display import Markdown\nMarkdown('**whole**')"),
    )
    page, outputs = await open_outputs(open_page, sid)
    await page.get_by_label("Order").select_option("oldest")
    await expect(outputs.get_by_text("is not base64")).to_be_visible()
    await expect(outputs.get_by_text("is not a picture")).to_be_visible()
    await expect(outputs.get_by_text("the data is not of the type application/vnd.cloche.table+json")).to_be_visible()
    await expect(outputs.get_by_text("2 bytes")).to_be_visible()
    async with page.expect_download() as download:
        await outputs.get_by_role("button", name="Download application/x-mystery").click()
    assert (await (await download.value).path()).read_bytes() == b"hi"
    await expect(outputs.get_by_text("whole")).to_be_visible()
    await expect(outputs.locator(".output-broken")).to_have_count(5)


async def test_outputs_are_filtered_ordered_and_lead_to_their_event(
    open_page: OpenPage, new_session: NewSession
) -> None:
    many = "from IPython.display import Latex, display\nfor at in range(2000): display(Latex(f'${at}$'))"
    sid = await new_session(run_python(many), show({"application/json": {"a": 1}}), run_python("1/0"))
    page, outputs = await open_outputs(open_page, sid, width=400, height=700, dark=True)
    await expect(outputs.get_by_text("2,002")).to_be_visible()
    assert await outputs.locator("article").count() < 30
    await page.get_by_label("Type of outputs").select_option("json")
    await expect(outputs.locator("article")).to_have_count(1)
    await expect(outputs.get_by_text("1 of 2002")).to_be_visible()


async def test_large_displays_do_not_freeze_the_page(open_page: OpenPage, new_session: NewSession) -> None:
    line = "'word ' * 20 + '\\x1b[31mred\\x1b[0m\\n'"
    row = "'<tr><td>1</td><td>two words</td></tr>'"
    head = "'<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>'"
    sid = await new_session(
        show({"application/json": {"a": ["text " * 200] * 900}}),
        run_python(f"display({{'text/plain': ({line}) * 8000, 'application/x-y': 'z'}}, raw=True)"),
        run_python(f"{IMPORTS}HTML({head} + {row} * 25_000 + '</tbody></table>')"),
        run_python(f"{IMPORTS}{PNG}\nImage(png(1400, 1400))"),
    )
    page = await open_page(f"/s/{sid}")
    await page.evaluate(LONGEST_PAUSE)
    await page.get_by_role("tab", name="Outputs").click()
    outputs = page.locator("section[aria-label=Workspace]")
    await expect(outputs.get_by_text("image/png, 1400 \u00d7 1400")).to_be_visible()
    await page.get_by_label("Order").select_option("oldest")
    await expect(outputs.get_by_text("Show more").first).to_be_visible()
    await page.get_by_label("Type of outputs").select_option("html")
    await expect(outputs.get_by_text("rows 1 to 50 of 25,000")).to_be_visible()
    assert await page.evaluate("window.longestPause") < 1500


LONGEST_PAUSE = """() => {
  window.longestPause = 0;
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.longestPause = Math.max(window.longestPause, now - before);
    before = now;
  }, 20);
}"""
