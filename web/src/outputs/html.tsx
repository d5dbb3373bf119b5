/** HTML: a table of a data library as our own table, everything else in a closed frame. */

import { useMemo } from "react";
import { HtmlFrame } from "./frame/html_frame.tsx";
import { readHtmlTable } from "./table/html_table.ts";
import { DataTable } from "./table/data_table.tsx";

export default function Html({ html }: { html: string }) {
  const table = useMemo(() => readHtmlTable(html), [html]);
  return table ? <DataTable table={table} /> : <HtmlFrame html={html} />;
}
