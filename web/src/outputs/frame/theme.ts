/** Light or dark, for what does not take the page's own styles. */

import { useSyncExternalStore } from "react";
import type { Theme } from "./messages.ts";

function follow(changed: () => void): () => void {
  const watcher = new MutationObserver(changed);
  watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => watcher.disconnect();
}

/** Whether the page is dark now. */
export function useDark(): boolean {
  return useSyncExternalStore(follow, () => document.documentElement.dataset["theme"] === "dark");
}

/** The look that the page has now. */
export function readTheme(dark: boolean): Theme {
  const { color, fontFamily } = getComputedStyle(document.body);
  return { dark, color, font: fontFamily };
}
