import { readDelimited } from "./delimited.ts";
import { decode, readHtmlTable } from "./html_table.ts";
import { findNumbers, readNumber, readRecords, readTable, sortRows } from "./table.ts";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const PANDAS = `<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th></th><th>name</th><th>price</th></tr>
  </thead>
  <tbody>
    <tr><th>0</th><td>tea &amp; cake</td><td>3.5</td></tr>
    <tr><th>1</th><td>&lt;b&gt;</td><td>NaN</td></tr>
  </tbody>
</table>
<p>2 rows × 2 columns</p>
</div>`;

Deno.test("a data frame of pandas is a table", () => {
  expect(readHtmlTable(PANDAS), {
    columns: ["", "name", "price"],
    rows: [["0", "tea & cake", "3.5"], ["1", "<b>", "NaN"]],
    note: "2 rows × 2 columns",
  });
});

Deno.test("a frame with levels: cells that reach over others stand in each place", () => {
  const table = readHtmlTable(
    `<table border="1" class="dataframe"><thead><tr><th></th><th colspan="2" halign="left">x</th></tr>
     <tr><th></th><th>a</th><th>b</th></tr></thead><tbody>
     <tr><th rowspan="2" valign="top">k</th><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>`,
  );
  expect(table, { columns: ["", "x / a", "x / b"], rows: [["k", "1", "2"], ["k", "3", "4"]] });
});

Deno.test("tables of SQL and R are tables", () => {
  const sql = "<table>\n<thead><tr><th>a</th><th>b</th></tr></thead>\n<tbody>\n" +
    '<tr><td align="right">1</td><td><i>NULL</i></td></tr>\n</tbody>\n</table>\n<p>3 rows</p>';
  expect(readHtmlTable(sql), { columns: ["a", "b"], rows: [["1", "NULL"]], note: "3 rows" });
});

Deno.test("HTML with a look of its own is no table of ours", () => {
  expect(readHtmlTable("<b>hi</b>"), undefined);
  expect(readHtmlTable(PANDAS.replace("<td>3.5", '<td style="color: red">3.5')), undefined);
  expect(readHtmlTable(PANDAS.replace("tea", "<a href='x'>tea</a>")), undefined);
  expect(readHtmlTable(PANDAS + "<script>1</script>"), undefined);
  expect(readHtmlTable(PANDAS + PANDAS), undefined);
  expect(readHtmlTable("<table><tr><td>no head</td></tr></table>"), undefined);
  expect(readHtmlTable('<table class="dataframe" onclick="x()"><thead><tr><th>a</th></tr></thead></table>'), undefined);
});

Deno.test("a span that is far too wide is left to the frame", () => {
  const wide = '<table><thead><tr><th colspan="99999" rowspan="99999">a</th></tr></thead></table>';
  expect(readHtmlTable(wide), undefined);
});

Deno.test("entities", () => {
  expect(decode("&lt;&#65;&#x42;&nbsp;&unknown;&amp;lt;&#99999999;"), "<AB &unknown;&lt;&#99999999;");
});

Deno.test("rows are sorted: numbers by value, then words, empty ones last both ways", () => {
  const rows = [["10"], ["9"], [""], ["b"], ["1,234"], ["a"], ["NaN"], ["-2.5e1"]];
  const sorted = (descending: boolean) => sortRows(rows, { column: 0, descending }).map(([cell]) => cell);
  expect(sorted(false), ["-2.5e1", "9", "10", "1,234", "a", "b", "", "NaN"]);
  expect(sorted(true), ["b", "a", "1,234", "10", "9", "-2.5e1", "", "NaN"]);
});

Deno.test("numbers and columns of them", () => {
  expect([readNumber("1,234.5"), readNumber("45 %"), readNumber(".5")], [1234.5, 45, 0.5]);
  expect([readNumber("1,2"), readNumber("2024-01-01"), readNumber("")].map(Number.isNaN), [true, true, true]);
  expect(findNumbers({ columns: ["a", "b"], rows: [["1", "x"], ["NaN", "2"], ["", "3"]] }), [true, false]);
});

Deno.test("tables and records as data", () => {
  expect(readTable({ columns: ["a"], rows: [[1], [null]], total_rows: 9 }), {
    columns: ["a"],
    rows: [["1"], [""]],
    note: "2 of 9 rows",
  });
  expect(readTable({ columns: "a", rows: [] }), undefined);
  expect(readRecords([{ a: 1, b: "x" }, { a: 2, c: null }]), {
    columns: ["a", "b", "c"],
    rows: [["1", "x", ""], ["2", "", ""]],
  });
  expect(readRecords([{ a: {} }, { a: 1 }]), undefined);
  expect(readRecords([1, 2]), undefined);
});

Deno.test("CSV and TSV", () => {
  expect(readDelimited('\ufeffa,b\r\n"x, ""y""\nz",2\r\n3,\n', ","), {
    columns: ["a", "b"],
    rows: [['x, "y"\nz', "2"], ["3", ""]],
  });
  expect(readDelimited("a\tb\n1\t2", "\t"), { columns: ["a", "b"], rows: [["1", "2"]] });
  expect(readDelimited("", ","), { columns: [], rows: [] });
  expect(readDelimited('a\n"never closed', ","), { columns: ["a"], rows: [["never closed"]] });
});

Deno.test("100 000 rows are read and sorted within two seconds", () => {
  const began = performance.now();
  const { rows } = readDelimited("a,b\n" + "x1,2.5\n".repeat(100_000), ",");
  sortRows(rows, { column: 1, descending: true });
  const html = `<table><thead><tr><th>a</th></tr></thead><tbody>${
    "<tr><td>1</td></tr>\n".repeat(50_000)
  }</tbody></table>`;
  expect(readHtmlTable(html)?.rows.length, 50_000);
  const took = performance.now() - began;
  if (took > 2000) throw new Error(`took ${took} ms`);
});
