/** Commands of the palette, and their keys: each page adds its own while it is there. */

import { useEffect } from "react";
import { create } from "zustand";

export interface Command {
  label: string;
  /** The key that does it while nobody types, as `KeyboardEvent.key` names it. */
  key?: string;
  /** Keys as they are shown, if they are more than `key`, such as "Ctrl K". */
  keys?: string;
  /** Only a key: the palette does not list it. */
  hidden?: boolean;
  /** What it does; one that is done elsewhere, as by an editor, has none and is listed among the keys only. */
  act?(): void;
}

interface Commands {
  groups: Map<string, Command[]>;
  /** What stands over the page. */
  open: "" | "palette" | "keys";
}

export const useCommands = create<Commands>(() => ({ groups: new Map(), open: "" }));

export const showOver = (open: Commands["open"]) => useCommands.setState({ open });

/** Offers these commands as long as the component is there. */
export function useOwnCommands(group: string, commands: Command[]): void {
  useEffect(() => {
    useCommands.setState(({ groups }) => ({ groups: new Map(groups).set(group, commands) }));
  });
  useEffect(() => () => {
    useCommands.setState(({ groups }) => {
      const left = new Map(groups);
      left.delete(group);
      return { groups: left };
    });
  }, [group]);
}

/** The command of a key that was pressed; none while somebody types or a dialog is open. */
export function findCommand(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const typing = event.target instanceof Element &&
    event.target.closest("input, textarea, select, dialog, [contenteditable], [role=menu], .xterm, .cm-editor");
  if (typing) return undefined;
  return [...useCommands.getState().groups.values()].flat().find(({ key, act }) => act && key === event.key);
}

/** The keys of a command as they are shown. */
export function nameKeys({ keys, key }: Command): string {
  return keys ?? (key ? NAMES[key] ?? key.toUpperCase() : "");
}

const NAMES: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };
