/** The tree of the workspace, by mouse and by keys. */

import { type KeyboardEvent, useEffect, useRef } from "react";
import { describeSize } from "../../../parts/when.ts";
import { isChanged } from "./buffer.ts";
import { nameOf } from "./paths.ts";
import { findByName, listRows, stepTree, type TreeRow } from "./tree_rows.ts";
import type { Workspace, WorkspaceState } from "./workspace.ts";

/** Milliseconds in which typed letters are one word. */
const TYPING = 700;

interface Given {
  workspace: Workspace;
  state: WorkspaceState;
  rename(path: string): void;
  remove(path: string): void;
}

export function Tree({ workspace, state, rename, remove }: Given) {
  const rows = listRows(state.folders, state.open);
  const list = useRef<HTMLUListElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const focused = rows.some(({ entry }) => entry.path === state.focused) ? state.focused : rows[0]?.entry.path ?? "";

  const focus = (path: string) => {
    workspace.focus(path);
    findItem(list.current, path)?.focus();
  };
  const activate = (row: TreeRow) => {
    workspace.focus(row.entry.path);
    if (row.open !== undefined) workspace.setOpen(row.entry.path, !row.open);
    else void workspace.show(row.entry.path);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows.find(({ entry }) => entry.path === focused);
    const step = stepTree(rows, focused, event.key);
    if (step && "focus" in step) focus(step.focus);
    else if (step && "open" in step) workspace.setOpen(step.open, true);
    else if (step) workspace.setOpen(step.close, false);
    else if (event.key === "Enter" && row) activate(row);
    else if (event.key === " " && row) activate(row);
    else if (event.key === "F2" && row) rename(row.entry.path);
    else if (event.key === "Delete" && row) remove(row.entry.path);
    else if (event.key.length === 1) find(event.key);
    else return;
    event.preventDefault();
    // Letters are names here, and nothing that the page does by them.
    event.stopPropagation();
  };
  const find = (letter: string) => {
    const now = Date.now();
    const text = now - typed.current.at < TYPING ? typed.current.text + letter : letter;
    typed.current = { text, at: now };
    const found = findByName(rows, focused, text);
    if (found !== undefined) focus(found);
  };
  useEffect(() => {
    // What had the focus is gone from the list, or has moved in it.
    if (document.activeElement === document.body) return;
    if (list.current?.contains(document.activeElement)) findItem(list.current, focused)?.focus();
  }, [focused]);

  const shown = state.view.kind === "file" ? state.view.path : undefined;
  return (
    <ul className="tree" role="tree" aria-label="Workspace" ref={list} onKeyDown={press}>
      {rows.map((row) => (
        <Item
          key={row.entry.path}
          row={row}
          focused={row.entry.path === focused}
          selected={row.entry.path === shown}
          changed={hasChanges(state, row.entry.path)}
          activate={() => activate(row)}
          focus={() => workspace.focus(row.entry.path)}
        />
      ))}
    </ul>
  );
}

interface ItemGiven {
  row: TreeRow;
  focused: boolean;
  selected: boolean;
  changed: boolean;
  activate(): void;
  /** It has got the focus, by whatever. */
  focus(): void;
}

function Item(
  { row: { entry, level, open, place, siblings, loading, cut }, focused, selected, changed, activate, focus }:
    ItemGiven,
) {
  const name = nameOf(entry.path);
  return (
    <li
      role="treeitem"
      aria-level={level}
      aria-expanded={open}
      aria-selected={selected}
      aria-setsize={siblings}
      aria-posinset={place}
      aria-busy={loading || undefined}
      aria-label={changed ? `${name}, not saved` : name}
      tabIndex={focused ? 0 : -1}
      data-path={entry.path}
      data-kind={entry.kind}
      className={`tree-row ${entry.kind}`}
      style={{ paddingLeft: `calc(var(--space-3) * ${level - 1} + var(--space-2))` }}
      title={entry.kind === "file" ? `${entry.path}, ${describeSize(entry.size)}` : entry.path}
      onClick={activate}
      onFocus={focus}
    >
      <span className="tree-mark" aria-hidden="true">{markOf(entry.kind, open)}</span>
      <span className="clip">{name}</span>
      {changed && <span className="tree-changed" aria-hidden="true">●</span>}
      {cut && <span className="faint small">and more</span>}
    </li>
  );
}

function markOf(kind: string, open: boolean | undefined): string {
  if (open !== undefined) return open ? "▾" : "▸";
  return kind === "link" ? "↪" : "";
}

function hasChanges({ buffers }: WorkspaceState, path: string): boolean {
  const buffer = buffers.get(path);
  return buffer !== undefined && (isChanged(buffer) || buffer.theirs !== undefined);
}

function findItem(list: HTMLElement | null, path: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`) ?? null;
}
