/** Commands that the palette offers: each page adds its own while it is there. */

import { useEffect } from "react";
import { create } from "zustand";

export interface Command {
  label: string;
  /** As it is shown, such as "Ctrl K". */
  keys?: string;
  act(): void;
}

interface Commands {
  groups: Map<string, Command[]>;
  open: boolean;
}

export const useCommands = create<Commands>(() => ({ groups: new Map(), open: false }));

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
