/** Data as a tree that folds; only what is open is in the page, and of long lists a part. */

import { useMemo, useState } from "react";
import { Button } from "../parts/button.tsx";
import { DataTable } from "./table/data_table.tsx";
import { readRecords } from "./table/table.ts";
import "./json_tree.css";

/** Entries of a list that are shown at first. */
const SOME = 100;
/** A branch of so few entries is open from the beginning. */
const FEW = 12;
const TEXT = 300;

export function JsonTree({ data, open = false }: { data: unknown; open?: boolean }) {
  const table = useMemo(() => readRecords(data), [data]);
  const [asTree, setAsTree] = useState(false);
  if (!table) {
    return (
      <div className="json-tree">
        <Node value={data} depth={0} open={open} />
      </div>
    );
  }
  return (
    <div className="json-tree">
      {asTree ? <Node value={data} depth={0} open={open} /> : <DataTable table={table} />}
      <Button look="quiet" onClick={() => setAsTree(!asTree)}>{asTree ? "Show as a table" : "Show as a tree"}</Button>
    </div>
  );
}

interface NodeProps {
  name?: string;
  value: unknown;
  depth: number;
  /** Whether everything is open at first. */
  open: boolean;
}

function Node(props: NodeProps) {
  return typeof props.value === "object" && props.value !== null ? <Branch {...props} /> : <Leaf {...props} />;
}

function Branch({ name, value, depth, open: all }: NodeProps) {
  const entries = Object.entries(value as object);
  const isList = Array.isArray(value);
  const [open, setOpen] = useState(depth === 0 || (all && depth < 5) || (depth < 3 && entries.length <= FEW));
  const [shown, setShown] = useState(SOME);
  const [begin, end] = isList ? ["[", "]"] : ["{", "}"];
  const count = `${entries.length.toLocaleString("en")} ${isList ? "items" : "keys"}`;
  if (entries.length === 0) {
    return (
      <div className="json-line">
        <Name name={name} />
        {begin}
        {end}
      </div>
    );
  }
  return (
    <div className="json-branch">
      <button type="button" className="json-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true" className="json-mark">{open ? "▾" : "▸"}</span>
        <Name name={name} />
        {begin}
        {!open && `…${end}`} <span className="faint">{count}</span>
      </button>
      {open && (
        <div className="json-inside">
          {entries.slice(0, shown).map(([key, each]) => (
            <Node key={key} name={key} value={each} depth={depth + 1} open={all} />
          ))}
          {entries.length > shown && (
            <Button look="quiet" onClick={() => setShown(shown * 4)}>
              Show more: {(entries.length - shown).toLocaleString("en")} are left
            </Button>
          )}
          <div>{end}</div>
        </div>
      )}
    </div>
  );
}

function Leaf({ name, value }: NodeProps) {
  const [whole, setWhole] = useState(false);
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  const long = text.length > TEXT && !whole;
  return (
    <div className="json-line">
      <Name name={name} />
      <span className={`json-${value === null ? "null" : typeof value}`}>{long ? text.slice(0, TEXT) : text}</span>
      {long && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          … {(text.length - TEXT).toLocaleString("en")} characters more
        </Button>
      )}
    </div>
  );
}

function Name({ name }: { name?: string }) {
  return name === undefined ? null : <span className="json-name">{name}:&nbsp;</span>;
}
