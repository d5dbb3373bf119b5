/** Whether the server answers this page, and whether it knows who asks. */

import { create } from "zustand";

interface Reach {
  /** The server wants a token: what is shown is the page that asks for one. */
  needsToken: boolean;
  /** The server does not answer. */
  away: boolean;
  /** Grows whenever the server is back: what was asked in vain is asked again. */
  round: number;
}

export const useReach = create<Reach>(() => ({ needsToken: false, away: false, round: 0 }));

/** Milliseconds between two looks for a server that does not answer: the first, and the longest. */
const PATIENCE = [500, 4000] as const;
let looking = false;

export function askForToken(): void {
  useReach.setState({ needsToken: true });
}

/** Finds out whether the server is there; if not, the page says so until it is. */
export async function lookForServer(): Promise<void> {
  if (looking) return;
  looking = true;
  for (let wait: number = PATIENCE[0]; !await answers(); wait = Math.min(wait * 1.5, PATIENCE[1])) {
    useReach.setState({ away: true });
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  looking = false;
  if (useReach.getState().away) useReach.setState(({ round }) => ({ away: false, round: round + 1 }));
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch("/api/health", { cache: "no-store" })).status < 500;
  } catch {
    return false;
  }
}
