/** A table that sorts by a click on its head and shows 50 rows at a time. */

import { useMemo, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { findNumbers, type Order, sortRows, type Table } from "./table.ts";
import "./data_table.css";

const PAGE = 50;
/** Columns that are shown at once. */
const COLUMNS = 60;
/** Characters of a cell. */
const CELL = 500;

export function DataTable({ table }: { table: Table }) {
  const [order, setOrder] = useState<Order>();
  const [page, setPage] = useState(0);
  const rows = useMemo(() => (order ? sortRows(table.rows, order) : table.rows), [table, order]);
  const numbers = useMemo(() => findNumbers(table), [table]);
  const columns = table.columns.slice(0, COLUMNS);
  const first = Math.min(page * PAGE, Math.max(0, rows.length - 1));
  const sort = (column: number) => {
    setPage(0);
    if (order?.column !== column) setOrder({ column, descending: false });
    else setOrder(order.descending ? undefined : { column, descending: true });
  };
  return (
    <div className="data-table">
      <div className="data-table-scroll" tabIndex={0} role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              {columns.map((name, column) => (
                <Head key={column} name={name} column={column} number={numbers[column]} order={order} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(first, first + PAGE).map((row, at) => (
              <tr key={first + at}>
                {columns.map((_, column) => (
                  <td key={column} className={numbers[column] ? "number" : ""}>{clipCell(row[column])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Foot table={table} first={first} setPage={setPage} page={page} />
    </div>
  );
}

interface HeadProps {
  name: string;
  column: number;
  number?: boolean;
  order?: Order;
  sort(column: number): void;
}

function Head({ name, column, number, order, sort }: HeadProps) {
  const sorted = order?.column === column;
  const way = !sorted ? "none" : order.descending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={way} className={number ? "number" : ""}>
      <button type="button" onClick={() => sort(column)} aria-label={`Sort by ${name || `column ${column + 1}`}`}>
        {clipCell(name)}
        <span aria-hidden="true">{way === "none" ? "" : way === "ascending" ? " ▲" : " ▼"}</span>
      </button>
    </th>
  );
}

interface FootProps {
  table: Table;
  first: number;
  page: number;
  setPage(page: number): void;
}

function Foot({ table: { rows, columns, note }, first, page, setPage }: FootProps) {
  const many = rows.length > PAGE;
  const count = rows.length.toLocaleString("en");
  const shown = many
    ? `rows ${(first + 1).toLocaleString("en")} to ${
      Math.min(first + PAGE, rows.length).toLocaleString("en")
    } of ${count}`
    : `${count} ${rows.length === 1 ? "row" : "rows"}`;
  const left = columns.length - COLUMNS;
  return (
    <div className="row small faint">
      <span role="status">{shown}</span>
      {left > 0 && <span>{left} more columns</span>}
      {note && <span>{note}</span>}
      {many && (
        <>
          <Button look="quiet" label="Previous rows" disabled={page === 0} onClick={() => setPage(page - 1)}>‹</Button>
          <Button
            look="quiet"
            label="Next rows"
            disabled={first + PAGE >= rows.length}
            onClick={() => setPage(page + 1)}
          >
            ›
          </Button>
        </>
      )}
    </div>
  );
}

function clipCell(text = ""): string {
  return text.length > CELL ? `${text.slice(0, CELL)}…` : text;
}
