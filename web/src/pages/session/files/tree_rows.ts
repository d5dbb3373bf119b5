/** The tree as rows: what is in the folders that are open, and where the keys lead. */

import type { FileView, FolderListing } from "../../../api/types.ts";
import { folderOf, nameOf } from "./paths.ts";

export interface TreeRow {
  entry: FileView;
  level: number;
  /** Whether a folder shows what is in it; undefined for what is no folder. */
  open?: boolean;
  /** Its place among those of its folder, from 1, and how many there are. */
  place: number;
  siblings: number;
  /** A folder that is open, but not listed yet. */
  loading: boolean;
  /** Whether its folder has more than are listed after this one. */
  cut: boolean;
}

export type Folders = ReadonlyMap<string, FolderListing>;

export function listRows(folders: Folders, open: ReadonlySet<string>, folder = "", level = 1): TreeRow[] {
  const listing = folders.get(folder);
  if (!listing) return [];
  return listing.entries.flatMap((entry, at) => {
    const isOpen = entry.kind === "dir" ? open.has(entry.path) : undefined;
    const row: TreeRow = {
      entry,
      level,
      open: isOpen,
      place: at + 1,
      siblings: listing.entries.length,
      loading: isOpen === true && !folders.has(entry.path),
      cut: listing.truncated && at === listing.entries.length - 1,
    };
    return isOpen ? [row, ...listRows(folders, open, entry.path, level + 1)] : [row];
  });
}

export type TreeStep = { focus: string } | { open: string } | { close: string };

/** What a key does in a tree, as trees do: undefined for other keys. */
export function stepTree(rows: readonly TreeRow[], focused: string, key: string): TreeStep | undefined {
  const at = rows.findIndex(({ entry }) => entry.path === focused);
  const row = rows[at];
  const go = (to: number): TreeStep | undefined => {
    const found = rows[Math.max(0, Math.min(to, rows.length - 1))];
    return found && { focus: found.entry.path };
  };
  if (key === "ArrowDown") return go(at + 1);
  if (key === "ArrowUp") return go(at - 1);
  if (key === "Home") return go(0);
  if (key === "End") return go(rows.length - 1);
  if (!row) return undefined;
  if (key === "ArrowRight" && row.open !== undefined) return row.open ? go(at + 1) : { open: focused };
  if (key === "ArrowLeft") {
    if (row.open) return { close: focused };
    const parent = folderOf(focused);
    return parent ? { focus: parent } : undefined;
  }
  return undefined;
}

/** The next row after the focused one whose name begins so. */
export function findByName(rows: readonly TreeRow[], focused: string, begun: string): string | undefined {
  const at = rows.findIndex(({ entry }) => entry.path === focused);
  const wanted = begun.toLowerCase();
  // While one goes on typing, the row that fits already stays.
  const from = begun.length > 1 ? at : at + 1;
  const order = [...rows.slice(Math.max(0, from)), ...rows.slice(0, Math.max(0, from))];
  return order.find(({ entry }) => nameOf(entry.path).toLowerCase().startsWith(wanted))?.entry.path;
}
