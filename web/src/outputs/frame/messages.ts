/** What the page and the frame of HTML say to each other. */

export interface Theme {
  dark: boolean;
  color: string;
  font: string;
}

/** From the page. */
export type ToFrame = { show: string; theme: Theme } | { theme: Theme } | { ping: number };

/** From the frame; what is inside may say anything, so that each is checked. */
export type FromFrame = { ready: true } | { height: number } | { pong: number };

export function readFromFrame(data: unknown): FromFrame | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { ready, height, pong } = data as Record<string, unknown>;
  if (ready === true) return { ready };
  if (typeof height === "number" && Number.isFinite(height)) return { height };
  if (typeof pong === "number") return { pong };
  return undefined;
}
